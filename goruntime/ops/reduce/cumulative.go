package reduce

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// CumSum and CumProd give the sums or products of the elements up to each along an
// axis, from either end, with or without the element itself. The 16-bit types are
// accumulated in f32 and rounded for each output.
// https://onnx.ai/onnx/operators/onnx__CumSum.html (CumProd)   Departures: none.
var (
	CumSum = op.Declare("", "CumSum", func() op.Def {
		return cumulative(op.Versions{11: "", 14: "16-bit types"}, false)
	})
	CumProd = op.Declare("", "CumProd", func() op.Def {
		return cumulative(op.Versions{26: ""}, true)
	})
)

func cumulative(versions op.Versions, product bool) op.Def {
	return op.Def{
		Versions: versions, Attrs: op.Attrs(op.Int("exclusive", 0), op.Int("reverse", 0)), Shape: op.SameAsInput,
		Prepare: func(c *op.Context) error { return cumulativePrepare(c, product) },
		Run: func(c *op.Context) error {
			s := c.State.(*scan)
			s.kernel, s.out, s.in = op.Row[scanKernel](c), c.Out(0), c.In(0)
			if s.in.Elements() > 0 {
				c.For(s.outer*s.inner, max(1, (16<<10)/s.n), s)
			}
			return nil
		},
		DTypes: op.ByType(map[tensor.DType]scanKernel{
			tensor.F32: scanRows(singles), tensor.F64: scanRows(counted[float64]),
			tensor.I32: scanRows(counted[int32]), tensor.I64: scanRows(counted[int64]),
			tensor.U32: scanRows(counted[uint32]), tensor.U64: scanRows(counted[uint64]),
			tensor.F16: scanOf[uint16, float32](half), tensor.BF16: scanOf[uint16, float32](bfloat),
		}),
		Also: map[int][]tensor.DType{1: {tensor.I32, tensor.I64}},
	}
}

// scan is the State: the tensor is outer x n x inner, accumulated along n.
type scan struct {
	outer, n, inner    int
	exclusive, reverse bool
	product            bool
	kernel             scanKernel
	out, in            *tensor.View
}

// scanKernel accumulates the rows [lo, hi) of outer x inner.
type scanKernel func(s *scan, lo, hi int)

func cumulativePrepare(c *op.Context, product bool) error {
	list, err := c.Ints(1)
	if err != nil {
		return err
	}
	if len(list) != 1 {
		return errs.New(errs.Shape, "axis has %d elements, one expected", len(list))
	}
	in := c.In(0).Shape
	axis, err := tensor.Axis(list[0], len(in))
	if err != nil {
		return err
	}
	s, ok := c.State.(*scan)
	if !ok {
		s = &scan{}
		c.State = s
	}
	*s = scan{exclusive: c.Attr.Bool("exclusive"), reverse: c.Attr.Bool("reverse"), product: product}
	s.outer, s.n, s.inner = in.Around(axis)
	return nil
}

// Chunk implements op.Task over the rows.
func (s *scan) Chunk(lo, hi int) { s.kernel(s, lo, hi) }

// combine writes the sums or products of numbers side by side to dst.
type combine[T any] func(dst, a, b []T, product bool)

func singles(dst, a, b []float32, product bool) {
	if product {
		vec.Combine(vec.Times, dst, a, b)
	} else {
		vec.Combine(vec.Plus, dst, a, b)
	}
}

func counted[T vec.Counted](dst, a, b []T, product bool) {
	if product {
		vec.Numbers(vec.AnyTimes, dst, a, b)
	} else {
		vec.Numbers(vec.AnyPlus, dst, a, b)
	}
}

// scanRows combines whole rows where they lie side by side.
func scanRows[T number](f combine[T]) scanKernel {
	return func(s *scan, lo, hi int) {
		if s.inner == 1 {
			for r := lo; r < hi; r++ {
				scanRow[T, T](s, r*s.n, plain)
			}
			return
		}
		for lo < hi {
			w := min(hi-lo, s.inner-lo%s.inner)
			scanBeside(s, f, lo, w)
			lo += w
		}
	}
}

