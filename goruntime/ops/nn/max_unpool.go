package nn

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// MaxUnpool puts the elements of X where MaxPool took them from, zeros elsewhere.
// https://onnx.ai/onnx/operators/onnx__MaxUnpool.html   Departures: none.
// The indices count through the size that follows from the attributes; a larger
// output_shape adds zeros at the ends. Where two elements have one index, the
// last is kept.
var MaxUnpool = op.Declare("", "MaxUnpool", func() op.Def {
	return op.Def{
		Versions: op.Versions{9: "", 11: "defaults", 22: "bfloat16"},
		Attrs:    op.Attrs(op.Required("kernel_shape", op.KindInts), op.Ints("pads"), op.Ints("strides")),
		Shape: func(c *op.Infer) error {
			x := c.In(0)
			if !c.In(1).Equal(x) {
				return errs.New(errs.Shape, "X has shape %v, the indices %v: they must be alike", x, c.In(1))
			}
			out, err := unpooled(c.Attr, x)
			if err != nil {
				return err
			}
			if c.Has(2) {
				want, err := c.Ints(2)
				if err != nil {
					return err
				}
				if out, err = larger(out, want); err != nil {
					return err
				}
			}
			c.SetOutput(0, c.DType(0), out)
			return nil
		},
		Prepare: func(c *op.Context) error {
			inner, err := unpooled(c.Attr, c.In(0).Shape)
			if err != nil {
				return err
			}
			s := &unpool{inner: inner, outer: c.Out(0).Shape.Clone()}
			s.alike = s.inner.Equal(s.outer)
			c.State = s
			return nil
		},
		Run: func(c *op.Context) error { return op.Row[unpoolKernel](c)(c, c.State.(*unpool)) },
		DTypes: op.ByType(map[tensor.DType]unpoolKernel{
			tensor.F32: unpoolOf[uint32], tensor.F64: unpoolOf[uint64], tensor.F16: unpoolOf[uint16], tensor.BF16: unpoolOf[uint16],
		}),
		Also: map[int][]tensor.DType{1: {tensor.I64}, 2: {tensor.I64}},
	}
})

// unpool is the State of a MaxUnpool: the shape that indices count through, and
// that of the output.
type unpool struct {
	inner, outer tensor.Shape
	alike        bool
}

type unpoolKernel func(c *op.Context, s *unpool) error

// unpooled returns the shape of what MaxPool made x of.
func unpooled(a *op.Values, x tensor.Shape) (tensor.Shape, error) {
	kernel := a.Ints("kernel_shape")
	n := len(kernel)
	if len(x) != n+2 {
		return nil, errs.New(errs.Shape, "X has shape %v, kernel_shape is %v: one entry for each spatial dimension expected", x, kernel)
	}
	strides, pads := orOnes(a.Ints("strides"), n), a.Ints("pads")
	if pads == nil {
		pads = make([]int, 2*n)
	}
	if len(strides) != n || len(pads) != 2*n {
		return nil, errs.New(errs.Shape, "strides %v and pads %v do not fit the %d spatial dimensions", strides, pads, n)
	}
	out := x.Clone()
	for i := range n {
		out[2+i] = (x[2+i]-1)*strides[i] - pads[i] - pads[n+i] + kernel[i]
		if out[2+i] < 0 {
			return nil, errs.New(errs.Shape, "dimension %d of %d becomes %d", 2+i, x[2+i], out[2+i])
		}
	}
	return out, nil
}

// larger returns the wanted shape, which no dimension of out may exceed.
func larger(out tensor.Shape, want []int) (tensor.Shape, error) {
	bad := len(want) != len(out)
	for i := 0; !bad && i < len(out); i++ {
		bad = want[i] < out[i]
	}
	if bad {
		return nil, errs.New(errs.Shape, "output_shape is %v: it must be at least %v", want, out)
	}
	return want, nil
}

func unpoolOf[T any](c *op.Context, s *unpool) error {
	x, index, out := tensor.Elems[T](c.In(0)), tensor.Elems[int64](c.In(1)), tensor.Elems[T](c.Out(0))
	clear(out)
	n := int64(s.inner.Elements())
	for i, at := range index {
		if at < 0 || at >= n {
			return errs.New(errs.Compute, "index %d at position %d is outside the %d elements of shape %v", at, i, n, s.inner)
		}
		out[s.place(int(at))] = x[i]
	}
	return nil
}

// place returns where element at of the inner shape lies in the outer one.
func (s *unpool) place(at int) int {
	if s.alike {
		return at
	}
	to, step := 0, 1
	for d := len(s.inner) - 1; d >= 0; d-- {
		to += at % s.inner[d] * step
		at /= s.inner[d]
		step *= s.outer[d]
	}
	return to
}
