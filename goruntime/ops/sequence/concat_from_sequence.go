package sequence

import (
	"slices"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
	"github.com/goruntime/goruntime/goruntime/values"
)

// ConcatFromSequence joins the elements of a sequence along an axis, which may be
// a new one.
// https://onnx.ai/onnx/operators/onnx__ConcatFromSequence.html   Departures: none.
var ConcatFromSequence = op.Declare("", "ConcatFromSequence", func() op.Def {
	return op.Def{
		Versions: op.Versions{11: ""},
		Attrs:    op.Attrs(op.Required("axis", op.KindInt), op.Int("new_axis", 0)),
		Control:  true,
		Computes: true,
		Run:      concatFromSequenceRun,
	}
})

func concatFromSequenceRun(c *op.Context) error {
	items, err := c.Items(0, values.Sequence)
	if err != nil {
		return err
	}
	if len(items) == 0 {
		return errEmpty()
	}
	first := &items[0].View
	rank, stack := len(first.Shape), c.Attr.Bool("new_axis")
	if stack {
		rank++
	}
	axis, err := tensor.Axis(c.Attr.Int("axis"), rank)
	if err != nil {
		return err
	}
	shape, err := joined(items, axis, stack)
	if err != nil {
		return err
	}
	out, err := c.MakeOutputTensor(0, first.DType, shape)
	if err != nil {
		return err
	}
	var p piece
	p.outer, p.all, p.inner = shape.Around(axis)
	for _, item := range items {
		if p.n = 1; !stack {
			p.n = item.View.Shape[axis]
		}
		p.move(out, &item.View, true)
		p.lo += p.n
	}
	return nil
}

// joined returns the shape of the items joined along axis.
func joined(items []*values.Value, axis int, stack bool) (tensor.Shape, error) {
	first := &items[0].View
	sum := 0
	for i, item := range items {
		v := &item.View
		if item.Kind != values.Tensor || v.DType != first.DType {
			return nil, errs.New(errs.Type, "element %d is %v, the first is %v: they must be of one type", i, item, items[0])
		}
		if !stack && len(v.Shape) == len(first.Shape) && len(v.Shape) > 0 {
			sum += v.Shape[axis]
			v = &tensor.View{Shape: slices.Clone(v.Shape)}
			v.Shape[axis] = first.Shape[axis]
		}
		if !v.Shape.Equal(first.Shape) {
			return nil, errs.New(errs.Shape, "element %d is %v, the first is %v: they must be alike but for axis %d", i, item, items[0], axis)
		}
	}
	if stack {
		return slices.Insert(first.Shape.Clone(), axis, len(items)), nil
	}
	shape := first.Shape.Clone()
	shape[axis] = sum
	return shape, nil
}

func errEmpty() error {
	return errs.New(errs.Compute, "the sequence is empty, at least one element expected")
}