// scanBeside accumulates w rows that lie side by side, from a row on.
func scanBeside[T number](s *scan, f combine[T], row, w int) {
	out, in := tensor.Elems[T](s.out), tensor.Elems[T](s.in)
	neutral := T(0)
	if s.product {
		neutral = 1
	}
	at, step := row/s.inner*s.n*s.inner+row%s.inner, s.inner
	if s.reverse {
		at, step = at+(s.n-1)*s.inner, -s.inner
	}
	for i := range s.n {
		switch now, before := out[at:at+w], at-step; {
		case i == 1 && s.exclusive: // as it is, the sign of a zero too
			copy(now, in[before:before+w])
		case i > 0 && s.exclusive:
			f(now, out[before:before+w], in[before:before+w], s.product)
		case i > 0:
			f(now, out[before:before+w], in[at:at+w], s.product)
		case s.exclusive:
			for k := range now {
				now[k] = neutral
			}
		default:
			copy(now, in[at:at+w])
		}
		at += step
	}
}

// scanOf accumulates elements T as numbers A, rows that lie side by side together.
func scanOf[T, A number](as format) scanKernel {
	return func(s *scan, lo, hi int) {
		if s.inner == 1 {
			for r := lo; r < hi; r++ {
				scanRow[T, A](s, r*s.n, as)
			}
			return
		}
		var accs, room [block]A
		for lo < hi {
			w := min(block, hi-lo, s.inner-lo%s.inner)
			acc, x := accs[:w], room[:w]
			for k := range acc {
				acc[k] = 0
				if s.product {
					acc[k] = 1
				}
			}
			at, step := lo/s.inner*s.n*s.inner+lo%s.inner, s.inner
			if s.reverse {
				at, step = at+(s.n-1)*s.inner, -s.inner
			}
			for i := range s.n {
				load[T](x, s.in, at, as)
				if s.exclusive {
					storeAll[T](s.out, at, acc, as)
				}
				if i == 0 { // copied as it is, the sign of a zero too
					copy(acc, x)
				} else {
					accumulateRow(acc, x, s.product)
				}
				if !s.exclusive {
					storeAll[T](s.out, at, acc, as)
				}
				at += step
			}
			lo += w
		}
	}
}

// scanRow accumulates the elements of one row, which starts at from, read and
// written by blocks.
func scanRow[T, A number](s *scan, from int, as format) {
	var room [block]A
	acc := A(0)
	if s.product {
		acc = 1
	}
	for done := 0; done < s.n; done += block {
		x := room[:min(block, s.n-done)]
		at := from + done
		if s.reverse {
			at = from + s.n - done - len(x)
		}
		load[T](x, s.in, at, as)
		for i := range x {
			k := i
			if s.reverse {
				k = len(x) - 1 - i
			}
			before := acc
			switch {
			case done+i == 0:
				acc = x[k]
			case s.product:
				acc *= x[k]
			default:
				acc += x[k]
			}
			x[k] = acc
			if s.exclusive {
				x[k] = before
			}
		}
		storeAll[T](s.out, at, x, as)
	}
}

func accumulateRow[A number](acc, x []A, product bool) {
	x = x[:len(acc)]
	if product {
		for k, v := range x {
			acc[k] *= v
		}
		return
	}
	for k, v := range x {
		acc[k] += v
	}
}

// storeAll writes elements from an offset on.
func storeAll[T, A number](v *tensor.View, from int, x []A, as format) {
	if as == plain {
		for k, dst := 0, tensor.Elems[T](v)[from:from+len(x)]; k < len(x); k++ {
			dst[k] = T(x[k])
		}
		return
	}
	for k, a := range x {
		store[T](v, from+k, a, as)
	}
}
