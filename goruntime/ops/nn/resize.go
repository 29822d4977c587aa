package nn

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/wide"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Resize samples a tensor anew on a finer or coarser grid.
// https://onnx.ai/onnx/operators/onnx__Resize.html   Departures: none.
// Fractions of integers are cut off. An element without weight is not read, so
// that a NaN beside an exact hit does not show.
var Resize = op.Declare("", "Resize", func() op.Def {
	return op.Def{
		Versions: op.Versions{
			11: "", 13: "bfloat16", 18: "axes, antialias, keep_aspect_ratio_policy", 19: "half_pixel_symmetric",
		},
		Attrs: op.Attrs(op.Int("antialias", 0), op.Ints("axes"), op.String("coordinate_transformation_mode", "half_pixel"),
			op.Float("cubic_coeff_a", -0.75), op.Int("exclude_outside", 0), op.Float("extrapolation_value", 0),
			op.String("keep_aspect_ratio_policy", "stretch"), op.String("mode", "nearest"), op.String("nearest_mode", "round_prefer_floor")),
		Shape: resizeShape, Prepare: resizePrepare, Run: resizeRun, DTypes: nearestCopies,
		Also: map[int][]tensor.DType{1: floatTypes[:3], 2: {tensor.F32}, 3: {tensor.I64}},
	}
})

// Resize10 is Resize before version 11, which is Upsample for any scale.
var Resize10 = op.Declare("", "Resize", func() op.Def {
	return op.Def{
		Versions: op.Versions{10: ""}, Attrs: op.Attrs(op.String("mode", "nearest")),
		Shape: resizeShape, Prepare: resizePrepare, Run: resizeRun, DTypes: nearestCopies, Also: map[int][]tensor.DType{1: {tensor.F32}},
	}
})

// samplingOf reads the attributes; Upsample and Resize10 have a mode alone.
func samplingOf(a *op.Values, name string, version int) (sampling, error) {
	s := sampling{mode: a.Str("mode"), transform: "asymmetric", nearest: "floor", legacy: true}
	if name == "Resize" && version > 10 {
		s = sampling{
			mode: a.Str("mode"), transform: a.Str("coordinate_transformation_mode"), nearest: a.Str("nearest_mode"),
			a: float64(a.Float("cubic_coeff_a")), outside: a.Bool("exclude_outside"), antialias: a.Bool("antialias"),
		}
	}
	if s.mode == "bilinear" || s.legacy && s.mode == "cubic" {
		if name == "Resize" || s.mode == "cubic" {
			return s, errs.New(errs.Argument, "mode %q is not one of version %d", s.mode, version)
		}
		s.mode = "linear" // Upsample before version 7
	}
	return s, s.check()
}

// source is what a node gives to resizeAxes, during inference or preparation.
type source struct {
	attr    *op.Values
	version int
	x       tensor.Shape
	has     func(int) bool
	value   func(int) (*tensor.View, error)
}

// resizeAxes returns what becomes of each axis of X.
func resizeAxes(c *source) ([]resizeAxis, error) {
	if c.version == 10 {
		v, err := c.value(1)
		if err != nil {
			return nil, err
		}
		return scaledAxes(c.x, tensor.Elems[float32](v))
	}
	axes := newAxes(c.x)
	list, err := c.axes()
	if err != nil {
		return nil, err
	}
	crop := c.attr.Str("coordinate_transformation_mode") == "tf_crop_and_resize"
	if crop {
		if err := c.regions(axes, list); err != nil {
			return nil, err
		}
	}
	scales, err := c.list(2)
	if err != nil {
		return nil, err
	}
	sizes, err := c.list(3)
	switch {
	case err != nil:
		return nil, err
	case (scales == nil) == (sizes == nil):
		return nil, errs.New(errs.Model, "one of scales and sizes is needed, and not both")
	case sizes != nil && sizes.Elements() != len(list) || scales != nil && scales.Elements() != len(list):
		return nil, errs.New(errs.Shape, "scales or sizes must have one element for each of the %d axes", len(list))
	case scales != nil:
		for k, i := range list {
			if err := axes[i].scaled(tensor.Elems[float32](scales)[k], crop); err != nil {
				return nil, err
			}
		}
		return axes, nil
	}
	want, err := op.AppendInts(nil, sizes)
	if err != nil {
		return nil, err
	}
	return axes, sized(axes, list, want, c.attr.Str("keep_aspect_ratio_policy"))
}

