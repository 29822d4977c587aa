package nn

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// poolShape is the shape rule of pooling operators: X [N, C, D...] -> [N, C, O...].
func poolShape(c *op.Infer) error {
	x := c.In(0)
	if len(x) < 3 {
		return errs.New(errs.Shape, "X has shape %v, a rank of 3 or more expected", x)
	}
	win, err := poolWindow(c.Attr, x)
	if err != nil {
		return err
	}
	out := c.Grow(0, c.DType(0), len(x))
	out[0], out[1] = x[0], x[1]
	copy(out[2:], win.out)
	return nil
}

// poolWindow reads the attributes of a pooling of x; without kernel_shape a
// window is the whole image.
func poolWindow(a *op.Values, x tensor.Shape) (*window, error) {
	kernel := a.Ints("kernel_shape")
	if kernel == nil {
		kernel = x[2:]
	}
	return newWindow(a, x[2:], kernel, a.Has("ceil_mode") && a.Bool("ceil_mode"))
}

func poolRun(c *op.Context) error {
	p := c.State.(*pooling)
	p.kernel, p.out, p.in, p.indices = op.Row[poolKernel](c), c.Out(0), c.In(0), nil
	if c.Wants(1) {
		p.indices = tensor.Elems[int64](c.Out(1))
	}
	c.For(p.planes, max(1, (32<<10)/max(1, p.pixels*tensor.Shape(p.win.kernel).Elements())), p)
	return nil
}

// pooling is the State of a pooling operator: for each output pixel the input
// elements under its window, in one list, but for poolings by bands.
type pooling struct {
	win                   *window
	planes, plane, pixels int
	first                 []int32 // where the taps of each pixel begin; one more at the end
	taps                  []int32
	column                []int32   // the index of each input element with storage_order 1, or nil
	counts                []float32 // AveragePool: what each pixel's sum is divided by
	order                 float64   // LpPool: p
	kernel                poolKernel
	out, in               *tensor.View
	indices               []int64
}

type poolKernel func(p *pooling, lo, hi int)

func newPooling(w *window, x tensor.Shape) *pooling {
	return &pooling{win: w, planes: x[0] * x[1], plane: tensor.Shape(w.in).Elements(), pixels: tensor.Shape(w.out).Elements()}
}

// list lists the taps, which all kernels but that by bands go through.
func (p *pooling) list() {
	n := tensor.Shape(p.win.kernel).Elements()
	for i := range p.pixels {
		p.first = append(p.first, int32(len(p.taps)))
		for k := range n {
			if at, ok := p.win.tap(i, k); ok {
				p.taps = append(p.taps, int32(at))
			}
		}
	}
	p.first = append(p.first, int32(len(p.taps)))
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

func (p *pooling) at(i int32) int32 {
	if p.column != nil {
		return p.column[i]
	}
	return i
}
