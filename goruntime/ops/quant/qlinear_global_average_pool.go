package quant

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
)

// QLinearGlobalAveragePool gives the mean of each channel of a quantized image
// [N, C, D...], or [N, D..., C] with channels_last.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QLinearGlobalAveragePool
// Departures: none.
var QLinearGlobalAveragePool = op.Declare(microsoft, "QLinearGlobalAveragePool", func() op.Def {
	return op.Def{
		Versions: op.Versions{1: ""}, Needs: []int{0, 1, 3},
		Attrs: op.Attrs(op.Int("channels_last", 0)),
		Shape: func(c *op.Infer) error {
			x := c.In(0)
			if len(x) < 3 {
				return errs.New(errs.Shape, "X has shape %v, a rank of 3 or more expected", x)
			}
			out := c.Grow(0, c.DType(0), len(x))
			for d := range out {
				out[d] = 1
			}
			channel := 1
			if c.Attr.Bool("channels_last") {
				channel = len(x) - 1
			}
			out[0], out[channel] = x[0], x[channel]
			return singleScalings(c, 1, 2, 3, 4)
		},
		Prepare: func(c *op.Context) error {
			x := c.In(0).Shape
			s := &averaging{images: x[0], channels: x[1], pixels: x[2:].Elements(), pixelStep: 1}
			s.channelStep = s.pixels
			if c.Attr.Bool("channels_last") {
				s.channels, s.pixels = x[len(x)-1], x[1:len(x)-1].Elements()
				s.pixelStep, s.channelStep = s.channels, 1
			}
			c.State = s
			return nil
		},
		Run: func(c *op.Context) error {
			s, d := c.State.(*averaging), c.In(0).DType
			s.in, s.out, s.x, s.y = scalingOf(c, d, 1, 2), scalingOf(c, d, 3, 4), c.In(0).Raw(), c.Out(0).Raw()
			c.For(s.images*s.channels, max(1, 32<<10/max(1, s.pixels)), s)
			return nil
		},
		DTypes: op.Uniform(struct{}{}, bytes...),
		Also:   alsoScaled([]int{2, 4}, 1, 3),
	}
})

// averaging is the State of a QLinearGlobalAveragePool.
type averaging struct {
	images, channels, pixels, pixelStep, channelStep int
	in, out                                          scaling
	x, y                                             []uint8
}

// Chunk implements op.Task over the channels of all images.
func (s *averaging) Chunk(lo, hi int) {
	for i := lo; i < hi; i++ {
		at, sum := i/s.channels*s.channels*s.pixels+i%s.channels*s.channelStep, 0
		for range s.pixels {
			if v := s.x[at]; s.in.signed {
				sum += int(int8(v))
			} else {
				sum += int(v)
			}
			at += s.pixelStep
		}
		sum -= int(s.in.zero) * s.pixels
		s.y[i] = s.out.code(float32(sum) * (s.in.scale / (s.out.scale * float32(s.pixels))))
	}
}
