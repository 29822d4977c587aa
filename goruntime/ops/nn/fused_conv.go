package nn

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// FusedConv is Conv, to which Z is added, followed by an activation.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.FusedConv
// Departures: f32 only, as on ONNX Runtime's CPU.
var FusedConv = op.Declare("com.microsoft", "FusedConv", func() op.Def {
	return op.Def{
		Versions: op.Versions{1: ""}, Needs: []int{0, 1},
		Attrs: append(op.Attrs(op.String("activation", ""), op.Floats("activation_params")), Conv.Def().Attrs...),
		Shape: func(c *op.Infer) error {
			if err := convShape(c); err != nil {
				return err
			}
			if out := c.Results()[0].Shape; c.Has(3) && !c.In(3).Equal(out) {
				return errs.New(errs.Shape, "Z has shape %v, %v expected", c.In(3), out)
			}
			return nil
		},
		Prepare: func(c *op.Context) error {
			name, params := c.Attr.Str("activation"), c.Attr.Floats("activation_params")
			s := &fusedConv{act: vec.Activation(name, params...)}
			if s.act == nil {
				return errs.New(errs.Unsupported, "activation %q with the parameters %v is not supported", name, params)
			}
			err := convPrepare(c, false)
			s.conv = c.State
			c.State = s
			return err
		},
		Run: func(c *op.Context) error {
			s := c.State.(*fusedConv)
			c.State = s.conv
			err := conv32(c)
			c.State = s
			if err != nil {
				return err
			}
			s.y, s.z = tensor.Elems[float32](c.Out(0)), nil
			if c.Has(3) {
				s.z = tensor.Elems[float32](c.In(3))
			}
			c.For(len(s.y), 32<<10, s)
			return nil
		},
		DTypes: op.ByType(map[tensor.DType]convKernel{tensor.F32: conv32}),
		Also:   map[int][]tensor.DType{1: {tensor.F32}, 2: {tensor.F32}, 3: {tensor.F32}},
	}
})

// fusedConv is the State of a FusedConv.
type fusedConv struct {
	conv any // that of the Conv
	act  func([]float32)
	y, z []float32
}

// Chunk implements op.Task over the elements of the output.
func (s *fusedConv) Chunk(lo, hi int) {
	y := s.y[lo:hi]
	if s.z != nil {
		vec.Combine(vec.Plus, y, y, s.z[lo:hi])
	}
	s.act(y)
}
