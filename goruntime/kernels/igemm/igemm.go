// Package igemm multiplies matrices of bytes: C[M, N] = A[M, K] * B[K, N] with A
// unsigned, B signed and C of int32. Sums are exact modulo 2^32 in every
// variant, so neither the tile nor the split shows in the result.
//
// A is read in place with a row stride; B is read from panels of 32 columns that
// PackB made, four numbers of K side by side. Signed A and unsigned B are served
// by flipping the top bit, which moves their zero points by 128 (see Flip). The
// package allocates nothing and starts no goroutine: callers split rows and
// columns.
package igemm

import (
	"runtime"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/kernels/cpu"
	"github.com/goruntime/goruntime/goruntime/kernels/lanes"
)

//go:generate go run ../../internal/gen/igemmgen .

// Panel is the number of columns in a panel of packed B.
const Panel = 32

// Depth is how many numbers of K lie side by side; rows of A are padded to a
// multiple of it, with anything.
const Depth = 4

// Flip changes a byte between int8 and uint8, v and v+128: the zero point of A
// grows by 128 where A was signed, that of B falls by 128 where B was unsigned.
const Flip = 0x80

// Args describe a product. Strides are in elements.
type Args struct {
	M, N, K int
	A       []byte // [M, K], rows LDA apart, each readable up to a multiple of Depth
	LDA     int
	B       []byte // packed
	C       []int32
	LDC     int
	Init    []int32 // what the sums of each column start from; nil is 0
}

// tile is what a kernel reads; igemmgen has the offsets.
type tile struct {
	a    unsafe.Pointer // 0
	lda  int            // 8, in bytes as all strides here
	b    unsafe.Pointer // 16
	c    unsafe.Pointer // 24
	ldc  int            // 32
	k    int            // 40, in units of Depth
	init unsafe.Pointer // 48
	mask unsafe.Pointer // 56, of the last vector
	rows int            // for the portable kernel, which serves every size
	cols int
}

// variant is one implementation of the tiles.
type variant struct {
	name  string
	level cpu.Level
	vnni  bool
	rows  int // of the largest tile
	lanes int // of a vector
	vecs  int // of the largest tile
	run   func(t *tile, rows, vecs int)
}

// variants, the best first; portable is the definition.
var variants = append(vectorVariants, variant{"portable", cpu.Portable, false, 4, 16, 2, func(t *tile, _, _ int) { portable(t) }})

func (v *variant) available() bool { return v.level <= cpu.Best() && (!v.vnni || cpu.VNNI()) }

func chosen() *variant {
	for i := range variants {
		if variants[i].available() {
			return &variants[i]
		}
	}
	return &variants[len(variants)-1]
}

// Variant returns the name of the implementation in use.
func Variant() string { return chosen().name }

// Fast reports whether bytes are multiplied several times as fast as f32 here.
func Fast() bool { return chosen().vnni }

// Depths returns k rounded up to a multiple of Depth.
func Depths(k int) int { return (k + Depth - 1) / Depth * Depth }

// PackedSize returns how many bytes PackB writes for B [k, n].
func PackedSize(k, n int) int { return (n + Panel - 1) / Panel * Panel * Depths(k) }

// PackB writes B[K, N], whose element [k, n] is b[k*sk+n*sn], as panels
// [ceil(N/32)][ceil(K/4)][32][4], padded with zeros; flip is Flip or 0.
func PackB(dst, b []byte, k, n, sk, sn int, flip byte) {
	for j := 0; j < n; j += Panel {
		w := min(Panel, n-j)
		for i := 0; i < k; i += Depth {
			block := dst[:Panel*Depth]
			dst = dst[Panel*Depth:]
			if w < Panel || i+Depth > k {
				clear(block)
			}
			for x := range min(Depth, k-i) {
				at := (i+x)*sk + j*sn
				for c := range w {
					block[c*Depth+x] = b[at] ^ flip
					at += sn
				}
			}
		}
	}
}

// ColumnSums writes the sum over k of each of the n columns of a packed B.
func ColumnSums(sums []int32, packed []byte, k, n int) {
	clear(sums[:n])
	for j := 0; j < n; j += Panel {
		w := min(Panel, n-j)
		for i := 0; i < k; i += Depth {
			block := packed[:Panel*Depth]
			packed = packed[Panel*Depth:]
			for c := range w {
				q := block[c*Depth : c*Depth+Depth]
				sums[j+c] += int32(int8(q[0])) + int32(int8(q[1])) + int32(int8(q[2])) + int32(int8(q[3]))
			}
		}
	}
}

// Run computes the elements of C in rows [m0, m1) and columns [n0, n1); n0 is a
// multiple of Panel.
func Run(g *Args, m0, m1, n0, n1 int) {
	v := chosen()
	t := tile{lda: g.LDA, ldc: 4 * g.LDC, k: (g.K + Depth - 1) / Depth}
	a, b, c := unsafe.Pointer(unsafe.SliceData(g.A)), unsafe.Pointer(unsafe.SliceData(g.B)), unsafe.Pointer(unsafe.SliceData(g.C))
	for j := n0; j < n1; j += v.lanes * v.vecs {
		w := min(v.lanes*v.vecs, n1-j)
		vecs := (w + v.lanes - 1) / v.lanes
		t.mask, t.cols = lanes.Mask(v.lanes, w-(vecs-1)*v.lanes), w
		t.b = b
		if t.k > 0 {
			// SAFETY: a panel holds k blocks of Panel times Depth bytes.
			t.b = unsafe.Add(b, j/Panel*Panel*Depth*t.k+j%Panel*Depth)
		}
		if g.Init != nil {
			t.init = unsafe.Pointer(&g.Init[j])
		}
		for i := m0; i < m1; i += v.rows {
			t.rows = min(v.rows, m1-i)
			// SAFETY: all offsets are inside the matrices by the caller's contract.
			t.a = unsafe.Add(a, i*g.LDA)
			t.c = unsafe.Add(c, 4*(i*g.LDC+j))
			v.run(borrow(&t), t.rows, vecs)
			runtime.KeepAlive(&t) // live during the call: a stack that moves takes it along
		}
	}
	runtime.KeepAlive(g)
}

// borrow hides from escape analysis that t is passed on: no kernel keeps it, but
// the compiler cannot see that through a table, and would put it on the heap.
func borrow(t *tile) *tile {
	p := uintptr(unsafe.Pointer(t))
	// SAFETY: the pointer is used during the call only, while t is alive; as an
	// argument it is adjusted like any other when the stack moves.
	return *(**tile)(unsafe.Pointer(&p))
}
