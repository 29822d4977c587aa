package vec

import (
	"runtime"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/kernels/cpu"
)

// Loop is an elementwise loop chosen ahead, for callers that run it on many short
// spans: Apply, Combine or Bend without the choice.
type Loop struct {
	run    func(*args)
	lanes  int
	masked bool // tails are bits
}

func newLoop(pick func(k *kernels) func(*args)) Loop {
	v := chosen()
	return Loop{pick(v.kernels), v.lanes, v.level == cpu.AVX512}
}

// FunctionLoop is the loop of Apply.
func FunctionLoop(f Function) Loop {
	return newLoop(func(k *kernels) func(*args) { return k.unary[f] })
}

// CurveLoop is the loop of Bend.
func CurveLoop(c Curve) Loop { return newLoop(func(k *kernels) func(*args) { return k.curves[c] }) }

// GridLoop is the loop of Round; b of Run is the number.
func GridLoop(g Grid) Loop { return newLoop(func(k *kernels) func(*args) { return k.grids[g] }) }

// Form says which sides of an operation are vectors.
type Form int

// The forms of an operation.
const (
	Both  Form = iota // vector with vector
	Left              // vector with number
	Right             // number with vector
)

// OperationLoop is the loop of Combine for one form.
func OperationLoop(o Operation, f Form) Loop {
	return newLoop(func(k *kernels) func(*args) { return k.binary[o][f] })
}

// Run computes n elements of dst from a and, for an operation, b; s and r are the
// parameters of a curve. Dst may be a or b.
func (l *Loop) Run(dst, a, b unsafe.Pointer, n int, s, r float32) {
	x := args{dst: dst, a: a, b: b, n: n / l.lanes, all: n, s: s, r: r, rows: 1}
	if tail := n % l.lanes; tail > 0 {
		x.masked(tail, l.masked)
	}
	l.run(borrow(&x))
	runtime.KeepAlive(&x)
}

// Rows is Run for rows of n elements that lie one behind the other, of an operation
// with a number for each row: those of b, or of a in the form Right.
func (l *Loop) Rows(dst, a, b unsafe.Pointer, n, rows int) {
	x := args{dst: dst, a: a, b: b, n: n / l.lanes, all: n, rows: rows, step: 4 * (n % l.lanes)}
	if tail := n % l.lanes; tail > 0 {
		x.masked(tail, l.masked)
	}
	l.run(borrow(&x))
	runtime.KeepAlive(&x)
}

// Over is Run for an operation on spans that are as long as dst at least.
func (l *Loop) Over(dst, a, b []float32) {
	if n := len(dst); n > 0 {
		l.Run(first(dst), first(a[:n]), first(b[:n]), n, 0, 0)
	}
}
