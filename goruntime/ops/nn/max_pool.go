package nn

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// MaxPool takes the largest element under each window, and where it lies.
// https://onnx.ai/onnx/operators/onnx__MaxPool.html   Departures: none.
// A NaN under the window is the result, as numpy.max has it. A window that lies
// in the padding alone gives the lowest number of the type and the index -1.
var MaxPool = op.Declare("", "MaxPool", func() op.Def {
	return op.Widened(op.Def{
		Halves:   op.KeptHalves,
		Versions: op.Versions{1: "", 8: "Indices", 10: "ceil_mode, dilations", 11: "defaults", 12: "int8, uint8", 22: "bfloat16"},
		Attrs: op.Attrs(op.String("auto_pad", "NOTSET"), op.Int("ceil_mode", 0), op.Ints("dilations"), op.Required("kernel_shape", op.KindInts),
			op.Ints("pads"), op.Int("storage_order", 0), op.Ints("strides")),
		Shape: func(c *op.Infer) error {
			if err := poolShape(c); err != nil || c.Outputs() < 2 {
				return err
			}
			x := c.In(0)
			out := c.Grow(1, tensor.I64, len(x))
			win, err := poolWindow(c.Attr, x)
			if err == nil {
				copy(out, x[:2])
				copy(out[2:], win.out)
			}
			return err
		},
		Prepare: func(c *op.Context) error {
			win, err := poolWindow(c.Attr, c.In(0).Shape)
			if err != nil {
				return err
			}
			p := newPooling(win, c.In(0).Shape)
			if c.Attr.Bool("storage_order") {
				p.column = columnOrder(win.in)
			}
			if c.In(0).DType != tensor.F32 || c.Wants(1) || p.band().pixels < 1 && !p.bandsOfSlices() {
				p.list()
			}
			c.State = p
			return nil
		},
		Run: poolRun,
		DTypes: op.ByType(map[tensor.DType]poolKernel{
			tensor.F32: maxPool32,
			tensor.F64: maxPool(math.Inf(-1), func(v float64) float64 { return v }),
			tensor.I8:  maxPool(int8(math.MinInt8), func(v int8) float64 { return float64(v) }),
			tensor.U8:  maxPool(uint8(0), func(v uint8) float64 { return float64(v) }),
		}),
	})
})

func maxPool[T any](lowest T, value func(T) float64) poolKernel {
	return func(p *pooling, lo, hi int) {
		out, in, room := tensor.Elems[T](p.out), tensor.Elems[T](p.in), p.room()
		for plane := lo; plane < hi; plane++ {
			src, dst := in[plane*p.plane:(plane+1)*p.plane], out[plane*p.pixels:(plane+1)*p.pixels]
			for i := range dst {
				taps := p.under(i, room)
				if len(taps) == 0 {
					dst[i] = lowest
					if p.indices != nil {
						p.indices[plane*p.pixels+i] = -1
					}
					continue
				}
				best, top := taps[0], math.Inf(-1)
				for _, at := range taps {
					if v := value(src[at]); v > top || v != v {
						best, top = at, v
						if v != v {
							break
						}
					}
				}
				dst[i] = src[best]
				if p.indices != nil {
					p.indices[plane*p.pixels+i] = int64(plane*p.plane) + int64(p.at(best))
				}
			}
		}
	}
}
