// Package gemm multiplies matrices of numbers of 32 or 64 bits: C[M, N] = A[M, K] * B[K, N].
// Of float32s it also computes how far the rows of A and the columns of B are apart, by
// sums of squared differences in the place of products.
//
// A is read in place with a row stride; B is read in place with a row stride or
// from panels of 64 columns that PackB made. Each element of C is summed over k
// ascending in one accumulator, with fused multiply-add of floats in the vector variants,
// whatever the tile, the number of rows or the split: a row alone and the row
// in a batch give the same bits. The package allocates nothing and starts no
// goroutine: callers split rows and columns.
package gemm

import (
	"runtime"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/kernels/cpu"
	"github.com/goruntime/goruntime/goruntime/kernels/lanes"
)

//go:generate go run ../../internal/gen/gemmgen .

// Panel is the number of columns in a panel of packed B.
const Panel = 64

// Start says what the sums start from.
type Start int

// The starts.
const (
	Zero    Start = iota
	Columns       // Bias[n]
	Rows          // Bias[m]
	Add           // what C holds
)

// Args describe a product. Strides are in elements.
type Args struct {
	M, N, K int
	A       unsafe.Pointer // [M, K], rows LDA apart
	LDA     int
	B       unsafe.Pointer // packed, or [K, N] with rows LDB apart
	LDB     int            // 0 where B is packed
	C       unsafe.Pointer // [M, N], rows LDC apart
	LDC     int
	Start   Start
	Bias    unsafe.Pointer // of N or M numbers, by Start
	Relu    bool           // max(0, x) at the end, of floats; NaN stays
	Apart   bool           // sums (a-b)^2 in the place of a*b, of float32s
	Of      Element
}

// Element is what matrices consist of.
type Element int

// The elements. Integers, whose products wrap around, may be unsigned as well.
const (
	F32 Element = iota
	F64
	I32
	I64
	elements
)

// Number is a type of elements.
type Number interface {
	float32 | float64 | int32 | int64 | uint32 | uint64
}

// ElementOf returns the element that a type is.
func ElementOf[T Number]() Element {
	switch any(T(0)).(type) {
	case float32:
		return F32
	case float64:
		return F64
	case int32, uint32:
		return I32
	}
	return I64
}

// size returns the bytes of an element.
func (e Element) size() int {
	if e == F64 || e == I64 {
		return 8
	}
	return 4
}

// tile is what a kernel reads; gemmgen has the offsets.
type tile struct {
	a    unsafe.Pointer // 0
	lda  int            // 8, in bytes as all strides here
	b    unsafe.Pointer // 16
	ldb  int            // 24
	c    unsafe.Pointer // 32
	ldc  int            // 40
	k    int            // 48
	bias unsafe.Pointer // 56
	mask unsafe.Pointer // 64, of the last vector: of columns, in a tall tile of k
	from int            // 72, a Start
	relu int            // 80, 0 or 1
	rows int            // for the portable kernel, which serves every size
	cols int
	far  bool // Apart
}

// variant is one implementation of the tiles.
type variant struct {
	name  string
	level cpu.Level
	rows  int // of the largest tile
	lanes int // of a vector
	vecs  int // of the largest tile
	run   func(t *tile, rows, vecs int)
	talls []func(t *tile) // of lanes rows and 1, 2, ... columns
}

// portables are the definitions.
var portables = [elements]variant{
	F32: {"portable", cpu.Portable, 6, 16, 4, func(t *tile, _, _ int) { portable[float32](t) }, nil},
	F64: {"portable", cpu.Portable, 6, 8, 4, func(t *tile, _, _ int) { portable[float64](t) }, nil},
	I32: {"portable", cpu.Portable, 6, 16, 4, func(t *tile, _, _ int) { portable[int32](t) }, nil},
	I64: {"portable", cpu.Portable, 6, 8, 4, func(t *tile, _, _ int) { portable[int64](t) }, nil},
}

// variant returns the implementation in use.
func (e Element) variant() *variant {
	if v := cpu.Pick(vectors[e], func(v *variant) cpu.Level { return v.level }); v != nil {
		return v
	}
	return &portables[e]
}

// Variant returns the name of the implementation of float32s in use.
func Variant() string { return F32.variant().name }

// PackedSize returns how many numbers PackB writes for B [k, n].
func PackedSize(k, n int) int { return (n + Panel - 1) / Panel * Panel * k }

// PackB writes B[K, N], whose element [k, n] is b[k*sk+n*sn], as panels
// [ceil(N/64)][K][64], padded with zeros.
func PackB[T Number](dst, b []T, k, n, sk, sn int) {
	if sk == 1 && sn > 1 {
		packTurned(dst, b, k, n, sn)
		return
	}
	for j := 0; j < n; j += Panel {
		w := min(Panel, n-j)
		for i := range k {
			row := dst[:Panel]
			dst = dst[Panel:]
			at := i*sk + j*sn
			if sn == 1 {
				copy(row, b[at:at+w])
			} else {
				for c := range w {
					row[c] = b[at]
					at += sn
				}
			}
			clear(row[w:])
		}
	}
}

