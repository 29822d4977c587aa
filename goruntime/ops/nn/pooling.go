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
	c.For(p.planes, max(1, (32<<10)/max(1, p.pixels*p.most)), p)
	return nil
}

// pooling is the State of a pooling operator. Which input elements lie under each output
// pixel is listed where that is little, else found for each pixel anew.
type pooling struct {
	win                   *window
	flat                  *pooling // of volumes, that of the images they consist of, or nil
	planes, plane, pixels int
	most                  int       // elements that lie under a window at most
	first                 []int32   // where the listed taps of each pixel begin, one more at the end; nil where none are
	taps                  []int32   // of all pixels
	column                []int32   // the index of each input element with storage_order 1, or nil
	counts                []float32 // AveragePool: what each pixel's sum is divided by
	order                 float64   // LpPool: p
	kernel                poolKernel
	out, in               *tensor.View
	indices               []int64
}

type poolKernel func(p *pooling, lo, hi int)

func newPooling(w *window, x tensor.Shape) *pooling {
	w = w.lifted()
	p := &pooling{win: w, planes: x[0] * x[1], plane: tensor.Shape(w.in).Elements(), pixels: tensor.Shape(w.out).Elements(), most: 1}
	p.flat = p.slices()
	for i, n := range w.in {
		p.most *= max(1, below(n, w.dilation[i], w.kernel[i]))
	}
	return p
}

// mostListed is how many taps of all pixels are worth a list.
const mostListed = 4 << 20

// list lists the taps, which all kernels but that by bands go through.
func (p *pooling) list() {
	if p.pixels > mostListed || p.pixels*p.most > mostListed {
		return
	}
	first, room := make([]int32, 0, p.pixels+1), p.room()
	for i := range p.pixels {
		first = append(first, int32(len(p.taps)))
		p.taps = append(p.taps, p.under(i, room)...)
	}
	p.first = append(first, int32(len(p.taps)))
}

// room is what under needs, nil where the taps are listed.
func (p *pooling) room() []int32 {
	if p.first != nil {
		return nil
	}
	return make([]int32, p.most)
}

// under returns the input elements under the window of pixel i, in the order of the
// window. They are good until room is used again.
func (p *pooling) under(i int, room []int32) []int32 {
	if p.first != nil {
		return p.taps[p.first[i]:p.first[i+1]]
	}
	list, pixels := append(room[:0], 0), p.pixels
	for d, wide := range p.win.in {
		pixels /= p.win.out[d]
		first, n := p.win.seen(d, i/pixels)
		i %= pixels
		if n == 0 {
			return nil
		}
		size := len(list)
		list = list[:size*n]
		for j := size - 1; j >= 0; j-- { // from behind: each entry becomes n, from its own place on or behind it
			for k, row := n-1, int(list[j])*wide+first; k >= 0; k-- {
				list[j*n+k] = int32(row + k*p.win.dilation[d])
			}
		}
	}
	return list
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
