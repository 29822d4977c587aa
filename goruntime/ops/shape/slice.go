package shape

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Slice takes a range with a step out of each named axis, as NumPy does.
// https://onnx.ai/onnx/operators/onnx__Slice.html   Departures: none.
var Slice = op.Declare("", "Slice", func() op.Def {
	return op.Def{
		Halves:   op.KeptHalves,
		Versions: op.Versions{10: "ranges are inputs, steps", 11: "negative axes", 13: "bfloat16"},
		Shape: func(c *op.Infer) error {
			r, err := inputRanges(c)
			if err != nil {
				return err
			}
			in := c.In(0)
			out := c.Grow(0, c.DType(0), len(in))
			copy(out, in)
			return r.apply(in, out, nil, nil)
		},
		Prepare: func(c *op.Context) error {
			r, err := inputRanges(c)
			if err != nil {
				return err
			}
			return sliceCopy(c, &r)
		},
		Cuts: func(c *op.Infer) ([]int, bool) {
			r, err := inputRanges(c)
			if err != nil {
				return nil, false
			}
			return sliceCuts(c, &r)
		},
		Run:    runStrided,
		DTypes: stridedCopies,
		Also: map[int][]tensor.DType{
			1: {tensor.I32, tensor.I64}, 2: {tensor.I32, tensor.I64}, 3: {tensor.I32, tensor.I64}, 4: {tensor.I32, tensor.I64},
		},
	}
})

// Slice1 is Slice before version 10: the ranges are attributes, without steps.
var Slice1 = op.Declare("", "Slice", func() op.Def {
	return op.Def{
		Halves:   op.KeptHalves,
		Versions: op.Versions{1: "ranges are attributes"},
		Attrs:    op.Attrs(op.Required("starts", op.KindInts), op.Required("ends", op.KindInts), op.Ints("axes")),
		Shape: func(c *op.Infer) error {
			in := c.In(0)
			out := c.Grow(0, c.DType(0), len(in))
			copy(out, in)
			return attrRanges(c.Attr).apply(in, out, nil, nil)
		},
		Prepare: func(c *op.Context) error { return sliceCopy(c, attrRanges(c.Attr)) },
		Cuts:    func(c *op.Infer) ([]int, bool) { return sliceCuts(c, attrRanges(c.Attr)) },
		Run:     runStrided,
		DTypes:  stridedCopies,
	}
})

// inputRanges reads the ranges of a Slice from its inputs.
func inputRanges(c intReader) (r ranges, err error) {
	if r.starts, err = c.Ints(1); err != nil {
		return r, err
	}
	if r.ends, err = c.Ints(2); err != nil {
		return r, err
	}
	if r.axes, err = optionalInts(c, 3); err != nil {
		return r, err
	}
	r.steps, err = optionalInts(c, 4)
	return r, err
}

// ranges are what a Slice takes; axes nil are the first ones, steps nil are 1.
type ranges struct{ starts, ends, axes, steps []int }

func attrRanges(a *op.Values) *ranges {
	return &ranges{starts: a.Ints("starts"), ends: a.Ints("ends"), axes: a.Ints("axes")}
}

func sliceCopy(c *op.Context, r *ranges) error {
	s, err := r.strided(c.In(0).Shape)
	c.State = s
	return err
}

// sliceCuts tells where a Slice begins that lies in one piece.
func sliceCuts(c *op.Infer, r *ranges) ([]int, bool) {
	s, err := r.strided(c.In(0))
	return s.cuts(err)
}

// strided returns the copy that takes the ranges out of a tensor of this shape.
func (r *ranges) strided(in tensor.Shape) (*strided, error) {
	out := in.Clone()
	from, step := make([]int, len(in)), make([]int, len(in))
	for i := range step {
		step[i] = 1
	}
	if err := r.apply(in, out, from, step); err != nil {
		return nil, err
	}
	strides := in.Strides(len(in))
	start := 0
	for i := range strides {
		start += from[i] * strides[i]
		strides[i] *= step[i]
	}
	return newStrided(out, strides, start), nil
}

// apply writes the sizes of the ranges to out and, where not nil, their first
// indices and steps to from and step.
func (r *ranges) apply(in, out tensor.Shape, from, step []int) error {
	if len(r.ends) != len(r.starts) || (r.axes != nil && len(r.axes) != len(r.starts)) || (r.steps != nil && len(r.steps) != len(r.starts)) {
		return errs.New(errs.Shape, "%d starts, %d ends, %d axes and %d steps given: they must be as many", len(r.starts), len(r.ends), len(r.axes), len(r.steps))
	}
	for k := range r.starts {
		a, by := k, 1
		if r.axes != nil {
			a = r.axes[k]
		}
		axis, err := tensor.Axis(a, len(in))
		if err != nil {
			return err
		}
		if r.steps != nil {
			by = r.steps[k]
		}
		if by == 0 {
			return errs.New(errs.Shape, "the step of axis %d is 0", axis)
		}
		lo, n := clampRange(r.starts[k], r.ends[k], by, in[axis])
		out[axis] = n
		if from != nil {
			from[axis], step[axis] = lo, by
		}
	}
	return nil
}

// clampRange returns the first index and the number of indices of
// start:end:step in a dimension of size d, by the rules of the specification:
// negative positions count from the end, all are clamped.
func clampRange(start, end, step, d int) (first, n int) {
	if start < 0 {
		start += d // from INT_MIN stays far below 0
	}
	if end < 0 {
		end += d
	}
	if step > 0 {
		start, end = min(max(start, 0), d), min(max(end, 0), d)
		if end <= start {
			return 0, 0
		}
		return start, (end-start-1)/step + 1
	}
	start, end = min(max(start, 0), d-1), min(max(end, -1), d-1)
	if start <= end {
		return 0, 0
	}
	return start, (start-end-1)/-step + 1
}
