package shape

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Concat joins tensors along one axis.
// https://onnx.ai/onnx/operators/onnx__Concat.html   Departures: none.
var Concat = op.Declare("", "Concat", func() op.Def {
	return op.Def{
		Halves:   op.KeptHalves,
		Versions: op.Versions{4: "axis is required", 11: "negative axes", 13: "bfloat16"},
		Attrs:    op.Attrs(op.Required("axis", op.KindInt)),
		Shape:    concatShape,
		Prepare:  concatPrepare,
		Run:      concatRun,
		DTypes:   wholeBytes,
		Joins:    concatJoins,
		Appends:  outermost,
	}
})

// Concat1 is Concat before version 4, whose axis has a default.
var Concat1 = op.Declare("", "Concat", func() op.Def {
	return op.Def{
		Halves:   op.KeptHalves,
		Versions: op.Versions{1: "axis has a default"},
		Attrs:    op.Attrs(op.Int("axis", 1)),
		Shape:    concatShape,
		Prepare:  concatPrepare,
		Run:      concatRun,
		DTypes:   wholeBytes,
		Joins:    concatJoins,
		Appends:  outermost,
	}
})

func concatShape(c *op.Infer) error {
	first := c.In(0)
	axis, err := c.Axis("axis", len(first))
	if err != nil {
		return err
	}
	out := c.Grow(0, c.DType(0), len(first))
	copy(out, first)
	for k := 1; k < c.Inputs(); k++ {
		s := c.In(k)
		if c.DType(k) != c.DType(0) {
			return errs.New(errs.Type, "input %d is %v, input 0 is %v: all must be alike", k, c.DType(k), c.DType(0))
		}
		if len(s) != len(first) {
			return errs.New(errs.Shape, "input %d has shape %v, input 0 has shape %v: the ranks must be equal", k, s, first)
		}
		for i, d := range s {
			if i != axis && d != first[i] {
				return errs.New(errs.Shape, "input %d has shape %v, input 0 has shape %v: they may differ in axis %d only", k, s, first, axis)
			}
		}
		out[axis] += s[axis]
	}
	_, err = out.Check(c.DType(0))
	return err
}

// concatJoins tells whether columns are put side by side.
func concatJoins(c *op.Infer) bool {
	if len(c.In(0)) != 2 {
		return false
	}
	axis, err := c.Axis("axis", 2)
	return err == nil && axis == 1 && op.JoinsColumns(c)
}

// outermost reports whether the axis of a Concat or a Split has no dimension of more than
// one index before it: the parts then lie one behind the other.
func outermost(c *op.Infer) bool {
	axis, err := c.Axis("axis", len(c.In(0)))
	return err == nil && c.In(0)[:axis].Elements() == 1
}

func concatPrepare(c *op.Context) error {
	out := c.Out(0)
	axis, err := tensor.Axis(c.Attr.Int("axis"), len(out.Shape))
	if err != nil {
		return err
	}
	sizes := make([]int, c.Inputs())
	for k := range sizes {
		sizes[k] = c.In(k).Shape[axis]
	}
	c.State = newBlocks(out, axis, sizes, true)
	return nil
}

func concatRun(c *op.Context) error {
	b := c.State.(*blocks)
	b.whole = c.Out(0).Raw()
	if b.thin {
		b.matrix = tensor.View{DType: c.Out(0).DType, Shape: c.Out(0).Shape, Data: c.Out(0).Data, Columns: b.matrix.Columns[:0]}
	}
	for k := range b.parts {
		b.parts[k].data = c.In(k).Raw()
		if b.thin {
			b.matrix.Columns = append(b.matrix.Columns, c.In(k).Data)
		}
	}
	b.settle()
	b.run(c)
	return nil
}
