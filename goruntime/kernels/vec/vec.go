// Package vec holds the loops over contiguous numbers that several operators share:
// float32s, and for arithmetic, bits and relations whole numbers and float64s too.
// Elementwise functions give an element the same bits wherever it lies; reductions sum in
// one fixed order that depends on the length alone. NaN passes through everything. Nothing
// is allocated, no goroutine is started.
package vec

import (
	"math/bits"
	"runtime"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/kernels/cpu"
)

//go:generate go run ../../internal/gen/vecgen .

// lanes is how many sums a reduction keeps side by side: part of its contract,
// since it fixes the order.
const lanes = 16

// Function is an elementwise function of one number.
type Function int

// The functions, in the order of the generated tables.
const (
	Exponential Function = iota
	Logarithm
	HyperbolicTangent
	Logistic
	ErrorFunction
	Gelu // x/2 (1 + erf(x/√2))
	SquareRoot
	Absolute
	Negative
	Rectifier // max(0, x)
	Floor
	Ceil
	RoundEven
	Reciprocal
	Swish    // x times Logistic
	SoftSign // x / (1 + |x|), rounded at each step
	Sixth    // x clamp(x + 3, 0, 6) / 6, rounded at each step
	ToHalf   // the nearest number of tensor.Half, half to even
	ToBrain  // that of tensor.BFloat16
	functions
)

// Operation is an elementwise operation on two numbers.
type Operation int

// The operations, in the order of the generated tables.
const (
	Plus Operation = iota
	Minus
	Times
	Over
	Larger  // NaN where either is
	Smaller // NaN where either is
	Leak    // a, multiplied by b where it is below zero
	operations
)

// Curve is an elementwise function of one number with two parameters.
type Curve int

// The curves, in the order of the generated tables.
const (
	Clamp  Curve = iota // at least s, then at most r
	Line                // x*s + r, rounded twice
	Ramp                // Line between 0 and 1
	Gate                // x times Ramp
	Bell                // (erf(x/s) + 1) x r, rounded at each step
	Whole               // the whole number next to x, half to even, from s to r; s for NaN
	Square              // Line, squared
	Cube                // Line to the power of three, rounded twice more
	Bent                // x, below zero (e^x - 1) s; times r
	curves
)

// Grid is an elementwise function of one number that rounds it to whole multiples.
type Grid int

// The grids, in the order of the generated tables.
const (
	WholeOver  Grid = iota // Whole of x/n
	WholeTimes             // Whole of x*n
	Snap                   // Whole of x/n, times n
	grids
)

// Round writes the grid of each element of src to dst, which may be src; s and r are
// the bounds of Whole.
func Round(g Grid, dst, src []float32, n, s, r float32) {
	v, by := chosen(), [1]float32{n}
	a := newArgs(dst, src, v.lanes)
	a.s, a.r = s, r
	p := uintptr(unsafe.Pointer(&by))
	// SAFETY: by outlives the call and no kernel keeps it; hidden from escape analysis
	// as in borrow.
	a.b = *(*unsafe.Pointer)(unsafe.Pointer(&p))
	v.grids[g](borrow(&a))
	runtime.KeepAlive(&a)
	runtime.KeepAlive(&by)
}

// Bend writes the curve of each element of src to dst, which may be src and is
// as long.
func Bend(c Curve, dst, src []float32, s, r float32) {
	v := chosen()
	a := newArgs(dst, src, v.lanes)
	a.s, a.r = s, r
	v.curves[c](borrow(&a))
	runtime.KeepAlive(&a)
}

// Apply writes f(x) of each element of src to dst, which may be src and is as
// long.
func Apply(f Function, dst, src []float32) {
	v := chosen()
	a := newArgs(dst, src, v.lanes)
	v.unary[f](borrow(&a))
	runtime.KeepAlive(&a) // live during the call: a stack that moves takes it along
}

// Combine writes a op b to dst, all as long; dst may be a or b. A side of length
// one goes with every element of the other.
func Combine(o Operation, dst, a, b []float32) {
	v := chosen()
	// Written in place, in steps of a power of two: small tensors come here most, and a
	// copy would wait for the stores just before.
	n := len(dst)
	x := args{dst: first(dst), a: first(a), b: first(b), n: n >> bits.TrailingZeros(uint(v.lanes)), all: n, rows: 1}
	if tail := n & (v.lanes - 1); tail > 0 {
		x.masked(tail, v.level == cpu.AVX512)
	}
	form := 0
	switch {
	case len(b) == 1 && len(dst) != 1:
		form = 1
	case len(a) == 1 && len(dst) != 1:
		form = 2
	}
	v.binary[o][form](borrow(&x))
	runtime.KeepAlive(&x)
}

// CombineRows writes a op b to dst, row by row: a number of b goes with each row of a,
// or, turned, a number of a with each row of b. Dst may be the side with rows.
func CombineRows(o Operation, dst, a, b []float32, turned bool) {
	rows, form := len(b), 1
	if turned {
		rows, form = len(a), 2
	}
	if len(dst) == 0 {
		return
	}
	v, n := chosen(), len(dst)/rows
	x := newArgs(dst[:n], a, v.lanes)
	x.b, x.rows, x.step = first(b), rows, 4*(n%v.lanes)
	v.binary[o][form](borrow(&x))
	runtime.KeepAlive(&x)
}

// Every writes every step-th number of src, from the first on, to dst.
func Every(dst, src []float32, step int) {
	if len(dst) == 0 {
		return
	}
	src = src[:(len(dst)-1)*step+1]
	if step != 2 && step != 4 {
		every(dst, src, step)
		return
	}
	v := chosen()
	kernel := v.second
	if step == 4 {
		kernel = v.fourth
	}
	a := args{dst: first(dst), a: first(src), all: len(dst)}
	a.n, a.mask = v.steps(len(dst), step)
	kernel(borrow(&a))
	runtime.KeepAlive(&a)
}

// Sum returns the sum of s: sixteen sums side by side, then pairwise.
func Sum(s []float32) float32 {
	var sum [1]float32
	Along(Added, sum[:], s, len(s), 0)
	return sum[0]
}

func fold(acc *[lanes]float32) float32 {
	for w := lanes / 2; w > 0; w /= 2 {
		for i := range w {
			acc[i] += acc[i+w]
		}
	}
	return acc[0]
}

// Max returns the largest element, NaN where there is one, -Inf for none.
func Max(s []float32) float32 {
	var top [1]float32
	Along(Most, top[:], s, len(s), 0)
	return top[0]
}

// Softmax writes exp(x - max) / sum of each row of n numbers of src to dst, which
// may be src.
func Softmax(dst, src []float32, n int) {
	if len(src) == 0 {
		return
	}
	v := chosen()
	a := newArgs(dst[:n], src[:n], lanes)
	a.rows, a.step = len(src)/n, 4*n
	v.softmax(borrow(&a))
	runtime.KeepAlive(&a)
}
