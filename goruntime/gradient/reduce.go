package gradient

import "github.com/goruntime/goruntime/goruntime/onnx"

// axes are those that a reduction names: an attribute up to some opset, an input after
// it. all says that it names none, and so takes all.
func (s *step) axes() (axes string, all bool) {
	if a := s.attr("axes"); a != nil {
		return s.ints(a.Ints...), len(a.Ints) == 0
	}
	if len(s.n.Inputs) > 1 && s.n.Inputs[1] != "" {
		return s.in(1), false
	}
	return "", true
}

// kept gives a value of the output's shape the axes of the input that were reduced, of
// length 1.
func (s *step) kept(x string) string {
	axes, all := s.axes()
	if s.int("keepdims", 1) != 0 || all {
		return x // a scalar is broadcast as it is
	}
	return s.op("Unsqueeze", x, axes)
}

// spread broadcasts a value of the output's shape over the input's.
func (s *step) spread(x string) string {
	return s.op("Expand", s.kept(x), s.op("Shape", s.in(0)))
}

func reduceSum(s *step) { s.give(0, s.spread(s.g)) }

func reduceMean(s *step) {
	n := s.op("Div", s.op("Size", s.in(0)), s.op("Size", s.out()))
	s.give(0, s.spread(s.op("Div", s.g, s.op("CastLike", n, s.g))))
}

func reduceSumSquare(s *step) {
	s.give(0, s.op("Mul", s.spread(s.g), s.op("Add", s.in(0), s.in(0))))
}

func reduceL2(s *step) {
	s.give(0, s.op("Mul", s.spread(s.g), s.op("Div", s.in(0), s.spread(s.out()))))
}

func reduceLogSumExp(s *step) {
	s.give(0, s.op("Mul", s.spread(s.g), s.op("Exp", s.op("Sub", s.in(0), s.spread(s.out())))))
}

// reduceLargest is ReduceMax or ReduceMin: elements that are the result share its
// gradient.
func reduceLargest(s *step) {
	is := s.op("CastLike", s.op("Equal", s.in(0), s.spread(s.out())), s.g)
	g := s.spread(s.g)
	keep := []onnx.Attr{number("keepdims", 1), number("noop_with_empty_axes", s.int("noop_with_empty_axes", 0))}
	in := []string{is}
	if axes, all := s.axes(); !all {
		in = append(in, axes)
	}
	s.give(0, s.op("Mul", g, s.op("Div", is, s.node("ReduceSum", keep, in...))))
}

// softmax is (g - sum(g y)) y along the axis, up to opset 12 along all axes from it on.
func softmax(s *step) {
	y := s.out()
	s.give(0, s.op("Mul", y, s.op("Sub", s.g, s.along(s.op("Mul", s.g, y)))))
}

func logSoftmax(s *step) {
	s.give(0, s.op("Sub", s.g, s.op("Mul", s.op("Exp", s.out()), s.along(s.g))))
}

// along sums along the axis of a softmax.
func (s *step) along(x string) string {
	keep := []onnx.Attr{number("keepdims", 1)}
	if s.opset >= 13 {
		return s.node("ReduceSum", keep, x, s.ints(int64(s.int("axis", -1))))
	}
	flat := s.node("Flatten", []onnx.Attr{number("axis", s.int("axis", 1))}, x)
	sums := s.op("Expand", s.node("ReduceSum", keep, flat, s.ints(1)), s.op("Shape", flat))
	return s.shaped(sums, s.op("Shape", x))
}

func globalAveragePool(s *step) {
	n := s.op("Div", s.op("Size", s.in(0)), s.op("Size", s.out()))
	s.give(0, s.op("Expand", s.op("Div", s.g, s.op("CastLike", n, s.g)), s.op("Shape", s.in(0))))
}
