package shape

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// CenterCropPad cuts dimensions to a size around their middle, or pads them
// with zeros to it; of an odd number the greater part is at the end.
// https://onnx.ai/onnx/operators/onnx__CenterCropPad.html   Departures: none.
var CenterCropPad = op.Declare("", "CenterCropPad", func() op.Def {
	return op.Def{
		Versions: op.Versions{18: ""},
		Attrs:    op.Attrs(op.Ints("axes")),
		Shape: func(c *op.Infer) error {
			want, err := c.Ints(1)
			if err != nil {
				return err
			}
			pads, axes, err := centerPads(c.In(0), want, c.Attr)
			if err != nil {
				return err
			}
			return padShape(c, pads, axes, axes != nil)
		},
		Prepare: func(c *op.Context) error {
			want, err := c.Ints(1)
			if err != nil {
				return err
			}
			pads, axes, err := centerPads(c.In(0).Shape, want, c.Attr)
			if err != nil {
				return err
			}
			p, err := newPadding("constant", c.In(0).Shape, c.Out(0).Shape, pads, axes)
			c.State = p
			return err
		},
		Run: op.Unpacked(func(c *op.Context) error {
			c.State.(*padding).run(c)
			return nil
		}),
		DTypes: Pad.Def().DTypes,
		Also:   map[int][]tensor.DType{1: {tensor.I32, tensor.I64}},
	}
})

// centerPads returns the pads, as Pad takes them, that bring the axes of x to
// the wanted sizes; negative ones cut. Without the attribute axes is nil.
func centerPads(x tensor.Shape, want []int, a *op.Values) (pads, axes []int, err error) {
	axes = a.Ints("axes")
	n := len(x)
	if axes != nil {
		n = len(axes)
	}
	if len(want) != n {
		return nil, nil, errs.New(errs.Shape, "shape has %d elements, one for each of the %d axes expected", len(want), n)
	}
	pads = make([]int, 2*n)
	seen := make([]bool, len(x))
	for k, size := range want {
		at := k
		if axes != nil {
			if at, err = tensor.Axis(axes[k], len(x)); err != nil {
				return nil, nil, err
			}
		}
		if seen[at] {
			return nil, nil, errs.New(errs.Argument, "axes %v names axis %d twice", axes, at)
		}
		if seen[at] = true; size < 0 {
			return nil, nil, errs.New(errs.Shape, "shape is %v: no size may be negative", want)
		}
		d := size - x[at]
		pads[k] = d / 2 // towards zero
		pads[k+n] = d - pads[k]
	}
	return pads, axes, nil
}