// scaledAxes returns the axes of x with a scale for each.
func scaledAxes(x tensor.Shape, scales []float32) ([]resizeAxis, error) {
	if len(scales) != len(x) {
		return nil, errs.New(errs.Shape, "%d scales given, one for each of the %d axes expected", len(scales), len(x))
	}
	axes := newAxes(x)
	for i := range axes {
		if err := axes[i].scaled(scales[i], false); err != nil {
			return nil, err
		}
	}
	return axes, nil
}

// axes returns the axes that are resized.
func (c *source) axes() ([]int, error) {
	list := append([]int(nil), c.attr.Ints("axes")...)
	if list == nil {
		for i := range c.x {
			list = append(list, i)
		}
		return list, nil
	}
	seen := make([]bool, len(c.x))
	for k, a := range list {
		i, err := tensor.Axis(a, len(c.x))
		if err != nil {
			return nil, err
		}
		if seen[i] {
			return nil, errs.New(errs.Argument, "axes %v names axis %d twice", list, i)
		}
		list[k], seen[i] = i, true
	}
	return list, nil
}

// list returns input i where it is given and not empty.
func (c *source) list(i int) (*tensor.View, error) {
	if !c.has(i) {
		return nil, nil
	}
	v, err := c.value(i)
	if err != nil || v.Elements() == 0 {
		return nil, err
	}
	return v, nil
}

// regions reads the region of interest: all starts, then all ends.
func (c *source) regions(axes []resizeAxis, list []int) error {
	roi, err := c.list(1)
	if err != nil {
		return err
	}
	n := len(list)
	if roi == nil || roi.Elements() != 2*n {
		return errs.New(errs.Model, "tf_crop_and_resize needs a roi of %d elements: start and end of each axis", 2*n)
	}
	all := make([]float64, 2*n)
	wide.Load[roi.DType](all, roi)
	for k, i := range list {
		axes[i].start, axes[i].end = all[k], all[n+k]
	}
	return nil
}

func resizeShape(c *op.Infer) error {
	axes, err := resizeAxes(&source{attr: c.Attr, version: c.Version, x: c.In(0), has: c.Has, value: c.View})
	if err != nil {
		return err
	}
	return axesShape(c, axes)
}

func axesShape(c *op.Infer, axes []resizeAxis) error {
	out := c.Grow(0, c.DType(0), len(axes))
	for i := range axes {
		if axes[i].in == 0 && axes[i].out > 0 {
			return errs.New(errs.Shape, "X has shape %v: an empty dimension cannot become %d", c.In(0), axes[i].out)
		}
		out[i] = axes[i].out
	}
	return nil
}

func resizePrepare(c *op.Context) error {
	axes, err := resizeAxes(&source{attr: c.Attr, version: c.Version, x: c.In(0).Shape, has: c.Has, value: c.Value})
	if err != nil {
		return err
	}
	s, err := samplingOf(c.Attr, "Resize", c.Version)
	if err != nil {
		return err
	}
	beyond := float32(0)
	if c.Version > 10 {
		beyond = c.Attr.Float("extrapolation_value")
	}
	return prepareSampling(c, axes, &s, float64(beyond))
}

// prepareSampling leaves the State of a Resize or Upsample.
func prepareSampling(c *op.Context, axes []resizeAxis, s *sampling, beyond float64) error {
	d := c.In(0).DType
	if s.mode == "nearest" {
		c.State = newNearest(d, axes, s, beyond)
		return nil
	}
	if wide.Load[d] == nil {
		return errs.New(errs.Unsupported, "mode %q of elements of type %v: only numbers can be interpolated", s.mode, d)
	}
	c.State = newInterpolation(c, axes, s, beyond)
	return nil
}

func resizeRun(c *op.Context) error {
	switch s := c.State.(type) {
	case *nearest:
		s.run(c)
	case *interpolation:
		return s.run(c)
	}
	return nil
}
