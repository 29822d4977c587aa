package nn

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Upsample repeats or interpolates elements by a factor for each axis; it is
// Resize before it had that name. Upsample7 has the factors in an attribute,
// Upsample1 those of height and width.
// https://onnx.ai/onnx/operators/onnx__Upsample.html   Departures: none.
var Upsample = op.Declare("", "Upsample", func() op.Def {
	return upsample(op.Versions{9: "scales is an input", 10: "deprecated"}, nil,
		func(_ *op.Values, _ tensor.Shape, value func(int) (*tensor.View, error)) ([]float32, error) {
			v, err := value(1)
			if err != nil {
				return nil, err
			}
			return tensor.Elems[float32](v), nil
		})
})

// Upsample7 is Upsample before version 9.
var Upsample7 = op.Declare("", "Upsample", func() op.Def {
	return upsample(op.Versions{7: "scales is an attribute"}, op.Attrs(op.Required("scales", op.KindFloats)),
		func(a *op.Values, _ tensor.Shape, _ func(int) (*tensor.View, error)) ([]float32, error) {
			return a.Floats("scales"), nil
		})
})

// Upsample1 is Upsample before version 7: X is [N, C, H, W].
var Upsample1 = op.Declare("", "Upsample", func() op.Def {
	return upsample(op.Versions{1: "height_scale, width_scale"},
		op.Attrs(op.Required("height_scale", op.KindFloat), op.Required("width_scale", op.KindFloat)),
		func(a *op.Values, x tensor.Shape, _ func(int) (*tensor.View, error)) ([]float32, error) {
			if len(x) != 4 {
				return nil, errs.New(errs.Shape, "X has shape %v, rank 4 expected", x)
			}
			return []float32{1, 1, a.Float("height_scale"), a.Float("width_scale")}, nil
		})
})

type upsampleScales func(a *op.Values, x tensor.Shape, value func(int) (*tensor.View, error)) ([]float32, error)

func upsample(versions op.Versions, attrs []op.Attr, scales upsampleScales) op.Def {
	axes := func(a *op.Values, x tensor.Shape, value func(int) (*tensor.View, error)) ([]resizeAxis, error) {
		list, err := scales(a, x, value)
		if err != nil {
			return nil, err
		}
		for _, f := range list {
			if f < 1 {
				return nil, errs.New(errs.Argument, "a scale is %v: Upsample takes scales of 1 and more", f)
			}
		}
		return scaledAxes(x, list)
	}
	def := op.Def{
		Versions: versions, Attrs: append(attrs, op.String("mode", "nearest")),
		Shape: func(c *op.Infer) error {
			list, err := axes(c.Attr, c.In(0), c.View)
			if err != nil {
				return err
			}
			return axesShape(c, list)
		},
		Prepare: func(c *op.Context) error {
			list, err := axes(c.Attr, c.In(0).Shape, c.Value)
			if err != nil {
				return err
			}
			s, err := samplingOf(c.Attr, "Upsample", c.Version)
			if err != nil {
				return err
			}
			return prepareSampling(c, list, &s, 0)
		},
		Run: resizeRun, DTypes: nearestCopies,
	}
	if _, input := versions[9]; input {
		def.Also = map[int][]tensor.DType{1: {tensor.F32}}
	}
	return def
}
