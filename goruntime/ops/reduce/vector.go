package reduce

import (
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// How many numbers are added in f32 before their sum goes to a float64: side by side, in
// sixteen sums, and one row after another.
const (
	partRun  = 4096
	partRows = 32
)

// wide is how many outputs that lie side by side are folded together.
const wide = 4 * block

// vector folds f32 by vector kernels.
type vector struct {
	by    vec.Reduction
	rule  rule[float64] // joins what the kernels return
	exact bool          // which is an element
	any   kernel        // folds whatever there is, in float64
}

// reduce32 is the kernel of a rule for f32.
func reduce32(r rule[float64]) kernel {
	v := &vector{rule: r, exact: r.method == largest || r.method == smallest, any: reduceBy[float32](plain, r)}
	switch r.method {
	case products:
		return v.any
	case largest:
		v.by = vec.Most
	case smallest:
		v.by = vec.Least
	case magnitudes:
		v.by, v.rule.method = vec.AddedMagnitudes, sums
	case squares:
		v.by, v.rule.method = vec.AddedSquares, sums
	default:
		v.by = vec.Added
	}
	return v.run
}

func (v *vector) run(f *fold, lo, hi int) {
	switch {
	case f.count == 0 || lo == hi:
		v.any(f, lo, hi)
	case f.run == 0:
		v.columns(f, lo, hi)
	case f.segments == 1 && f.run <= partRun && f.start(hi-1)-f.start(lo) == (hi-1-lo)*f.run:
		v.rows(f, lo, hi)
	default:
		v.segments(f, lo, hi)
	}
}

// rows folds rows that lie one behind the other.
func (v *vector) rows(f *fold, lo, hi int) {
	out := tensor.Elems[float32](f.out)[lo:hi]
	vec.Along(v.by, out, tensor.Elems[float32](f.in)[f.start(lo):], f.run, f.run)
	if v.exact {
		return
	}
	for i, x := range out {
		switch acc := float64(x); {
		case v.unsure(acc):
			v.any(f, lo+i, lo+i+1)
		case v.rule.end != nil:
			out[i] = float32(v.rule.end(acc, f.count))
		}
	}
}

// segments folds one output after another.
func (v *vector) segments(f *fold, lo, hi int) {
	in := tensor.Elems[float32](f.in)
	var room [block]float32
	for i := lo; i < hi; i++ {
		first, acc := f.start(i), v.rule.neutral
		for k := 0; k < f.segments; {
			n, step := f.alike(k, block)
			at := first + f.segment(k)
			k += n
			if f.run <= partRun {
				vec.Along(v.by, room[:n], in[at:], f.run, step)
				acc = v.join(acc, room[:n])
				continue
			}
			for ; n > 0; n-- {
				for done := 0; done < f.run; done += partRun {
					vec.Along(v.by, room[:1], in[at+done:], min(partRun, f.run-done), 0)
					acc = v.join(acc, room[:1])
				}
				at += step
			}
		}
		v.finish(f, i, []float64{acc})
	}
}

func (v *vector) join(acc float64, parts []float32) float64 {
	switch v.rule.method {
	case largest:
		return max(acc, float64(vec.Max(parts)))
	case smallest:
		for _, x := range parts {
			acc = min(acc, float64(x))
		}
	default:
		for _, x := range parts {
			acc += float64(x)
		}
	}
	return acc
}

// columns folds outputs that lie side by side.
func (v *vector) columns(f *fold, lo, hi int) {
	for lo < hi {
		n := f.together(lo, hi, wide)
		if v.exact {
			v.extremes(f, lo, n)
		} else {
			v.totals(f, lo, n)
		}
		lo += n
	}
}

func (v *vector) extremes(f *fold, lo, n int) {
	in, out, first := tensor.Elems[float32](f.in), tensor.Elems[float32](f.out)[lo:lo+n], f.start(lo)
	var room [wide]float32
	for s := 0; s < f.segments; {
		rows, step := f.alike(s, f.segments)
		part := room[:n]
		if s == 0 {
			part = out
		}
		vec.Across(v.by, part, in[first+f.segment(s):], rows, step)
		switch {
		case s == 0:
		case v.by == vec.Most:
			vec.Combine(vec.Larger, out, out, part)
		default:
			vec.Combine(vec.Smaller, out, out, part)
		}
		s += rows
	}
}

func (v *vector) totals(f *fold, lo, n int) {
	in, first := tensor.Elems[float32](f.in), f.start(lo)
	var parts [wide]float32
	var accs [wide]float64
	part, acc := parts[:n], accs[:n]
	for s := 0; s < f.segments; {
		rows, step := f.alike(s, partRows)
		vec.Across(v.by, part, in[first+f.segment(s):], rows, step)
		s += rows
		addTo(acc, part)
	}
	v.finish(f, lo, acc)
}

// addTo adds to each sum the part beside it.
func addTo(acc []float64, part []float32) {
	part = part[:len(acc)]
	for k, x := range part {
		acc[k] += float64(x)
	}
}

// The sums of squares that f32 has all digits of.
const (
	leastSquares = 0x1p-100
	mostSum      = 0x1p+126
)

// unsure reports whether f32 may have had no room for the numbers on the way to a fold.
func (v *vector) unsure(acc float64) bool {
	return !v.exact && (!(acc < mostSum && acc > -mostSum) || v.by == vec.AddedSquares && acc < leastSquares)
}

// finish writes the outputs from lo on. Those that are unsure are folded in float64 once
// more.
func (v *vector) finish(f *fold, lo int, acc []float64) {
	out := tensor.Elems[float32](f.out)[lo : lo+len(acc)]
	for i, x := range acc {
		switch {
		case v.unsure(x):
			v.any(f, lo+i, lo+i+1)
		case v.rule.end != nil:
			out[i] = float32(v.rule.end(x, f.count))
		default:
			out[i] = float32(x)
		}
	}
}
