package vec

import (
	"math"
	"runtime"
	"unsafe"
)

// Reduction folds many numbers to one.
type Reduction int

// The reductions, in the order of the generated tables. The extremes are NaN where a
// number is.
const (
	Added Reduction = iota
	AddedMagnitudes
	AddedSquares // rounded, then added
	Most
	Least
	reductions
)

// Along reduces each row of n numbers of src to an element of dst; the rows begin step
// numbers apart. A row has sixteen results side by side, which are joined pairwise:
// those of Added have the bits of Sum.
func Along(r Reduction, dst, src []float32, n, step int) {
	switch {
	case len(dst) == 0:
		return
	case n == 0:
		for i := range dst {
			dst[i] = r.neutral()
		}
		return
	}
	_ = src[(len(dst)-1)*step+n-1]
	a := newArgs(nil, src[:n], lanes)
	a.dst, a.rows, a.step = first(dst), len(dst), 4*step
	chosen().along[r](borrow(&a))
	runtime.KeepAlive(&a)
}

// Across reduces the numbers of src that are len(dst) side by side in each of some rows,
// which begin step numbers apart, one row after the other.
func Across(r Reduction, dst, src []float32, rows, step int) {
	switch {
	case len(dst) == 0:
		return
	case rows == 0:
		for i := range dst {
			dst[i] = r.neutral()
		}
		return
	}
	_ = src[(rows-1)*step+len(dst)-1]
	v := chosen()
	a := newArgs(dst, src, v.lanes)
	a.rows, a.step = rows, 4*step
	v.across[r](borrow(&a))
	runtime.KeepAlive(&a)
}

// neutral returns what nothing is reduced to.
func (r Reduction) neutral() float32 {
	switch r {
	case Most:
		return float32(math.Inf(-1))
	case Least:
		return float32(math.Inf(1))
	default:
		return 0
	}
}

// join returns x joined with the next number.
func (r Reduction) join(x, next float32) float32 {
	switch r {
	case Most:
		return max(x, next)
	case Least:
		return min(x, next)
	default:
		return x + next
	}
}

// of returns what is joined of a number.
func (r Reduction) of(x float32) float32 {
	switch r {
	case AddedMagnitudes:
		return math.Float32frombits(math.Float32bits(x) &^ (1 << 31))
	case AddedSquares:
		return x * x
	default:
		return x
	}
}

func portableAlong(r Reduction) func(*args) {
	return func(a *args) {
		// SAFETY: there is a result for each row.
		dst := unsafe.Slice((*float32)(a.dst), a.rows)
		a.dst = nil // has a number for each row, and does not go on
		for i := range dst {
			a.next(i)
			var acc [lanes]float32
			for k := range acc {
				acc[k] = r.neutral()
			}
			for k, x := range a.slice(a.a) {
				acc[k%lanes] = r.join(acc[k%lanes], float32(r.of(x)))
			}
			for w := lanes / 2; w > 0; w /= 2 {
				for k := range w {
					acc[k] = r.join(acc[k], acc[k+w])
				}
			}
			dst[i] = acc[0]
		}
	}
}

func portableAcross(r Reduction) func(*args) {
	return func(a *args) {
		dst := a.slice(a.dst)
		a.dst = nil // is one row, which does not go on
		for i := range a.rows {
			a.next(i)
			for k, x := range a.slice(a.a) {
				if x = r.of(x); i == 0 {
					dst[k] = x
				} else {
					dst[k] = r.join(dst[k], float32(x))
				}
			}
		}
	}
}

func portably(kernel func(Reduction) func(*args)) (all [reductions]func(*args)) {
	for r := range reductions {
		all[r] = kernel(r)
	}
	return all
}
