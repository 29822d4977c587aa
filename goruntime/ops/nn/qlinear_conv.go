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
var QLinearConv = op.Declare("", "QLinearConv", func() op.Def {
	return op.Def{
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
			q := &qlinearConv{integerConv: s, channels: s.m, pixels: c.Out(0).Shape[2:].Elements(), perGroup: s.m / c.Attr.Int("group")}
			q.lines = max(1, scaleFloats/max(1, q.perGroup))
			q.atScales = r.Add(4 * s.m * q.lines)
			r.Need(c)
			c.State = q
			return nil
		},
		Run:    qlinearConvRun,
		DTypes: op.Uniform(struct{}{}, byteTypes...),
		Also:   map[int][]tensor.DType{1: {tensor.F32}, 3: byteTypes, 4: {tensor.F32}, 6: {tensor.F32}, 7: byteTypes, 8: {tensor.I32}},
	}
})

var qlinearConvInputs = integerInputs{x: 0, w: 3, zeroX: 2, zeroW: 5, bias: 8}

// qlinearConv is the State of a QLinearConv.
type qlinearConv struct {
	*integerConv
	channels, pixels int
	perGroup         int
	lines            int // how often the scales of a group lie one behind the other
	atScales         op.Part
	scales           []float32 // of each channel, group after group
	zero             float32
	y                []byte
	signed           bool
}

// scaleFloats is how many sums of pixels with few channels are scaled at once.
const scaleFloats = 512

func qlinearConvRun(c *op.Context) error {
	s := c.State.(*qlinearConv)
	s.scales = s.atScales.Floats(c)
	x, w, y := tensor.Elems[float32](c.In(1))[0], tensor.Elems[float32](c.In(4)), tensor.Elems[float32](c.In(6))[0]
	for i := range s.scales {
		m := i/(s.perGroup*s.lines)*s.perGroup + i%s.perGroup
		s.scales[i] = x * w[m%len(w)] / y
	}
	s.zero = float32(byteAt(c.In(7), 0))
	s.y, s.signed = c.Out(0).Raw(), c.Out(0).DType == tensor.I8
	s.run(c, s)
	return nil
}

// Store implements igemm.Sink. Rows of channels are scaled where they lie, then
// turned to planes.
func (s *qlinearConv) Store(image, channel, channels, pixel, pixels int, sums []int32, pixelStep, channelStep int) {
	at := (image*s.channels+channel)*s.pixels + pixel
	scales := s.scales[channel/s.perGroup*s.perGroup*s.lines+channel%s.perGroup:]
	if channels == 1 && pixelStep == 1 {
		s.row(s.y[at:at+pixels], sums, scales[:1])
		return
	}
	// A row of bytes takes the place of the sums that it was made of.
	scratch, lines := igemm.Bytes(sums), s.lines
	if pixelStep != channels {
		lines = 1
	}
	for p := 0; p < pixels; p += lines {
		n := min(lines, pixels-p) * channels
		s.row(scratch[p*pixelStep:][:n], sums[p*pixelStep:][:n], scales[:n])
	}
	igemm.Turn(s.y[at:], s.pixels, scratch, pixelStep, pixels, channels, 0)
}

func (s *qlinearConv) row(dst []byte, sums []int32, scales []float32) {
	if s.signed {
		igemm.Requantize(igemm.Int8s(dst), sums, scales, s.zero)
	} else {
		igemm.Requantize(dst, sums, scales, s.zero)
	}
}
