package nn

import (
	"slices"
	"strconv"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/igemm"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// byteTypes are the types that convolutions of integers take.
var byteTypes = []tensor.DType{tensor.I8, tensor.U8}

// integerInputs numbers the inputs of a convolution of bytes; a negative or
// omitted zero point or bias is 0.
type integerInputs struct{ x, w, zeroX, zeroW, bias int }

func (in integerInputs) has(c *op.Context, i int) bool { return i >= 0 && c.Has(i) }

// integerConvShape sets output 0: X [N, C, D...], W [M, C/group, K...] ->
// [N, M, O...].
func integerConvShape(c *op.Infer, in integerInputs, dtype tensor.DType) error {
	if err := convolved(c, dtype, in.x, in.w, in.bias); err != nil {
		return err
	}
	if in.zeroX >= 0 && c.Has(in.zeroX) && c.In(in.zeroX).Elements() != 1 {
		return errs.New(errs.Shape, "the zero point of X has shape %v: one number expected", c.In(in.zeroX))
	}
	if in.zeroW >= 0 && c.Has(in.zeroW) {
		if n, m := c.In(in.zeroW).Elements(), c.In(in.w)[0]; n != 1 && n != m {
			return errs.New(errs.Shape, "the zero point of W has shape %v: one number or %d expected", c.In(in.zeroW), m)
		}
	}
	return nil
}

// integerConv is a convolution of bytes.
type integerConv struct {
	in           integerInputs
	images, m    int
	empty        bool
	conv         *igemm.Conv
	args         igemm.ConvArgs
	filters      []byte // packed once, where constant
	filterSums   []int32
	signX        int32 // what flipping adds to the zero points
	signW        int32
	atBytes      op.Part
	atSums       op.Part
	atInit       op.Part
	atZeros      op.Part
	atFilters    op.Part
	atFilterSums op.Part
}

// newIntegerConv prepares a convolution and adds what it needs to the room.
func newIntegerConv(c *op.Context, in integerInputs, r *op.Room) (*integerConv, error) {
	x, w := c.In(in.x).Shape, c.In(in.w).Shape
	win, err := newWindow(c.Attr, x[2:], w[2:], false)
	if err != nil {
		return nil, err
	}
	s := &integerConv{in: in, images: x[0], m: w[0]}
	if c.In(in.x).DType == tensor.I8 {
		s.args.Flip, s.signX = igemm.Flip, 128
	}
	if c.In(in.w).DType == tensor.U8 {
		s.args.Bits, s.signW = igemm.Flip, -128
	}
	if s.empty = x[0]*w[0]*tensor.Shape(win.out).Elements() == 0; s.empty {
		return s, nil
	}
	group := c.Attr.Int("group")
	s.conv = igemm.NewConv(&igemm.ConvShape{
		N: x[0], C: x[1], M: w[0], Group: group,
		In: win.in, Out: win.out, Kernel: win.kernel, Stride: win.stride, Dilation: win.dilation, BeginPads: win.begin,
	}, c.Threads())
	s.atBytes, s.atSums = r.Add(s.conv.ScratchBytes()), r.Add(4*s.conv.ScratchSums())
	s.atInit, s.atZeros = r.Add(4*s.m), r.Add(4*s.m)
	s.atFilterSums = r.Add(4 * s.m)
	if !c.Constant(in.w) {
		s.atFilters = r.Add(s.conv.FiltersSize())
		return s, nil
	}
	f, err := c.Value(in.w)
	if err != nil || s.conv.Direct() {
		return s, err
	}
	s.filters, err = c.Pack(in.w, "igemm.filters/"+strconv.Itoa(group), s.conv.FiltersSize(), func(dst []byte) error {
		s.conv.PackFilters(dst, f.Raw(), s.args.Bits)
		return nil
	})
	s.filterSums = make([]int32, s.m)
	sumFilters(s.filterSums, f.Raw(), s.args.Bits)
	return s, err
}

// sumFilters adds up each filter.
func sumFilters(sums []int32, w []byte, flip byte) {
	n := len(w) / len(sums)
	for m := range sums {
		s := int32(0)
		for _, b := range w[m*n : (m+1)*n] {
			s += int32(int8(b ^ flip))
		}
		sums[m] = s
	}
}

// run convolves all images; the sums go to sink.
func (s *integerConv) run(c *op.Context, sink igemm.Sink) {
	if s.empty {
		return
	}
	a := &s.args
	a.X, a.Scratch, a.Sums, a.Init, a.Sink = c.In(s.in.x).Raw(), s.atBytes.Bytes(c), s.atSums.Ints(c), s.atInit.Ints(c), sink
	zeroX := s.signX
	if s.in.has(c, s.in.zeroX) {
		zeroX += byteAt(c.In(s.in.zeroX), 0)
	}
	a.Zero = byte(zeroX)
	a.ZeroW = s.zeros(c)
	s.bindFilters(c)
	s.start(c, zeroX)
	s.conv.Bind(a)
	for i := range s.images {
		if !s.conv.Direct() {
			s.conv.Step(i, true)
			c.For(s.conv.Parts(), 1, s.conv)
		}
		s.conv.Step(i, false)
		c.For(s.conv.Parts(), 1, s.conv)
	}
}

func byteAt(v *tensor.View, i int) int32 {
	b := v.Raw()[i]
	if v.DType == tensor.I8 {
		return int32(int8(b))
	}
	return int32(b)
}

// zeros returns the zero points of the flipped filters, nil where all are 0.
func (s *integerConv) zeros(c *op.Context) []int32 {
	list, some := s.atZeros.Ints(c), false
	for m := range list {
		list[m] = s.signW
		if s.in.has(c, s.in.zeroW) {
			v := c.In(s.in.zeroW)
			list[m] += byteAt(v, m%v.Elements())
		}
		some = some || list[m] != 0
	}
	if !some {
		return nil
	}
	return list
}

func (s *integerConv) bindFilters(c *op.Context) {
	w := c.In(s.in.w).Raw()
	switch {
	case s.conv.Direct():
		s.args.W = w
	case s.filters != nil:
		s.args.W = s.filters
	default:
		s.args.W = s.atFilters.Bytes(c)
		s.conv.PackFilters(s.args.W, w, s.args.Bits)
		s.filterSums = s.atFilterSums.Ints(c)
		sumFilters(s.filterSums, w, s.args.Bits)
	}
}

// start sets what the sums start from: the bias, and what the zero point of X
// contributes.
func (s *integerConv) start(c *op.Context, zeroX int32) {
	taps := int32(c.In(s.in.w).Elements() / s.m)
	for m := range s.args.Init {
		v := int32(0)
		if s.in.has(c, s.in.bias) {
			v = tensor.Elems[int32](c.In(s.in.bias))[m]
		}
		if !s.conv.Direct() {
			zeroW := int32(0)
			if s.args.ZeroW != nil {
				zeroW = s.args.ZeroW[m]
			}
			v -= zeroX * (s.filterSums[m] - taps*zeroW)
		}
		s.args.Init[m] = v
	}
}

// fasterOnBytes tells of an f32 convolution whether that of bytes is faster here. Bytes
// are multiplied three to four times as fast, but they are brought into the order of pixels
// and back, and what is fused to an f32 convolution reads and writes them by itself. Filters
// of 3x3 that move by one pixel have Winograd's algorithm.
func fasterOnBytes(c *op.Infer) bool {
	x, w := c.In(0), c.In(1)
	win, err := newWindow(c.Attr, x[2:], w[2:], false)
	if err != nil || !igemm.Fast() || c.Attr.Int("group") != 1 {
		return false
	}
	if slices.Equal(win.kernel, []int{3, 3}) && slices.Equal(win.stride, []int{1, 1}) && slices.Equal(win.dilation, []int{1, 1}) {
		return false
	}
	in, out := x[1:].Elements(), w[0]*tensor.Shape(win.out).Elements()
	// Nanoseconds, roughly: what a product saves, what a byte costs.
	saved := 0.013 * float64(out) * float64(w[1:].Elements())
	return saved > 0.25*float64(in)+0.4*float64(out)
}
