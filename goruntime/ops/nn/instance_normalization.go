package nn

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
)

// InstanceNormalization is GroupNormalization with each channel as a group.
// InstanceNormalization1 is it before version 6.
// https://onnx.ai/onnx/operators/onnx__InstanceNormalization.html   Departures: none.
var (
	InstanceNormalization = op.Declare("", "InstanceNormalization", func() op.Def {
		return instanceNormalization(op.Versions{6: "", 22: "bfloat16"})
	})
	InstanceNormalization1 = op.Declare("", "InstanceNormalization", func() op.Def {
		return instanceNormalization(op.Versions{1: "consumed_inputs"}, op.Ints("consumed_inputs"))
	})
)

func instanceNormalization(versions op.Versions, attrs ...op.Attr) op.Def {
	return op.Widened(op.Def{
		Versions: versions, Attrs: append(attrs, op.Float("epsilon", 1e-5)), InPlace: op.FirstOnly,
		Shape: func(c *op.Infer) error {
			if x := c.In(0); len(x) < 2 {
				return errs.New(errs.Shape, "X has shape %v, a rank of 2 or more expected", x)
			}
			return paramShape(c, c.In(0)[1])
		},
		Prepare: func(c *op.Context) error { return groupNormPrepare(c, c.In(0).Shape[1], false) },
		Run:     groupNormRun, DTypes: groupNorms,
	})
}
