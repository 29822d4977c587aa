package nn

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/igemm"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// QLinearAveragePool is AveragePool on quantized numbers.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QLinearAveragePool
// Departures: no channels_last.
var QLinearAveragePool = op.Declare("com.microsoft", "QLinearAveragePool", func() op.Def {
	return op.Def{
		Versions: op.Versions{1: ""}, Needs: []int{0, 1, 3},
		Attrs: op.Attrs(op.String("auto_pad", "NOTSET"), op.Int("ceil_mode", 0), op.Int("channels_last", 0), op.Int("count_include_pad", 0),
			op.Required("kernel_shape", op.KindInts), op.Ints("pads"), op.Ints("strides"), op.Ints("dilations")),
		Shape: func(c *op.Infer) error {
			if c.Attr.Bool("channels_last") {
				return errs.New(errs.Unsupported, "channels_last is not supported")
			}
			for i := 1; i < 5; i++ {
				if c.Has(i) && c.In(i).Elements() != 1 {
					return errs.New(errs.Shape, "input %d has shape %v: one number expected", i, c.In(i))
				}
			}
			return poolShape(c)
		},
		Prepare: func(c *op.Context) error {
			win, err := poolWindow(c.Attr, c.In(0).Shape)
			if err != nil {
				return err
			}
			s := &quantizedPool{pooling: newPooling(win, c.In(0).Shape)}
			s.list()
			s.counts = make([]float32, s.pixels)
			for i := range s.counts {
				s.counts[i] = float32(max(1, win.covered(i, c.Attr.Bool("count_include_pad"))))
			}
			c.State = s
			return nil
		},
		Run: func(c *op.Context) error {
			s := c.State.(*quantizedPool)
			s.scale = tensor.Elems[float32](c.In(1))[0] / tensor.Elems[float32](c.In(3))[0]
			s.zeroX, s.zeroY = 0, 0
			if c.Has(2) {
				s.zeroX = byteAt(c.In(2), 0)
			}
			if c.Has(4) {
				s.zeroY = float32(byteAt(c.In(4), 0))
			}
			s.x, s.y, s.signed = c.In(0).Raw(), c.Out(0).Raw(), c.In(0).DType == tensor.I8
			c.For(s.planes, max(1, (32<<10)/max(1, s.pixels*s.most)), s)
			return nil
		},
		DTypes: op.Uniform(struct{}{}, byteTypes...),
		Also:   map[int][]tensor.DType{1: {tensor.F32}, 2: byteTypes, 3: {tensor.F32}, 4: byteTypes},
	}
})

// quantizedPool is the State of a QLinearAveragePool.
type quantizedPool struct {
	*pooling
	scale, zeroY float32
	zeroX        int32
	x, y         []byte
	signed       bool
}

// Chunk implements op.Task over the planes.
func (s *quantizedPool) Chunk(lo, hi int) {
	r := igemm.Unsigned
	if s.signed {
		r = igemm.Signed
	}
	room := s.room()
	for plane := lo; plane < hi; plane++ {
		src, dst := s.x[plane*s.plane:(plane+1)*s.plane], s.y[plane*s.pixels:(plane+1)*s.pixels]
		for i := range dst {
			sum := int32(0)
			for _, at := range s.under(i, room) {
				if s.signed {
					sum += int32(int8(src[at])) - s.zeroX
				} else {
					sum += int32(src[at]) - s.zeroX
				}
			}
			q := igemm.Saturate(float32(sum)/s.counts[i]*s.scale, r.Low-s.zeroY, r.High-s.zeroY) + s.zeroY
			dst[i] = byte(int32(q))
		}
	}
}
