package gradient

import "github.com/goruntime/goruntime/goruntime/onnx"

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
