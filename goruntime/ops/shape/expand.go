package shape

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Expand broadcasts a tensor to a shape, multidirectionally.
// https://onnx.ai/onnx/operators/onnx__Expand.html   Departures: none.
var Expand = op.Declare("", "Expand", func() op.Def {
	return op.Def{
		Versions: op.Versions{8: "", 13: "bfloat16"},
		Shape: func(c *op.Infer) error {
			want, err := c.Ints(1)
			if err != nil {
				return err
			}
			for _, d := range want {
				if d < 0 {
					return errs.New(errs.Shape, "shape %v has a negative dimension", tensor.Shape(want))
				}
			}
			out, err := op.BroadcastShape(c.Grow(0, c.DType(0), 0), c.In(0), want)
			if err != nil {
				return err
			}
			c.SetOutput(0, c.DType(0), out)
			_, err = out.Check(c.DType(0))
			return err
		},
		Prepare: func(c *op.Context) error {
			c.State = newStrided(c.Out(0).Shape, c.In(0).Shape.Strides(len(c.Out(0).Shape)), 0)
			return nil
		},
		Cuts: func(c *op.Infer) ([]int, bool) {
			out := c.Results()[0].Shape
			return newStrided(out, c.In(0).Strides(len(out)), 0).cuts(nil)
		},
		Run:    runStrided,
		DTypes: stridedCopies,
		Also:   map[int][]tensor.DType{1: {tensor.I64}},
	}
})
