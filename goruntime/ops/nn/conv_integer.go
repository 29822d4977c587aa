package nn

import (
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// ConvInteger convolves bytes, less their zero points, into i32.
// https://onnx.ai/onnx/operators/onnx__ConvInteger.html   Departures: none.
var ConvInteger = op.Declare("", "ConvInteger", func() op.Def {
	return op.Def{
		Versions: op.Versions{10: ""},
		Attrs: op.Attrs(op.String("auto_pad", "NOTSET"), op.Ints("dilations"), op.Int("group", 1), op.Ints("kernel_shape"),
			op.Ints("pads"), op.Ints("strides")),
		Shape: func(c *op.Infer) error { return integerConvShape(c, convIntegerInputs, tensor.I32) },
		Prepare: func(c *op.Context) error {
			var r op.Room
			s, err := newIntegerConv(c, convIntegerInputs, &r)
			if err != nil {
				return err
			}
			r.Need(c)
			c.State = &convInteger{integerConv: s, channels: s.m, pixels: c.Out(0).Shape[2:].Elements()}
			return nil
		},
		Run: func(c *op.Context) error {
			s := c.State.(*convInteger)
			s.y = tensor.Elems[int32](c.Out(0))
			s.run(c, s)
			return nil
		},
		DTypes: op.Uniform(struct{}{}, byteTypes...),
		Also:   map[int][]tensor.DType{1: byteTypes, 3: byteTypes},
	}
})

var convIntegerInputs = integerInputs{x: 0, w: 1, zeroX: 2, zeroW: 3, bias: -1}

// convInteger is the State of a ConvInteger.
type convInteger struct {
	*integerConv
	y                []int32
	channels, pixels int
}

// Store implements igemm.Sink.
func (s *convInteger) Store(image, channel, channels, pixel, pixels int, sums []int32, pixelStep, channelStep int) {
	for m := range channels {
		dst := s.y[(image*s.channels+channel+m)*s.pixels+pixel:][:pixels]
		at := m * channelStep
		for p := range dst {
			dst[p] = sums[at]
			at += pixelStep
		}
	}
}
