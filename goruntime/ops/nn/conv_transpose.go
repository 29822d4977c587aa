package nn

import (
	"strconv"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// ConvTranspose spreads each element of X over the window that the filters W
// span, sums where windows overlap, and adds a bias: the gradient of Conv.
// https://onnx.ai/onnx/operators/onnx__ConvTranspose.html   Departures: none.
// Where output_shape is larger than the windows reach, the rest is the bias.
var ConvTranspose = op.Declare("", "ConvTranspose", func() op.Def {
	return op.Widened(op.Def{
		Versions: op.Versions{1: "", 11: "defaults", 22: "bfloat16"},
		Attrs: op.Attrs(op.String("auto_pad", "NOTSET"), op.Ints("dilations"), op.Int("group", 1), op.Ints("kernel_shape"),
			op.Ints("output_padding"), op.Ints("output_shape"), op.Ints("pads"), op.Ints("strides")),
		Shape:   convTransposeShape,
		Prepare: convTransposePrepare,
		Run:     func(c *op.Context) error { return op.Row[convKernel](c)(c) },
		DTypes:  widened(convTranspose32, convTransposeOf(double)),
	})
})

// convTransposeShape: X [N, C, D...], W [C, M/group, K...] -> [N, M, O...].
func convTransposeShape(c *op.Infer) error {
	x, w, group := c.In(0), c.In(1), c.Attr.Int("group")
	if len(x) < 3 || len(w) != len(x) {
		return errs.New(errs.Shape, "X has shape %v, W has shape %v: both need a rank of 3 or more, and the same", x, w)
	}
	if group < 1 || w[0] != x[1] || x[1]%group != 0 {
		return errs.New(errs.Shape, "X has %d channels, W has shape %v, group is %d: C must be W's first dimension and a multiple of group", x[1], w, group)
	}
	if k := c.Attr.Ints("kernel_shape"); k != nil && !tensor.Shape(k).Equal(w[2:]) {
		return errs.New(errs.Shape, "kernel_shape is %v, W has shape %v", k, w)
	}
	if c.Has(2) && !c.In(2).Equal(tensor.Shape{w[1] * group}) {
		return errs.New(errs.Shape, "the bias has shape %v, [%d] expected", c.In(2), w[1]*group)
	}
	win, err := transposedWindow(c.Attr, x[2:], w[2:])
	if err != nil {
		return err
	}
	out := c.Grow(0, c.DType(0), len(x))
	out[0], out[1] = x[0], w[1]*group
	copy(out[2:], win.in)
	return nil
}

// transposedWindow returns the window of the convolution of which this is the
// gradient: its in is the output here, its out the input.
func transposedWindow(a *op.Values, in tensor.Shape, kernel []int) (*window, error) {
	n := len(in)
	pads, extra := a.Ints("pads"), a.Ints("output_padding")
	if pads == nil {
		pads = make([]int, 2*n)
	}
	if extra == nil {
		extra = make([]int, n)
	}
	w := &window{
		in: make([]int, n), out: in, kernel: kernel, stride: orOnes(a.Ints("strides"), n), dilation: orOnes(a.Ints("dilations"), n),
	}
	want := a.Ints("output_shape")
	if len(want) > n { // some exporters list the first two dimensions too
		want = want[len(want)-n:]
	}
	if len(w.stride) != n || len(w.dilation) != n || len(pads) != 2*n || len(extra) != n || want != nil && len(want) != n {
		return nil, errs.New(errs.Shape, "strides %v, dilations %v, pads %v, output_padding %v and output_shape %v do not fit the %d spatial dimensions %v",
			w.stride, w.dilation, pads, extra, want, n, in)
	}
	w.begin, w.end = append([]int(nil), pads[:n]...), append([]int(nil), pads[n:]...)
	for i := range n {
		if kernel[i] < 1 || w.stride[i] < 1 || w.dilation[i] < 1 || extra[i] < 0 {
			return nil, errs.New(errs.Shape, "kernel %d, stride %d and dilation %d of dimension %d must be positive, output_padding %d not negative",
				kernel[i], w.stride[i], w.dilation[i], i, extra[i])
		}
		if err := w.near(i); err != nil {
			return nil, err
		}
		if extra[i] > farthest || want != nil && want[i] > farthest {
			return nil, errs.New(errs.Shape, "output_padding %v and output_shape %v must be at most 2^31", extra, want)
		}
		reach := w.stride[i]*(in[i]-1) + extra[i] + (kernel[i]-1)*w.dilation[i] + 1
		if err := w.placeTransposed(i, a.Str("auto_pad"), reach, want); err != nil {
			return nil, err
		}
		if w.in[i] < 0 {
			return nil, errs.New(errs.Shape, "dimension %d of %d becomes %d with pads %d and %d", i, in[i], w.in[i], w.begin[i], w.end[i])
		}
	}
	return w, nil
}

// placeTransposed settles the pads and the output size of dimension i, which is
// reach without padding.
func (w *window) placeTransposed(i int, auto string, reach int, want []int) error {
	switch auto {
	case "SAME_UPPER", "SAME_LOWER":
		w.in[i] = w.out[i] * w.stride[i]
	case "VALID":
		w.begin[i], w.end[i] = 0, 0
		w.in[i] = reach
	case "NOTSET", "":
		w.in[i] = reach - w.begin[i] - w.end[i]
	default:
		return errs.New(errs.Argument, "auto_pad %q is none of NOTSET, VALID, SAME_UPPER, SAME_LOWER", auto)
	}
	if want != nil {
		w.in[i] = want[i]
	} else if auto != "SAME_UPPER" && auto != "SAME_LOWER" {
		return nil
	}
	total := max(0, reach-w.in[i])
	w.begin[i] = total - total/2
	if auto == "SAME_UPPER" {
		w.begin[i] = total / 2
	}
	w.end[i] = total - w.begin[i]
	return nil
}

// spreading is the State of a ConvTranspose.
type spreading struct {
	win                        *window
	images, group, channels, m int // channels and filters of a group
	taps, pixels, plane        int // pixels of an input plane, of an output plane
	bias                       []float32
	filters                    unsafe.Pointer // [group, m*taps, channels], nil where not constant
	x, y                       *tensor.View
	perBlock, blocks           int // filters worked on at a time, and how often
	free                       chan int
	room                       []float32 // of all threads
}

// blockFloats is how much of the product of filters and input is held at a time.
const blockFloats = 64 << 10

func convTransposePrepare(c *op.Context) error {
	x, w := c.In(0).Shape, c.In(1).Shape
	win, err := transposedWindow(c.Attr, x[2:], w[2:])
	if err != nil {
		return err
	}
	s := &spreading{win: win, images: x[0], group: c.Attr.Int("group"), m: w[1], taps: w[2:].Elements(), pixels: x[2:].Elements()}
	s.channels, s.plane = x[1]/s.group, tensor.Shape(win.in).Elements()
	s.perBlock = max(1, min(s.m, blockFloats/max(1, s.taps*s.pixels), s.share(c.Threads())))
	s.blocks = (s.m + s.perBlock - 1) / s.perBlock
	c.State = s
	if c.In(0).DType != tensor.F32 {
		c.NeedWorkspace(8 * s.plane)
		return nil
	}
	threads := c.Threads()
	s.free = make(chan int, threads)
	for i := range threads {
		s.free <- i
	}
	size := w.Elements()
	if !c.Constant(1) {
		c.NeedWorkspace(4 * (size + threads*s.perPart()))
		return nil
	}
	c.NeedWorkspace(4 * threads * s.perPart())
	v, err := c.Value(1)
	if err != nil {
		return err
	}
	mem, err := c.Pack(1, "convtranspose.filters/"+strconv.Itoa(s.group), 4*size, func(dst []byte) error {
		// SAFETY: dst is 64-byte aligned and holds as many float32s.
		s.turn(unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(dst))), size), tensor.Elems[float32](v))
		return nil
	})
	s.filters = unsafe.Pointer(unsafe.SliceData(mem))
	return err
}

