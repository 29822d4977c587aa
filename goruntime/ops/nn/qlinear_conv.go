package nn

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/igemm"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// QLinearConv convolves quantized numbers into quantized ones.
// https://onnx.ai/onnx/operators/onnx__QLinearConv.html
// Departures: none. The exact sums are scaled by x_scale * w_scale / y_scale in
// f32 and rounded half to even.
var QLinearConv = op.Declare(op.Def{
	Name:     "QLinearConv",
	Versions: op.Versions{10: ""},
	Attrs: op.Attrs(op.String("auto_pad", "NOTSET"), op.Ints("dilations"), op.Int("group", 1), op.Ints("kernel_shape"),
		op.Ints("pads"), op.Ints("strides")),
	Shape: func(c *op.Infer) error {
		for _, i := range []int{1, 6, 7} {
			if n := c.In(i).Elements(); n != 1 {
				return errs.New(errs.Shape, "input %d has shape %v: one number expected", i, c.In(i))
			}
		}
		if err := integerConvShape(c, qlinearConvInputs, c.DType(7)); err != nil {
			return err
		}
		if n := c.In(4).Elements(); n != 1 && n != c.In(3)[0] {
			return errs.New(errs.Shape, "w_scale has shape %v: one number or %d expected", c.In(4), c.In(3)[0])
		}
		return nil
	},
	Prepare: func(c *op.Context) error {
		var r op.Room
		s, err := newIntegerConv(c, qlinearConvInputs, &r)
		if err != nil {
			return err
		}
		q := &qlinearConv{integerConv: s, channels: s.m, pixels: c.Out(0).Shape[2:].Elements(), atScales: r.Add(4 * s.m)}
		r.Need(c)
		c.State = q
		return nil
	},
	Run:    qlinearConvRun,
	DTypes: op.Uniform(struct{}{}, byteTypes...),
	Also:   map[int][]tensor.DType{1: {tensor.F32}, 3: byteTypes, 4: {tensor.F32}, 6: {tensor.F32}, 7: byteTypes, 8: {tensor.I32}},
})

var qlinearConvInputs = integerInputs{x: 0, w: 3, zeroX: 2, zeroW: 5, bias: 8}

// qlinearConv is the State of a QLinearConv.
type qlinearConv struct {
	*integerConv
	channels, pixels int
	atScales         op.Part
	scales           []float32 // of each channel
	zero             float32
	unsigned         []uint8 // the output, by its type
	signed           []int8
}

func qlinearConvRun(c *op.Context) error {
	s := c.State.(*qlinearConv)
	s.scales = s.atScales.Floats(c)
	x, w, y := tensor.Elems[float32](c.In(1))[0], tensor.Elems[float32](c.In(4)), tensor.Elems[float32](c.In(6))[0]
	for m := range s.scales {
		s.scales[m] = x * w[m%len(w)] / y
	}
	s.zero = float32(byteAt(c.In(7), 0))
	s.unsigned, s.signed = nil, nil
	if c.Out(0).DType == tensor.U8 {
		s.unsigned = tensor.Elems[uint8](c.Out(0))
	} else {
		s.signed = tensor.Elems[int8](c.Out(0))
	}
	s.run(c, s)
	return nil
}

// Store implements igemm.Sink.
func (s *qlinearConv) Store(image, channel, channels, pixel, pixels int, sums []int32, pixelStep, channelStep int) {
	for m := range channels {
		at := (image*s.channels+channel+m)*s.pixels + pixel
		if s.unsigned != nil {
			igemm.Requantize(s.unsigned[at:at+pixels], sums[m*channelStep:], pixelStep, s.scales[channel+m], s.zero, igemm.Unsigned)
		} else {
			igemm.Requantize(s.signed[at:at+pixels], sums[m*channelStep:], pixelStep, s.scales[channel+m], s.zero, igemm.Signed)
		}
	}
}
