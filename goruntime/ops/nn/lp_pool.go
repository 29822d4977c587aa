package nn

import (
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// LpPool gives the p-norm of what lies under each window. LpPool1 is it before
// version 2, where p may be a fraction and, without kernel_shape, a window is
// the whole image.
// https://onnx.ai/onnx/operators/onnx__LpPool.html   Departures: none.
var LpPool = op.Declare("", "LpPool", func() op.Def {
	return op.Def{
		Versions: op.Versions{2: "whole p", 11: "defaults", 18: "ceil_mode, dilations", 22: "bfloat16"},
		Attrs: op.Attrs(op.String("auto_pad", "NOTSET"), op.Int("ceil_mode", 0), op.Ints("dilations"),
			op.Required("kernel_shape", op.KindInts), op.Int("p", 2), op.Ints("pads"), op.Ints("strides")),
		Shape: poolShape, Prepare: lpPrepare, Run: poolRun, DTypes: lpPools,
	}
})

// LpPool1 is LpPool before version 2.
var LpPool1 = op.Declare("", "LpPool", func() op.Def {
	return op.Def{
		Versions: op.Versions{1: "p may be a fraction"},
		Attrs:    op.Attrs(op.String("auto_pad", "NOTSET"), op.Ints("kernel_shape"), op.Float("p", 2), op.Ints("pads"), op.Ints("strides")),
		Shape:    poolShape, Prepare: lpPrepare, Run: poolRun, DTypes: lpPools,
	}
})

var lpPools = floats(lpPool(single), lpPool(double), lpPool(half), lpPool(brain))

func lpPrepare(c *op.Context) error {
	win, err := poolWindow(c.Attr, c.In(0).Shape)
	if err != nil {
		return err
	}
	p := newPooling(win, c.In(0).Shape)
	p.list()
	p.order = order(c)
	c.State = p
	return nil
}

func lpPool[T any](n number[T]) poolKernel {
	return func(p *pooling, lo, hi int) {
		out, in, room := tensor.Elems[T](p.out), tensor.Elems[T](p.in), p.room()
		for plane := lo; plane < hi; plane++ {
			src, dst := in[plane*p.plane:(plane+1)*p.plane], out[plane*p.pixels:(plane+1)*p.pixels]
			for i := range dst {
				sum := 0.0
				for _, at := range p.under(i, room) {
					sum += power(n.Widen(src[at]), p.order)
				}
				dst[i] = n.Narrow(root(sum, p.order))
			}
		}
	}
}
