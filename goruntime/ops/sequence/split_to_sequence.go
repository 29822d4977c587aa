package sequence

import (
	"slices"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
	"github.com/goruntime/goruntime/goruntime/values"
)

// SplitToSequence cuts a tensor along an axis into the elements of a sequence.
// https://onnx.ai/onnx/operators/onnx__SplitToSequence.html   Departures: none.
var SplitToSequence = op.Declare("", "SplitToSequence", func() op.Def {
	return op.Def{
		Versions: op.Versions{11: "", 24: "more types"},
		Attrs:    op.Attrs(op.Int("axis", 0), op.Int("keepdims", 1)),
		Control:  true,
		Computes: true,
		Run:      splitToSequenceRun,
	}
})

func splitToSequenceRun(c *op.Context) error {
	data := c.In(0)
	axis, err := tensor.Axis(c.Attr.Int("axis"), len(data.Shape))
	if err != nil {
		return err
	}
	sizes, err := splitSizes(c, data.Shape[axis])
	if err != nil {
		return err
	}
	s := values.New(values.Sequence)
	var p piece
	p.outer, p.all, p.inner = data.Shape.Around(axis)
	for _, n := range sizes {
		shape := data.Shape.Clone()
		if shape[axis] = n; !c.Has(1) && !c.Attr.Bool("keepdims") {
			shape = slices.Delete(shape, axis, axis+1)
		}
		e, err := c.Element(data.DType, shape)
		if err != nil {
			s.Release()
			return err
		}
		p.n = n
		p.move(data, &e.View, false)
		p.lo += n
		s.Items = append(s.Items, e)
	}
	return c.SetValue(0, s)
}

// splitSizes returns the lengths of the parts of an axis of n.
func splitSizes(c *op.Context, n int) ([]int, error) {
	if !c.Has(1) {
		return slices.Repeat([]int{1}, n), nil
	}
	list, err := c.Ints(1)
	if err != nil {
		return nil, err
	}
	if len(c.In(1).Shape) > 1 {
		return nil, errs.New(errs.Shape, "split has shape %v, a scalar or a tensor of rank 1 expected", c.In(1).Shape)
	}
	if len(c.In(1).Shape) == 1 {
		sum := 0
		for _, k := range list {
			if k < 0 {
				return nil, errs.New(errs.Compute, "split holds %d: lengths may not be negative", k)
			}
			sum += k
		}
		if sum != n {
			return nil, errs.New(errs.Shape, "the lengths of split add up to %d, the axis has %d: they must be equal", sum, n)
		}
		return list, nil
	}
	each := list[0]
	if each <= 0 {
		return nil, errs.New(errs.Compute, "split is %d: a scalar split must be positive", each)
	}
	sizes := slices.Repeat([]int{each}, n/each)
	if rest := n % each; rest > 0 {
		sizes = append(sizes, rest)
	}
	return sizes, nil
}
