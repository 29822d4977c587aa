package nn

import (
	"slices"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// window is where the windows of a convolution or pooling lie, for each of the
// spatial dimensions.
type window struct {
	in, out, kernel, stride, dilation, begin, end []int
}

// newWindow reads the attributes that convolution and pooling share.
//
// Shapes: in are the spatial dimensions of the input, kernel those of the
// window. ceil rounds the number of windows up (ceil_mode).
func newWindow(a *op.Values, in tensor.Shape, kernel []int, ceil bool) (*window, error) {
	n := len(in)
	w := &window{in: in, kernel: kernel, stride: orOnes(a.Ints("strides"), n), dilation: make([]int, n), out: make([]int, n)}
	copy(w.dilation, orOnes(nil, n))
	if a.Has("dilations") {
		w.dilation = a.Ints("dilations")
	}
	pads := a.Ints("pads")
	if pads == nil {
		pads = make([]int, 2*n)
	}
	if len(kernel) != n || len(w.stride) != n || len(w.dilation) != n || len(pads) != 2*n {
		return nil, errs.New(errs.Shape, "kernel %v, strides %v, dilations %v and pads %v do not fit the %d spatial dimensions %v",
			kernel, w.stride, w.dilation, pads, n, in)
	}
	w.begin, w.end, w.stride, w.dilation = slices.Clone(pads[:n]), slices.Clone(pads[n:]), slices.Clone(w.stride), slices.Clone(w.dilation)
	if _, err := tensor.Shape(kernel).Check(tensor.U8); err != nil {
		return nil, err
	}
	auto := "NOTSET"
	if a.Has("auto_pad") {
		auto = a.Str("auto_pad")
	}
	for i := range n {
		if kernel[i] < 1 || w.stride[i] < 1 || w.dilation[i] < 1 {
			return nil, errs.New(errs.Shape, "kernel %d, stride %d and dilation %d of dimension %d must be positive", kernel[i], w.stride[i], w.dilation[i], i)
		}
		if err := w.near(i); err != nil {
			return nil, err
		}
		if err := w.place(i, auto, ceil); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// place settles the pads and the number of windows of dimension i.
func (w *window) place(i int, auto string, ceil bool) error {
	extent := (w.kernel[i]-1)*w.dilation[i] + 1
	switch auto {
	case "NOTSET", "":
	case "VALID":
		w.begin[i], w.end[i] = 0, 0
	case "SAME_UPPER", "SAME_LOWER":
		w.out[i] = (w.in[i] + w.stride[i] - 1) / w.stride[i]
		total := max(0, (w.out[i]-1)*w.stride[i]+extent-w.in[i])
		w.begin[i] = total / 2
		if auto == "SAME_LOWER" {
			w.begin[i] = total - total/2
		}
		w.end[i] = total - w.begin[i]
		w.simplify(i)
		return nil
	default:
		return errs.New(errs.Argument, "auto_pad %q is none of NOTSET, VALID, SAME_UPPER, SAME_LOWER", auto)
	}
	room := w.in[i] + w.begin[i] + w.end[i] - extent
	if room < 0 {
		if w.in[i]+w.begin[i]+w.end[i] >= 0 && w.in[i] == 0 {
			w.out[i] = 0
			return nil
		}
		return errs.New(errs.Shape, "a window of %d does not fit into dimension %d of %d with pads %d and %d", extent, i, w.in[i], w.begin[i], w.end[i])
	}
	w.out[i] = room/w.stride[i] + 1
	if ceil && room%w.stride[i] != 0 {
		w.out[i]++
		if (w.out[i]-1)*w.stride[i] >= w.in[i]+w.begin[i] { // a window must not begin in the end padding
			w.out[i]--
		}
	}
	w.simplify(i)
	return nil
}

// farthest is the greatest number that a window may have: sums and products of two
// such numbers are ints.
const farthest = 1 << 31

// near refuses numbers of dimension i that are beyond all memory, and pads that cut.
func (w *window) near(i int) error {
	for _, n := range [...]int{w.kernel[i], w.stride[i], w.dilation[i], w.begin[i], w.end[i]} {
		if n < 0 || n > farthest {
			return errs.New(errs.Shape, "kernel %d, stride %d, dilation %d, pads %d and %d of dimension %d: each must lie in [0, 2^31]",
				w.kernel[i], w.stride[i], w.dilation[i], w.begin[i], w.end[i], i)
		}
	}
	return nil
}

// simplify takes the stride of a single window, and the dilation of a single element, to
// 1: kernels need room for each place that a stride steps over.
func (w *window) simplify(i int) {
	if w.out[i] <= 1 {
		w.stride[i] = 1
	}
	if w.kernel[i] == 1 {
		w.dilation[i] = 1
	}
}

// seen returns the first element of the window at output o of dimension i that lies on the
// input, and how many do.
func (w *window) seen(i, o int) (first, n int) {
	at := o*w.stride[i] - w.begin[i]
	skip := below(-at, w.dilation[i], w.kernel[i])
	return at + skip*w.dilation[i], below(w.in[i]-at, w.dilation[i], w.kernel[i]) - skip
}

func orOnes(list []int, n int) []int {
	if list != nil {
		return list
	}
	list = make([]int, n)
	for i := range list {
		list[i] = 1
	}
	return list
}

// tap returns which input element the k-th element of the window at output p
// lies on; ok is false in the padding.
func (w *window) tap(p, k int) (at int, ok bool) { return w.leading(len(w.in), p, k) }

// leading is tap in the first n dimensions alone.
func (w *window) leading(n, p, k int) (at int, ok bool) {
	step := 1
	for d := n - 1; d >= 0; d-- {
		i := p%w.out[d]*w.stride[d] - w.begin[d] + k%w.kernel[d]*w.dilation[d]
		if i < 0 || i >= w.in[d] {
			return 0, false
		}
		at += i * step
		step *= w.in[d]
		p /= w.out[d]
		k /= w.kernel[d]
	}
	return at, true
}
