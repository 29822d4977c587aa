package gradient

import "github.com/goruntime/goruntime/goruntime/onnx"

// window is how a convolution lays its kernel over images [N, C, X...].
type window struct {
	group                    int64
	strides, dilations, pads []int64
	axes                     []int64 // the spatial ones
}

// window reads the attributes of the node; where they do not tell how many spatial axes
// there are, or padding that only the shapes decide, the rule fails.
func (s *step) window() (window, bool) {
	n := 0
	for _, name := range []string{"kernel_shape", "strides", "dilations"} {
		if a := s.attr(name); a != nil {
			n = len(a.Ints)
		}
	}
	pads := s.attr("pads")
	if pads != nil && n == 0 {
		n = len(pads.Ints) / 2
	}
	w := window{group: int64(s.int("group", 1)), strides: s.perAxis("strides", n), dilations: s.perAxis("dilations", n), pads: make([]int64, 2*n)}
	auto := s.attr("auto_pad")
	if n == 0 || w.group < 1 || auto != nil && string(auto.S) != "NOTSET" && string(auto.S) != "VALID" || s.attr("output_shape") != nil {
		s.fail("with auto_pad, with output_shape, or where no attribute tells how many axes the kernel has")
		return w, false
	}
	if pads != nil && len(pads.Ints) == 2*n && (auto == nil || string(auto.S) == "NOTSET") {
		copy(w.pads, pads.Ints)
	}
	for i := range n {
		w.axes = append(w.axes, int64(2+i))
	}
	return w, true
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

// conv is linear in its images and in its weights: with respect to the one it is the
// transposed convolution, with respect to the other that of the images by the gradient.
func conv(s *step) {
	w, ok := s.window()
	if !ok {
		return
	}
	if s.wants(0) {
		s.give(0, s.convImages(w))
	}
	if s.wants(1) {
		s.give(1, s.convWeights(w, s.in(0), s.g))
	}
	if s.wants(2) {
		s.give(2, s.channels(w))
	}
}

// convTranspose is conv with its images and gradients in each other's place.
func convTranspose(s *step) {
	w, ok := s.window()
	if !ok {
		return
	}
	if s.wants(0) {
		attrs := []onnx.Attr{
			number("group", int(w.group)), numbers("strides", w.strides...), numbers("dilations", w.dilations...), numbers("pads", w.pads...),
		}
		s.give(0, s.begin(s.node("Conv", attrs, s.g, s.in(1)), s.in(0), w))
	}
	if s.wants(1) {
		s.give(1, s.convWeights(w, s.g, s.in(0)))
	}
	if s.wants(2) {
		s.give(2, s.channels(w))
	}
}

// channels sums the gradient over all but the channels: that of a bias.
func (s *step) channels(w window) string {
	return s.node("ReduceSum", []onnx.Attr{number("keepdims", 0)}, s.g, s.ints(append([]int64{0}, w.axes...)...))
}

// extent is the spatial part of the shape of x.
func (s *step) extent(x string, w window) string {
	return s.op("Slice", s.op("Shape", x), s.ints(2), s.ints(int64(2+len(w.axes))))
}

// begin cuts x to the spatial size of like: a window of strides may leave more.
func (s *step) begin(x, like string, w window) string {
	return s.op("Slice", x, s.ints(make([]int64, len(w.axes))...), s.extent(like, w), s.ints(w.axes...))
}

// convImages lays the transposed convolution, which begins where the padding does, over
// the images; what strides left out at the end is 0.
func (s *step) convImages(w window) string {
	n := len(w.axes)
	attrs := []onnx.Attr{number("group", int(w.group)), numbers("strides", w.strides...), numbers("dilations", w.dilations...)}
	full := s.node("ConvTranspose", attrs, s.g, s.in(1))
	begin := s.ints(w.pads[:n]...)
	end := s.op("Add", begin, s.extent(s.in(0), w))
	short := s.op("Max", s.op("Sub", end, s.extent(full, w)), s.ints(0))
	amounts := s.node("Concat", []onnx.Attr{number("axis", 0)}, s.ints(make([]int64, n)...), short)
	padded := s.op("Pad", full, amounts, s.real(0, full), s.ints(w.axes...))
	return s.op("Slice", padded, begin, end, s.ints(w.axes...))
}

// convWeights convolves images [N, group*C, X...] by gradients [N, M, Y...], channels for
// images and strides for dilations. It may find more places than the kernel in(1)
// [M, C, K...] has, where strides left out the end.
func (s *step) convWeights(w window, images, gradients string) string {
	swap := numbers("perm", append([]int64{1, 0}, w.axes...)...)
	if w.group == 1 {
		images = s.node("Transpose", []onnx.Attr{swap}, images)
	} else {
		images = s.apart(w, images)
	}
	attrs := []onnx.Attr{
		number("group", int(w.group)), numbers("strides", w.dilations...), numbers("dilations", w.strides...), numbers("pads", w.pads...),
	}
	found := s.node("Conv", attrs, images, s.node("Transpose", []onnx.Attr{swap}, gradients))
	return s.begin(s.node("Transpose", []onnx.Attr{swap}, found), s.in(1), w)
}

// apart lays the groups of images [N, group*C, X...] beside each other as channels of
// C images: [C, group*N, X...].
func (s *step) apart(w window, images string) string {
	join := []onnx.Attr{number("axis", 0)}
	shape, group := s.op("Shape", images), s.ints(w.group)
	size := s.op("Slice", shape, s.ints(0), s.ints(1))
	channels := s.op("Div", s.op("Slice", shape, s.ints(1), s.ints(2)), group)
	extent := s.extent(images, w)
	split := s.shaped(images, s.node("Concat", join, size, group, channels, extent))
	perm := []int64{2, 1, 0}
	for _, a := range w.axes {
		perm = append(perm, a+1)
	}
	moved := s.node("Transpose", []onnx.Attr{numbers("perm", perm...)}, split)
	return s.shaped(moved, s.node("Concat", join, channels, s.op("Mul", group, size), extent))
}
