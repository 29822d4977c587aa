package index

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// GatherElements picks single elements: output[i][j] = data[indices[i][j]][j]
// for axis 0.
// https://onnx.ai/onnx/operators/onnx__GatherElements.html   Departures: none.
var GatherElements = op.Declare("", "GatherElements", func() op.Def {
	return op.Def{
		Versions: op.Versions{11: "", 13: "bfloat16"},
		Attrs:    op.Attrs(op.Int("axis", 0)),
		Shape: func(c *op.Infer) error {
			if err := elementsFit(c, c.In(1), "indices"); err != nil {
				return err
			}
			c.SetOutput(0, c.DType(0), c.In(1))
			return nil
		},
		Prepare: elementsPrepare,
		Run:     takeRun,
		DTypes:  takeRows,
		Also:    map[int][]tensor.DType{1: {tensor.I32, tensor.I64}},
	}
})

// elementsFit checks that indices of this shape lie within data but for the
// axis.
func elementsFit(c *op.Infer, indices tensor.Shape, name string) error {
	data := c.In(0)
	axis, err := c.Axis("axis", len(data))
	if err != nil {
		return err
	}
	if len(indices) != len(data) {
		return errs.New(errs.Shape, "%s has shape %v, data has shape %v: the ranks must be equal", name, indices, data)
	}
	for a, d := range indices {
		if a != axis && d > data[a] {
			return errs.New(errs.Shape, "%s has shape %v, data has shape %v: only axis %d may be longer", name, indices, data, axis)
		}
	}
	return nil
}

func elementsPrepare(c *op.Context) error {
	axis, err := tensor.Axis(c.Attr.Int("axis"), len(c.In(0).Shape))
	if err != nil {
		return err
	}
	c.State = newElements(c.In(0), c.In(1), axis)
	return nil
}
