package gradient

import (
	"slices"

	"github.com/goruntime/goruntime/goruntime/onnx"
)

// pad is undone by padding as much less, of which nothing is left but 0 where it cut;
// in the modes that repeat elements, their positions tell where each came from.
func pad(s *step) {
	if a := s.attr("mode"); a != nil && string(a.S) != "constant" {
		if s.opset < 11 {
			s.fail("before opset 11, in other modes than constant")
			return
		}
		n := *s.n // positions are padded, by no constant of another type
		n.Inputs = slices.Clone(n.Inputs)
		if len(n.Inputs) > 2 {
			n.Inputs[2] = ""
		}
		s.n = &n
		moved(s)
		return
	}
	amounts, axes := "", []string(nil)
	if s.opset >= 11 {
		amounts = s.in(1)
		if len(s.n.Inputs) > 3 && s.n.Inputs[3] != "" {
			axes = []string{s.in(3)}
		}
	} else {
		a := s.attr("pads")
		if a == nil {
			a = s.attr("paddings")
		}
		if a == nil {
			s.fail("without pads")
			return
		}
		amounts = s.ints(a.Ints...)
	}
	less := s.op("Neg", amounts)
	s.give(0, s.op("Pad", append([]string{s.g, less, s.real(0, s.g)}, axes...)...))
	if s.wants(2) {
		all := []onnx.Attr{number("keepdims", 0)}
		rest := s.op("Sub", s.node("ReduceSum", all, s.g), s.node("ReduceSum", all, s.given[0]))
		s.give(2, s.shaped(rest, s.op("Shape", s.in(2))))
	}
}
