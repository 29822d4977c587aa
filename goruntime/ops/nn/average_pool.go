package nn

import (
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// AveragePool gives the mean under each window. What of a window lies beyond the
// padding (ceil_mode) never counts; the padding counts with count_include_pad.
// https://onnx.ai/onnx/operators/onnx__AveragePool.html   Departures: none.
// A window over nothing that counts gives 0.
var AveragePool = op.Declare(op.Def{
	Name:     "AveragePool",
	Versions: op.Versions{1: "", 7: "count_include_pad", 10: "ceil_mode", 11: "defaults", 19: "dilations", 22: "bfloat16"},
	Attrs: op.Attrs(op.String("auto_pad", "NOTSET"), op.Int("ceil_mode", 0), op.Int("count_include_pad", 0), op.Ints("dilations"),
		op.Required("kernel_shape", op.KindInts), op.Ints("pads"), op.Ints("strides")),
	Shape: poolShape,
	Prepare: func(c *op.Context) error {
		win, err := poolWindow(c.Attr, c.In(0).Shape)
		if err != nil {
			return err
		}
		p := newPooling(win, c.In(0).Shape, false)
		p.counts = make([]float32, p.pixels)
		for i := range p.counts {
			p.counts[i] = float32(max(1, p.first[i+1]-p.first[i]))
			if c.Attr.Bool("count_include_pad") {
				p.counts[i] = float32(max(1, win.covered(i)))
			}
		}
		c.State = p
		return nil
	},
	Run:    poolRun,
	DTypes: floats(averagePool32, averagePool(double), averagePool(half), averagePool(brain)),
})

// covered returns how many elements of the window at output p lie on the input
// or its padding.
func (w *window) covered(p int) int {
	n := 1
	for d := len(w.in) - 1; d >= 0; d-- {
		// The window's k-th element lies at p*stride + k*dilation of the padded input.
		room := w.in[d] + w.begin[d] + w.end[d] - p%w.out[d]*w.stride[d]
		n *= max(0, min(w.kernel[d], (room+w.dilation[d]-1)/w.dilation[d]))
		p /= w.out[d]
	}
	return n
}

func averagePool[T any](n number[T]) poolKernel {
	return func(p *pooling, lo, hi int) {
		out, in := tensor.Elems[T](p.out), tensor.Elems[T](p.in)
		for plane := lo; plane < hi; plane++ {
			src, dst := in[plane*p.plane:(plane+1)*p.plane], out[plane*p.pixels:(plane+1)*p.pixels]
			for i := range dst {
				sum := 0.0
				for _, at := range p.taps[p.first[i]:p.first[i+1]] {
					sum += n.Widen(src[at])
				}
				dst[i] = n.Narrow(sum / float64(p.counts[i]))
			}
		}
	}
}
