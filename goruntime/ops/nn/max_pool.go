package nn

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// MaxPool takes the largest element under each window, and where it lies.
// https://onnx.ai/onnx/operators/onnx__MaxPool.html   Departures: none.
// A NaN under the window is the result, as numpy.max has it. A window that lies
// in the padding alone gives the lowest number of the type and the index -1.
var MaxPool = op.Declare(op.Def{
	Name:     "MaxPool",
	Versions: op.Versions{1: "", 8: "Indices", 10: "ceil_mode, dilations", 11: "defaults", 12: "int8, uint8", 22: "bfloat16"},
	Attrs: op.Attrs(op.String("auto_pad", "NOTSET"), op.Int("ceil_mode", 0), op.Ints("dilations"), op.Required("kernel_shape", op.KindInts),
		op.Ints("pads"), op.Int("storage_order", 0), op.Ints("strides")),
	Shape: func(c *op.Infer) error {
		x := c.In(0)
		if len(x) < 3 {
			return errs.New(errs.Shape, "X has shape %v, a rank of 3 or more expected", x)
		}
		win, err := newWindow(c.Attr, x[2:], c.Attr.Ints("kernel_shape"), c.Attr.Bool("ceil_mode"))
		if err != nil {
			return err
		}
		out := c.Grow(0, c.DType(0), len(x))
		out[0], out[1] = x[0], x[1]
		copy(out[2:], win.out)
		c.SetOutput(1, tensor.I64, out)
		return nil
	},
	Prepare: func(c *op.Context) error {
		x := c.In(0).Shape
		win, err := newWindow(c.Attr, x[2:], c.Attr.Ints("kernel_shape"), c.Attr.Bool("ceil_mode"))
		if err != nil {
			return err
		}
		c.State = newPooling(win, x, c.Attr.Bool("storage_order"))
		return nil
	},
	Run: func(c *op.Context) error {
		p := c.State.(*pooling)
		p.kernel, p.out, p.in, p.indices = op.Row[poolKernel](c), c.Out(0), c.In(0), nil
		if c.Wants(1) {
			p.indices = tensor.Elems[int64](c.Out(1))
		}
		c.For(p.planes, max(1, (32<<10)/max(1, len(p.taps))), p)
		return nil
	},
	DTypes: op.ByType(map[tensor.DType]poolKernel{
		tensor.F32:  maxPool32,
		tensor.F64:  maxPool(math.Inf(-1), func(v float64) float64 { return v }),
		tensor.F16:  maxPool(tensor.HalfOf64(math.Inf(-1)), func(v tensor.Half) float64 { return float64(v.Float32()) }),
		tensor.BF16: maxPool(tensor.BFloat16Of64(math.Inf(-1)), func(v tensor.BFloat16) float64 { return float64(v.Float32()) }),
		tensor.I8:   maxPool(int8(math.MinInt8), func(v int8) float64 { return float64(v) }),
		tensor.U8:   maxPool(uint8(0), func(v uint8) float64 { return float64(v) }),
	}),
})

// pooling is the State of a MaxPool: for each output pixel the input elements
// under its window, in one list.
type pooling struct {
	win                   *window
	planes, plane, pixels int
	first                 []int32 // where the taps of each pixel begin; one more at the end
	taps                  []int32
	column                []int32 // the index of each input element with storage_order 1, or nil
	kernel                poolKernel
	out, in               *tensor.View
	indices               []int64
}

type poolKernel func(p *pooling, lo, hi int)

func newPooling(w *window, x tensor.Shape, columnMajor bool) *pooling {
	p := &pooling{win: w, planes: x[0] * x[1], plane: tensor.Shape(w.in).Elements(), pixels: tensor.Shape(w.out).Elements()}
	n := tensor.Shape(w.kernel).Elements()
	for i := range p.pixels {
		p.first = append(p.first, int32(len(p.taps)))
		for k := range n {
			if at, ok := w.tap(i, k); ok {
				p.taps = append(p.taps, int32(at))
			}
		}
	}
	p.first = append(p.first, int32(len(p.taps)))
	if columnMajor {
		p.column = columnOrder(w.in)
	}
	return p
}

// columnOrder returns the column-major index of each element of a plane.
func columnOrder(dims []int) []int32 {
	list := make([]int32, tensor.Shape(dims).Elements())
	for i := range list {
		rest, at := i, 0
		steps := make([]int, len(dims))
		step := 1
		for d, n := range dims {
			steps[d] = step
			step *= n
		}
		for d := len(dims) - 1; d >= 0; d-- {
			at += rest % dims[d] * steps[d]
			rest /= dims[d]
		}
		list[i] = int32(at)
	}
	return list
}

// Chunk implements op.Task over the planes.
func (p *pooling) Chunk(lo, hi int) { p.kernel(p, lo, hi) }

func maxPool[T any](lowest T, value func(T) float64) poolKernel {
	return func(p *pooling, lo, hi int) {
		out, in := tensor.Elems[T](p.out), tensor.Elems[T](p.in)
		for plane := lo; plane < hi; plane++ {
			src, dst := in[plane*p.plane:(plane+1)*p.plane], out[plane*p.pixels:(plane+1)*p.pixels]
			for i := range dst {
				taps := p.taps[p.first[i]:p.first[i+1]]
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

func (p *pooling) at(i int32) int32 {
	if p.column != nil {
		return p.column[i]
	}
	return i
}
