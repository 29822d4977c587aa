package ml

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// LinearRegressor gives X * coefficients + intercepts for each target.
// https://onnx.ai/onnx/operators/onnx_aionnxml_LinearRegressor.html
// Departures: none. ONNX Runtime transforms a single target by PROBIT only.
var LinearRegressor = op.Declare(Domain, "LinearRegressor", func() op.Def {
	return op.Def{
		Versions: op.Versions{1: ""},
		Attrs:    op.Attrs(op.Floats("coefficients"), op.Floats("intercepts"), op.String("post_transform", "NONE"), op.Int("targets", 1)),
		Shape: func(c *op.Infer) error {
			if err := matrixShape(c.In(0)); err != nil {
				return err
			}
			targets := c.Attr.Int("targets")
			if targets < 1 || targets > mostTargets {
				return errs.New(errs.Model, "targets is %d: it must lie in [1, %d]", targets, mostTargets)
			}
			out := c.Grow(0, tensor.F32, 2)
			out[0], out[1] = rowsOf(c.In(0)), targets
			return nil
		},
		Prepare: func(c *op.Context) error {
			t, err := transformOf(c.Attr.Str("post_transform"))
			if err != nil {
				return err
			}
			f, err := newAffine(c, c.Attr.Int("targets"))
			if err == nil {
				f.transform = t
				c.State = f
			}
			return err
		},
		Run: func(c *op.Context) error {
			f := c.State.(*affine)
			f.out = *c.Out(0)
			f.run(c, op.Row[affineKernel](c))
			return nil
		},
		DTypes:  affineKernels,
		Columns: op.AnyMatrix,
	}
})