// share is how many output channels a block has at most where threads are to share few
// images and groups alike; blocks of few are not worth their start.
func (s *spreading) share(threads int) int {
	loops := max(1, s.images*s.group)
	if threads == 1 || loops >= 2*threads {
		return max(1, s.m)
	}
	blocks := (2*threads + loops - 1) / loops
	return max(min(4, s.m), (s.m+blocks-1)/blocks)
}

// turn writes the filters [group, channels, m*taps] as [group, m*taps, channels].
func (s *spreading) turn(dst, w []float32) {
	rows := s.m * s.taps
	for g := range s.group {
		for ch := range s.channels {
			for r := range rows {
				dst[(g*rows+r)*s.channels+ch] = w[(g*s.channels+ch)*rows+r]
			}
		}
	}
}

// convTransposeOf is the kernel of the other types: each output plane is summed
// in float64.
func convTransposeOf[T any](n number[T]) convKernel {
	return func(c *op.Context) error {
		s, sums := c.State.(*spreading), op.WorkspaceOf[float64](c)
		x, w, y := tensor.Elems[T](c.In(0)), tensor.Elems[T](c.In(1)), tensor.Elems[T](c.Out(0))
		for r := range s.images * s.group * s.m {
			m, g, image := r%s.m, r/s.m%s.group, r/s.m/s.group
			start := 0.0
			if c.Has(2) {
				start = n.Widen(tensor.Elems[T](c.In(2))[g*s.m+m])
			}
			for i := range sums {
				sums[i] = start
			}
			for p := range s.pixels {
				for k := range s.taps {
					at, ok := s.win.tap(p, k)
					for ch := 0; ok && ch < s.channels; ch++ {
						in := g*s.channels + ch
						sums[at] += n.Widen(x[(image*s.group*s.channels+in)*s.pixels+p]) * n.Widen(w[(in*s.m+m)*s.taps+k])
					}
				}
			}
			for i, v := range sums {
				y[r*s.plane+i] = n.Narrow(v)
			}
		}
		return nil
	}
}