// packTurned is PackB of the transpose of a matrix with rows sn apart: it reads
// rows in short runs that stay in the cache until the next column.
func packTurned[T Number](dst, b []T, k, n, sn int) {
	const run = 16
	for j := 0; j < n; j += Panel {
		w := min(Panel, n-j)
		panel := dst[:k*Panel]
		dst = dst[k*Panel:]
		for i := 0; i < k; i += run {
			h := min(run, k-i)
			for c := range w {
				at := i*Panel + c
				for _, v := range b[(j+c)*sn+i:][:h] {
					panel[at] = v
					at += Panel
				}
			}
		}
		for i := 0; w < Panel && i < k; i++ {
			clear(panel[i*Panel+w : (i+1)*Panel])
		}
	}
}

// Run computes the elements of C in rows [m0, m1) and columns [n0, n1).
func Run(g *Args, m0, m1, n0, n1 int) {
	v, size := g.Of.variant(), g.Of.size()
	t := tile{lda: size * g.LDA, ldc: size * g.LDC, k: g.K, from: int(g.Start), ldb: size * g.LDB}
	if g.LDB == 0 {
		t.ldb = size * Panel
	}
	if g.Relu {
		t.relu = 1
	}
	t.far = g.Apart
	for j, w := n0, 0; j < n1; j += w {
		w = min(v.lanes*v.vecs, n1-j, Panel-j%Panel) // no tile lies in two panels
		vecs := (w + v.lanes - 1) / v.lanes
		t.cols, t.b = w, g.column(j)
		i := m0
		if v.tall(g, w) {
			t.mask = lanes.Mask(v.lanes, (g.K-1)%v.lanes+1)
			for ; m1-i >= v.lanes; i += v.lanes {
				g.point(&t, i, j)
				v.talls[w-1](borrow(&t))
				runtime.KeepAlive(&t) // live during the call: a stack that moves takes it along
			}
		}
		t.mask = v.mask(w-(vecs-1)*v.lanes, size)
		for ; i < m1; i += v.rows {
			t.rows = min(v.rows, m1-i)
			g.point(&t, i, j)
			v.run(borrow(&t), t.rows, vecs)
			runtime.KeepAlive(&t) // as above
		}
	}
}

// mask returns the mask of the first n numbers of a vector: their bits, or the words of
// which they consist.
func (v *variant) mask(n, size int) unsafe.Pointer {
	if v.level == cpu.AVX512 {
		return lanes.Mask(16, n)
	}
	return lanes.Mask(v.lanes*size/4, n*size/4)
}

// tall reports whether w columns are computed with a lane for each row: turning A is worth
// it where they are few beside K.
func (v *variant) tall(g *Args, w int) bool {
	return w <= len(v.talls) && 4*(w+1) <= g.K && g.Start != Add && !g.Apart
}

// point sets where the tile of C at row i and column j and what goes into it lies.
func (g *Args) point(t *tile, i, j int) {
	size := g.Of.size()
	// SAFETY: all offsets are inside the matrices by the caller's contract.
	t.a = unsafe.Add(g.A, size*i*g.LDA)
	t.c = unsafe.Add(g.C, size*(i*g.LDC+j))
	switch g.Start {
	case Columns:
		t.bias = unsafe.Add(g.Bias, size*j)
	case Rows:
		t.bias = unsafe.Add(g.Bias, size*i)
	}
}

// borrow hides from escape analysis that t is passed on: no kernel keeps it, but
// the compiler cannot see that through a table, and would put it on the heap.
func borrow(t *tile) *tile {
	p := uintptr(unsafe.Pointer(t))
	// SAFETY: the pointer is used during the call only, while t is alive; as an
	// argument it is adjusted like any other when the stack moves.
	return *(**tile)(unsafe.Pointer(&p))
}

// From returns the product of the rows from m on, whose A lies at a.
func (g *Args) From(m int, a unsafe.Pointer) Args {
	part := *g
	part.M, part.A = g.M-m, a
	// SAFETY: m is a row of C.
	part.C = unsafe.Add(g.C, g.Of.size()*m*g.LDC)
	if g.Start == Rows {
		// SAFETY: the bias has a number for each row.
		part.Bias = unsafe.Add(g.Bias, g.Of.size()*m)
	}
	return part
}

// column returns where column j of B starts. Without rows it starts nowhere: an
// address past the end would be that of another object.
func (g *Args) column(j int) unsafe.Pointer {
	if g.K == 0 {
		return g.B
	}
	if g.LDB != 0 {
		// SAFETY: j is a column of B.
		return unsafe.Add(g.B, g.Of.size()*j)
	}
	// SAFETY: as above; a panel holds K rows of Panel numbers.
	return unsafe.Add(g.B, g.Of.size()*(j/Panel*Panel*g.K+j%Panel))
}
