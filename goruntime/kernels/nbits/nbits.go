// Package nbits multiplies float32 rows with matrices whose weights take 2, 4 or
// 8 bits, in blocks along K with a scale and a zero point each. The weights are
// widened in registers: they are never unpacked to memory.
//
// A column's weights lie in the order of K, the first in the low bits of a byte.
// Each element of the result is summed in one order that depends on K and the
// block alone. The package allocates nothing and starts no goroutine: callers
// split the columns.
package nbits

import (
	"runtime"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/kernels/cpu"
)

//go:generate go run ../../internal/gen/nbitsgen .

// Args describe a product C[M, N] = A[M, K] * ((q - zero) * scale)[K, N].
type Args struct {
	M, N, K int
	Bits    int       // of a weight: 2, 4 or 8
	Block   int       // weights to a scale: a power of two, 16 or more
	A       []float32 // rows of RowLength numbers, as Arrange leaves them
	B       []byte    // for each column, Blocks blocks of Block*Bits/8 bytes
	Scales  []float32 // [N, Blocks]
	Zeros   []float32 // [N, Blocks]
	C       []float32 // [M, N]
	// Groups, where not nil, says which scale and zero point of its column each
	// of the K weights has.
	Groups []int32
}

// Blocks returns how many blocks a column has.
func Blocks(k, block int) int { return (k + block - 1) / block }

// RowLength returns how many numbers a row of A takes.
func RowLength(k, block int) int { return Blocks(k, block) * block }

// vectorized reports whether the vector kernels serve these weights.
func (g *Args) vectorized() bool {
	return (g.Bits == 4 || g.Bits == 8) && g.Block%32 == 0 && g.Groups == nil
}

// Arrange brings the K numbers of a row, which lie at the front of row, into the
// order that Run reads: padded with zeros and, for the vector kernels of 4 bits,
// in each 32 the even ones first.
func (g *Args) Arrange(row []float32) {
	clear(row[g.K:RowLength(g.K, g.Block)])
	if !g.vectorized() || g.Bits != 4 {
		return
	}
	var odd [16]float32
	for ; len(row) >= 32; row = row[32:] {
		for i := range odd {
			odd[i] = row[2*i+1]
			row[i] = row[2*i]
		}
		copy(row[16:32], odd[:])
	}
}

// strip is what a kernel reads: some rows with one column. nbitsgen has the
// offsets.
type strip struct {
	a      unsafe.Pointer // 0
	lda    int            // 8, in bytes as all strides here
	b      unsafe.Pointer // 16
	scales unsafe.Pointer // 24
	zeros  unsafe.Pointer // 32
	blocks int            // 40
	parts  int            // 48: how many times 32 weights a block has
	c      unsafe.Pointer // 56
	ldc    int            // 64
	sums   unsafe.Pointer // 72: of all lanes, of some of the blocks
	from   int            // 80: not 0 where they begin with sums
	leave  int            // 88: not 0 where they end there
}

// variant is one implementation of the strips, by bits and rows.
type variant struct {
	name  string
	level cpu.Level
	rows  int
	tall  int // rows of a tile
	run   func(p *strip, bits, rows int)
	widen [2]func(p *strip) // of 4 and 8 bits
	tile  func(p *tile)
}

// variants, the best first; portable, which is none of them, is the definition.
var variants = vectorVariants

func chosen() *variant { return cpu.Pick(variants, func(v *variant) cpu.Level { return v.level }) }

// Variant returns the name of the implementation in use.
func Variant() string {
	if v := chosen(); v != nil {
		return v.name
	}
	return "portable"
}

// Rows of A are multiplied by parts of nearBytes, which stay in the first cache, with
// atOnce columns before the next part. The sums of a column's lanes, sumsBytes, wait between.
const (
	nearBytes = 16 << 10
	atOnce    = 8
	sumsBytes = 8 * 2 * 64
)

// Run computes the columns [n0, n1) of C.
func Run(g *Args, n0, n1 int) {
	v := chosen()
	if v == nil || !g.vectorized() {
		portable(g, n0, n1)
		return
	}
	if g.M >= manyRows && g.Block <= widePart && g.K > 0 {
		v.many(g, n0, n1)
		return
	}
	var sums [atOnce][sumsBytes]byte
	for m := 0; m < g.M; m += v.rows {
		for n := n0; n < n1; n += atOnce {
			v.columns(g, m, n, min(n1, n+atOnce), &sums)
		}
	}
	runtime.KeepAlive(g)
}

// columns computes up to v.rows rows from m on, and up to atOnce columns.
func (v *variant) columns(g *Args, m, n0, n1 int, sums *[atOnce][sumsBytes]byte) {
	rows, blocks, length := min(v.rows, g.M-m), Blocks(g.K, g.Block), RowLength(g.K, g.Block)
	part := max(1, nearBytes/(4*g.Block*rows))
	p := strip{lda: 4 * length, parts: g.Block / 32, ldc: 4 * g.N}
	for b := 0; b < blocks || b == 0; b += part {
		p.blocks = min(part, blocks-b)
		p.leave = max(0, blocks-b-part)
		p.from = b
		if blocks > 0 {
			p.a = unsafe.Pointer(&g.A[m*length+b*g.Block])
		}
		for n := n0; n < n1; n++ {
			if blocks > 0 {
				at := n*blocks + b
				p.b = unsafe.Pointer(&g.B[at*g.Block*g.Bits/8])
				p.scales, p.zeros = unsafe.Pointer(&g.Scales[at]), unsafe.Pointer(&g.Zeros[at])
			}
			p.c = unsafe.Pointer(&g.C[m*g.N+n])
			p.sums = hidden(&sums[n-n0])
			v.run(borrow(&p), g.Bits, rows)
			runtime.KeepAlive(&p) // live during the call: a stack that moves takes it along
		}
	}
	runtime.KeepAlive(sums) // as above
}

// hidden is the address of what lies on the stack, of which escape analysis need not
// know: no kernel keeps it.
func hidden[T any](at *T) unsafe.Pointer {
	q := uintptr(unsafe.Pointer(at))
	// SAFETY: as in borrow.
	return *(*unsafe.Pointer)(unsafe.Pointer(&q))
}

// borrow hides from escape analysis that p is passed on: no kernel keeps it, but
// the compiler cannot see that through a table, and would put it on the heap.
func borrow[T any](p *T) *T {
	q := uintptr(unsafe.Pointer(p))
	// SAFETY: the pointer is used during the call only, while p is alive; as an
	// argument it is adjusted like any other when the stack moves.
	return *(**T)(unsafe.Pointer(&q))
}
