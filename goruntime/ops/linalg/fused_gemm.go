package linalg

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// FusedGemm is Gemm followed by an activation.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.FusedGemm
// Departures: f32 only, as on ONNX Runtime's CPU.
var FusedGemm = op.Declare("com.microsoft", "FusedGemm", func() op.Def {
	return op.Def{
		Versions: op.Versions{1: ""}, Needs: []int{0, 1},
		Attrs: append(op.Attrs(op.String("activation", ""), op.Optional("activation_alpha", op.KindFloat), op.Optional("activation_beta", op.KindFloat),
			op.Optional("activation_gamma", op.KindFloat)), Gemm.Def().Attrs...),
		Shape: func(c *op.Infer) error {
			if err := c.Alike(0, 1, 2); err != nil {
				return err
			}
			return gemmShape(c)
		},
		Prepare: func(c *op.Context) error {
			if err := gemmPrepare(c); err != nil {
				return err
			}
			var params []float32
			for _, name := range []string{"activation_alpha", "activation_beta", "activation_gamma"} {
				if c.Attr.Has(name) {
					params = append(params, c.Attr.Float(name))
				}
			}
			f := vec.Activation(c.Attr.Str("activation"), params...)
			if f == nil {
				return errs.New(errs.Unsupported, "activation %q with the parameters %v is not supported", c.Attr.Str("activation"), params)
			}
			c.State.(*gemmState[float32]).act = f
			return nil
		},
		Run:    gemmRun,
		DTypes: op.ByType(map[tensor.DType]gemmKernel{tensor.F32: gemmOf(scaleFloats[float32])}),
	}
})
