package nn

import (
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// AveragePool gives the mean under each window. What of a window lies beyond the
// padding (ceil_mode) never counts; the padding counts with count_include_pad.
// https://onnx.ai/onnx/operators/onnx__AveragePool.html   Departures: none.
// A window over nothing that counts gives 0.
var AveragePool = op.Declare("", "AveragePool", func() op.Def {
	return op.Widened(op.Def{
		Versions: op.Versions{1: "", 7: "count_include_pad", 10: "ceil_mode", 11: "defaults", 19: "dilations", 22: "bfloat16"},
		Attrs: op.Attrs(op.String("auto_pad", "NOTSET"), op.Int("ceil_mode", 0), op.Int("count_include_pad", 0), op.Ints("dilations"),
			op.Required("kernel_shape", op.KindInts), op.Ints("pads"), op.Ints("strides")),
		Shape: poolShape,
		Prepare: func(c *op.Context) error {
			win, err := poolWindow(c.Attr, c.In(0).Shape)
			if err != nil {
				return err
			}
			p := newPooling(win, c.In(0).Shape)
			if c.In(0).DType != tensor.F32 || p.band().pixels < 1 && !p.bandsOfSlices() {
				p.list()
			}
			p.counts = make([]float32, p.pixels)
			for i := range p.counts {
				p.counts[i] = float32(max(1, win.covered(i, c.Attr.Bool("count_include_pad"))))
			}
			c.State = p
			return nil
		},
		Run:    poolRun,
		DTypes: widened(averagePool32, averagePool(double)),
	})
})

// covered returns how many elements of the window at output p lie on the input,
// or on its padding too.
func (w *window) covered(p int, padding bool) int {
	n := 1
	for d := len(w.in) - 1; d >= 0; d-- {
		// Element k of the window lies at at + k*dilation of the input.
		at := p%w.out[d]*w.stride[d] - w.begin[d]
		lo, hi := 0, w.in[d]
		if padding {
			lo, hi = -w.begin[d], w.in[d]+w.end[d]
		}
		n *= max(0, below(hi-at, w.dilation[d], w.kernel[d])-below(lo-at, w.dilation[d], w.kernel[d]))
		p /= w.out[d]
	}
	return n
}

// below returns how many of the numbers 0, step, 2*step, ..., n of them, are less
// than room.
func below(room, step, n int) int { return max(0, min(n, (room+step-1)/step)) }

func averagePool[T any](n number[T]) poolKernel {
	return func(p *pooling, lo, hi int) {
		out, in, room := tensor.Elems[T](p.out), tensor.Elems[T](p.in), p.room()
		for plane := lo; plane < hi; plane++ {
			src, dst := in[plane*p.plane:(plane+1)*p.plane], out[plane*p.pixels:(plane+1)*p.pixels]
			for i := range dst {
				sum := 0.0
				for _, at := range p.under(i, room) {
					sum += n.Widen(src[at])
				}
				dst[i] = n.Narrow(sum / float64(p.counts[i]))
			}
		}
	}
}
