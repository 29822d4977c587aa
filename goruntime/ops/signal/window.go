package signal

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/wide"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// HannWindow is sin(pi n / N)^2, where N is the size, or with periodic 0 one
// less. A symmetric window of one element is 1, as SciPy has it.
// https://onnx.ai/onnx/operators/onnx__HannWindow.html   Departures: none.
var HannWindow = op.Declare("", "HannWindow", func() op.Def {
	return window(func(turn float64) float64 { return 0.5 - 0.5*math.Cos(turn) })
})

// HammingWindow is 25/46 - 21/46 cos(2 pi n / N).
// https://onnx.ai/onnx/operators/onnx__HammingWindow.html   Departures: none.
var HammingWindow = op.Declare("", "HammingWindow", func() op.Def {
	return window(func(turn float64) float64 { return 25.0/46 - 21.0/46*math.Cos(turn) })
})

// BlackmanWindow is 0.42 - 0.5 cos(2 pi n / N) + 0.08 cos(4 pi n / N).
// https://onnx.ai/onnx/operators/onnx__BlackmanWindow.html   Departures: none.
var BlackmanWindow = op.Declare("", "BlackmanWindow", func() op.Def {
	return window(func(turn float64) float64 {
		return 0.42 - 0.5*math.Cos(turn) + 0.08*math.Cos(2*turn)
	})
})

// outputTypes are the element types that windows and MelWeightMatrix may have.
var outputTypes = []tensor.DType{
	tensor.F32, tensor.F64, tensor.F16, tensor.BF16, tensor.I8, tensor.I16, tensor.I32, tensor.I64, tensor.U8, tensor.U16, tensor.U32, tensor.U64,
}

// outputType returns the attribute output_datatype.
func outputType(a *op.Values) (tensor.DType, error) {
	n := a.Int("output_datatype")
	for _, d := range outputTypes {
		if int(d) == n {
			return d, nil
		}
	}
	return 0, errs.New(errs.Argument, "output_datatype is %d: it must be a type of number", n)
}

// window declares a window function, of the angle that element n lies at.
func window(f func(turn float64) float64) op.Def {
	return op.Def{
		Versions: op.Versions{17: ""},
		Attrs:    op.Attrs(op.Int("output_datatype", 1), op.Int("periodic", 1)),
		Shape: func(c *op.Infer) error {
			n, err := single(c.Ints, 0, "size")
			if err != nil {
				return err
			}
			d, err := outputType(c.Attr)
			if err != nil {
				return err
			}
			if n < 0 {
				return errs.New(errs.Shape, "size is %d: it must not be negative", n)
			}
			out := c.Grow(0, d, 1)
			out[0] = n
			_, err = out.Check(d)
			return err
		},
		Prepare: func(c *op.Context) error {
			c.NeedWorkspace(8 * c.Out(0).Elements())
			return nil
		},
		Run: func(c *op.Context) error {
			list := op.WorkspaceOf[float64](c)
			n := len(list)
			if !c.Attr.Bool("periodic") {
				n--
			}
			for i := range list {
				list[i] = 1
				if n > 0 {
					list[i] = f(2 * math.Pi * float64(i) / float64(n))
				}
			}
			wide.Store[c.Out(0).DType](c.Out(0), list)
			return nil
		},
		Key: op.KeyOutput, DTypes: op.Uniform(struct{}{}, outputTypes...),
	}
}
