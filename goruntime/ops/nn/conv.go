package nn

import (
	"strconv"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/conv"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Conv convolves X with the filters W and adds a bias.
// https://onnx.ai/onnx/operators/onnx__Conv.html   Departures: none.
var Conv = op.Declare("", "Conv", func() op.Def {
	return op.Widened(op.Def{
		Versions: op.Versions{1: "", 11: "defaults", 22: "bfloat16"},
		Attrs: op.Attrs(op.String("auto_pad", "NOTSET"), op.Ints("dilations"), op.Int("group", 1), op.Ints("kernel_shape"),
			op.Ints("pads"), op.Ints("strides")),
		Tail:    true,
		Whole:   func(*op.Infer) (*op.Def, bool) { return wholeConv, true },
		Bytes:   func(c *op.Infer) (*op.Def, bool) { return QLinearConv.Def(), fasterOnBytes(c) },
		Shape:   convShape,
		Prepare: func(c *op.Context) error { return convPrepare(c, false) },
		Run:     func(c *op.Context) error { return op.Row[convKernel](c)(c) },
		DTypes: op.ByType(map[tensor.DType]convKernel{
			tensor.F32: conv32, tensor.F64: convOf(func(f float64) float64 { return f }, func(f float64) float64 { return f }),
		}),
	})
})

// wholeConv is Conv without the tiles of Winograd, which take whole numbers to
// fractions.
var wholeConv = &op.Def{
	Name: "Conv", Versions: op.Versions{1: ""}, Tail: true, Shape: convShape,
	Prepare: func(c *op.Context) error { return convPrepare(c, true) },
	Run:     conv32,
}

type convKernel func(c *op.Context) error

// convShape: X [N, C, D...], W [M, C/group, K...] -> [N, M, O...].
func convShape(c *op.Infer) error { return convolved(c, c.DType(0), 0, 1, 2) }

// convolved is the shape rule of convolutions; bias is below 0 where there is none.
func convolved(c *op.Infer, dtype tensor.DType, input, filters, bias int) error {
	x, w, group := c.In(input), c.In(filters), c.Attr.Int("group")
	if len(x) < 3 || len(w) != len(x) {
		return errs.New(errs.Shape, "X has shape %v, W has shape %v: both need a rank of 3 or more, and the same", x, w)
	}
	if group < 1 || w[1]*group != x[1] || w[0]%group != 0 {
		return errs.New(errs.Shape, "X has %d channels, W has shape %v, group is %d: C must be W's second dimension times group and M a multiple of group", x[1], w, group)
	}
	if k := c.Attr.Ints("kernel_shape"); k != nil && !tensor.Shape(k).Equal(w[2:]) {
		return errs.New(errs.Shape, "kernel_shape is %v, W has shape %v", k, w)
	}
	if bias >= 0 && c.Has(bias) && !c.In(bias).Equal(tensor.Shape{w[0]}) {
		return errs.New(errs.Shape, "the bias has shape %v, [%d] expected", c.In(bias), w[0])
	}
	win, err := newWindow(c.Attr, x[2:], w[2:], false)
	if err != nil {
		return err
	}
	out := c.Grow(0, dtype, len(x))
	out[0], out[1] = x[0], w[0]
	copy(out[2:], win.out)
	return nil
}

// convolution is the State of a Conv.
type convolution struct {
	win   *window
	group int
	plan  *conv.Plan
	args  conv.Args
}

func convPrepare(c *op.Context, whole bool) error {
	x, w := c.In(0).Shape, c.In(1).Shape
	win, err := newWindow(c.Attr, x[2:], w[2:], false)
	if err != nil {
		return err
	}
	s := &convolution{win: win, group: c.Attr.Int("group")}
	c.State = s
	if c.In(0).DType != tensor.F32 {
		return nil
	}
	s.plan = conv.NewPlan(conv.Shape{
		N: x[0], C: x[1], M: w[0], Group: s.group,
		In: win.in, Out: win.out, Kernel: win.kernel, Stride: win.stride, Dilation: win.dilation, Begin: win.begin, Plain: whole, Kept: c.Constant(1),
	}, c.Threads(), c.Tail())
	c.NeedWorkspace(s.plan.Workspace())
	if n := s.plan.PackedFilters(); n > 0 && c.Constant(1) {
		f, err := c.Value(1)
		if err != nil {
			return err
		}
		mem, err := c.Pack(1, filtersLayout(s.plan, s.group), 4*n, func(dst []byte) error {
			// SAFETY: dst is 64-byte aligned and holds n float32s.
			s.plan.PackFilters(unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(dst))), n), tensor.Elems[float32](f))
			return nil
		})
		if err != nil {
			return err
		}
		s.args.Packed = unsafe.Pointer(unsafe.SliceData(mem))
	}
	return nil
}

// filtersLayout names the packed form of filters, which are packed by group.
func filtersLayout(p *conv.Plan, group int) string {
	if p.Winograd() {
		return "conv.winograd"
	}
	if group == 1 {
		return "conv.filters"
	}
	return "conv.filters/" + strconv.Itoa(group)
}

func conv32(c *op.Context) error {
	s := c.State.(*convolution)
	s.args.X, s.args.W, s.args.Y = c.In(0).Data, c.In(1).Data, c.Out(0).Data
	s.args.Bias = nil
	if c.Has(2) {
		s.args.Bias = c.In(2).Data
	}
	s.args.Scratch = c.Workspace()
	s.args.Tail, s.args.Relu = c.Tail(), false
	if t := s.args.Tail; t != nil && t.Relu() {
		s.args.Tail, s.args.Relu = nil, true
	}
	s.plan.Bind(&s.args)
	c.For(s.plan.Parts(), s.plan.Grain(), s.plan)
	return nil
}

// convOf is the convolution for the other types: each output element summed in
// float64 over the window.
func convOf[T any](widen func(T) float64, narrow func(float64) T) convKernel {
	return func(c *op.Context) error {
		s := c.State.(*convolution)
		x, w := c.In(0).Shape, c.In(1).Shape
		src, flt, out := tensor.Elems[T](c.In(0)), tensor.Elems[T](c.In(1)), tensor.Elems[T](c.Out(0))
		taps := tensor.Shape(s.win.kernel).Elements()
		pixels := tensor.Shape(s.win.out).Elements()
		plane := tensor.Shape(s.win.in).Elements()
		perGroup := w[0] / s.group
		at := 0
		for n := range x[0] {
			for m := range w[0] {
				bias := 0.0
				if c.Has(2) {
					bias = widen(tensor.Elems[T](c.In(2))[m])
				}
				first := n*x[1] + m/perGroup*w[1]
				for p := range pixels {
					sum := bias
					for k := range taps {
						i, ok := s.win.tap(p, k)
						if !ok {
							continue
						}
						for ch := range w[1] {
							sum += widen(src[(first+ch)*plane+i]) * widen(flt[(m*w[1]+ch)*taps+k])
						}
					}
					out[at] = narrow(sum)
					at++
				}
			}
		}
		return nil
	}
}
