package gradient

import "github.com/goruntime/goruntime/goruntime/onnx"

// conv is a convolution with explicit padding. With respect to its input it is the
// transposed one, cut to the input's place; with respect to its weights the convolution
// of the input, channels for images, by the gradient, strides for dilations.
func conv(s *step) {
	kernel := s.attr("kernel_shape")
	auto := s.attr("auto_pad")
	if s.int("group", 1) != 1 || kernel == nil || auto != nil && string(auto.S) != "NOTSET" {
		s.fail("with groups, with auto_pad or without kernel_shape")
		return
	}
	n := len(kernel.Ints)
	strides, dilations := s.perAxis("strides", n), s.perAxis("dilations", n)
	pads := make([]int64, 2*n)
	if a := s.attr("pads"); a != nil && len(a.Ints) == 2*n {
		copy(pads, a.Ints)
	}
	axes := make([]int64, n) // the spatial ones
	for i := range axes {
		axes[i] = int64(2 + i)
	}
	if s.wants(0) {
		s.give(0, s.convInput(strides, dilations, pads, axes))
	}
	if s.wants(1) {
		s.give(1, s.convWeights(strides, dilations, pads, axes))
	}
	if s.wants(2) {
		keep := []onnx.Attr{number("keepdims", 0)}
		s.give(2, s.node("ReduceSum", keep, s.g, s.ints(append([]int64{0}, axes...)...)))
	}
}

func (s *step) perAxis(name string, n int) []int64 {
	list := make([]int64, n)
	for i := range list {
		list[i] = 1
	}
	if a := s.attr(name); a != nil && len(a.Ints) == n {
		copy(list, a.Ints)
	}
	return list
}

// convInput lays the transposed convolution, which begins where the padding does, over
// the input; what strides left out at the end is 0.
func (s *step) convInput(strides, dilations, pads, axes []int64) string {
	n := len(axes)
	full := s.node("ConvTranspose", []onnx.Attr{numbers("strides", strides...), numbers("dilations", dilations...)}, s.g, s.in(1))
	size := s.op("Slice", s.op("Shape", s.in(0)), s.ints(2), s.ints(int64(2+n)))
	begin := s.ints(pads[:n]...)
	end := s.op("Add", begin, size)
	short := s.op("Max", s.op("Sub", end, s.op("Slice", s.op("Shape", full), s.ints(2), s.ints(int64(2+n)))), s.ints(0))
	join := []onnx.Attr{number("axis", 0)}
	amounts := s.node("Concat", join, s.ints(make([]int64, n)...), short)
	padded := s.op("Pad", full, amounts, s.real(0, full), s.ints(axes...))
	return s.op("Slice", padded, begin, end, s.ints(axes...))
}

// convWeights may have more places than the kernel, where strides left out the end.
func (s *step) convWeights(strides, dilations, pads, axes []int64) string {
	swap := []int64{1, 0}
	swap = append(swap, axes...)
	attr := []onnx.Attr{numbers("perm", swap...)}
	images, gradients := s.node("Transpose", attr, s.in(0)), s.node("Transpose", attr, s.g)
	w := s.node("Conv", []onnx.Attr{numbers("strides", dilations...), numbers("dilations", strides...), numbers("pads", pads...)}, images, gradients)
	n := int64(len(axes))
	end := s.op("Slice", s.op("Shape", s.in(1)), s.ints(2), s.ints(2+n))
	begin := make([]int64, n)
	return s.op("Slice", s.node("Transpose", attr, w), s.ints(begin...), end, s.ints(axes...))
}

// batchNormalization is that of inference: statistics are inputs like others, whose
// gradients are not there.
func batchNormalization(s *step) {
	if s.int("training_mode", 0) != 0 || s.wants(3) || s.wants(4) || len(s.n.Outputs) > 1 {
		s.fail("in training mode, and for its statistics")
		return
	}
	if s.opset < 7 && s.int("is_test", 0) == 0 || s.opset < 9 && s.int("spatial", 1) == 0 {
		s.fail("where is_test is 0, as it is before opset 7 unless set, and where spatial is 0")
		return
	}
	x, g := s.in(0), s.g
	// A channel's number lies along the second axis.
	channel := func(v string) string {
		ones := s.op("Expand", s.ints(1), s.op("Sub", s.op("Shape", s.op("Shape", x)), s.ints(2)))
		return s.shaped(v, s.node("Concat", []onnx.Attr{number("axis", 0)}, s.ints(1, -1), ones))
	}
	root := channel(s.op("Sqrt", s.op("Add", s.in(4), s.real(s.float("epsilon", 1e-5), s.in(4)))))
	sums := func(v string) string { return s.op("Reshape", s.like(v, root), s.ints(-1)) }
	if s.wants(0) {
		s.give(0, s.op("Mul", g, s.op("Div", channel(s.in(1)), root)))
	}
	if s.wants(1) {
		s.give(1, sums(s.op("Mul", g, s.op("Div", s.op("Sub", x, channel(s.in(3))), root))))
	}
	if s.wants(2) {
		s.give(2, sums(g))
	}
}
