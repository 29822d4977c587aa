package reduce

import (
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// arg32 is the kernel of f32: the extremes by vectors, then where they are. The last of
// several, and what a NaN is among, is found element by element.
func arg32() argKernel {
	any := arg[float32, float32](plain)
	return func(s *search, lo, hi int) {
		switch {
		case s.last:
			any(s, lo, hi)
		case s.inner == 1:
			s.rows32(lo, hi, any)
		default:
			s.columns32(lo, hi, any)
		}
	}
}

func (s *search) extreme() vec.Reduction {
	if s.least {
		return vec.Least
	}
	return vec.Most
}

func (s *search) rows32(lo, hi int, any argKernel) {
	out, in := tensor.Elems[int64](s.out), tensor.Elems[float32](s.in)
	var tops [block]float32
	for r := lo; r < hi; r += block {
		top := tops[:min(block, hi-r)]
		vec.Along(s.extreme(), top, in[r*s.n:], s.n, s.n)
		for i, x := range top {
			if x != x {
				any(s, r+i, r+i+1)
				continue
			}
			out[r+i] = int64(vec.Index(in[(r+i)*s.n:(r+i+1)*s.n], x))
		}
	}
}

func (s *search) columns32(lo, hi int, any argKernel) {
	out, in := tensor.Elems[int64](s.out), tensor.Elems[float32](s.in)
	var tops [block]float32
	for lo < hi {
		n := min(block, hi-lo, s.inner-lo%s.inner)
		top, found := tops[:n], out[lo:lo+n]
		from := in[lo/s.inner*s.n*s.inner+lo%s.inner:]
		vec.Across(s.extreme(), top, from, s.n, s.inner)
		for i := range found {
			found[i] = -1
		}
		for i := range s.n {
			vec.First(found, from[i*s.inner:], top, i)
		}
		for i, x := range top {
			if x != x {
				any(s, lo+i, lo+i+1)
			}
		}
		lo += n
	}
}
