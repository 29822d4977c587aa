package gradient

import "github.com/goruntime/goruntime/goruntime/onnx"

// reshape is any operator that moves no element.
func reshape(s *step) { s.give(0, s.shaped(s.g, s.op("Shape", s.in(0)))) }

func expand(s *step) { s.give(0, s.like(s.g, s.in(0))) }

func transpose(s *step) {
	a := s.attr("perm")
	if a == nil {
		s.give(0, s.op("Transpose", s.g))
		return
	}
	back := make([]int64, len(a.Ints))
	for i, p := range a.Ints {
		if p < 0 || int(p) >= len(back) {
			s.fail("for the permutation %v", a.Ints)
			return
		}
		back[p] = int64(i)
	}
	s.give(0, s.node("Transpose", []onnx.Attr{numbers("perm", back...)}, s.g))
}

func concat(s *step) {
	axis := int64(s.int("axis", 1))
	from := s.ints(0)
	for i := range s.n.Inputs {
		to := s.op("Add", from, s.op("Gather", s.op("Shape", s.in(i)), s.ints(axis)))
		if s.wants(i) {
			s.give(i, s.op("Slice", s.g, from, to, s.ints(axis)))
		}
		from = to
	}
}

// moved is any operator whose elements are elements of its first input, some perhaps
// never or more than once: done to their positions, it tells where each came from.
func moved(s *step) {
	s.each = true
	if s.n.OpType == "Tile" && s.opset < 6 || s.n.OpType == "Split" && s.opset < 2 {
		s.fail("before opset 6, and for Split before 2, where counts have the type of the data")
		return
	}
	x := s.in(0)
	size := s.op("Size", x)
	positions := s.shaped(s.op("Range", s.whole(0), size, s.whole(1)), s.op("Shape", x))
	again := *s.n
	again.Name, again.Inputs, again.Outputs = s.name(s.n.OpType), []string{positions}, nil
	for _, in := range s.n.Inputs[1:] {
		again.Inputs = append(again.Inputs, s.of(in))
	}
	for range s.n.Outputs {
		again.Outputs = append(again.Outputs, s.name(s.n.OpType))
	}
	s.add(&again)
	sums := ""
	for k, g := range s.gs {
		if g == "" {
			continue
		}
		if sums == "" {
			sums = s.zeros(size, g)
		}
		sums = s.gathered(sums, again.Outputs[k], g)
	}
	s.give(0, s.shaped(sums, s.op("Shape", x)))
}

// zeros is a vector of so many zeros of the type of like.
func (s *step) zeros(size, like string) string {
	return s.op("Expand", s.real(0, like), s.op("Reshape", size, s.ints(1)))
}

// gathered adds the elements of g to sums, a vector, at their positions.
func (s *step) gathered(sums, positions, g string) string {
	flat := s.ints(-1)
	attrs := []onnx.Attr{text("reduction", "add")}
	return s.node("ScatterElements", attrs, sums, s.op("Reshape", positions, flat), s.op("Reshape", g, flat))
}

// scatterElements passes what it adds to, and gives what it adds the gradient of the
// places that it goes to.
func scatterElements(s *step) {
	if a := s.attr("reduction"); a == nil || string(a.S) != "add" {
		s.fail("where its reduction is not add")
		return
	}
	s.give(0, s.g)
	if s.wants(2) {
		s.give(2, s.node("GatherElements", []onnx.Attr{number("axis", s.int("axis", 0))}, s.g, s.in(1)))
	}
}

// maxPool gives the gradient to the pixels that the pooling found.
func maxPool(s *step) {
	if s.opset < 8 || s.int("storage_order", 0) != 0 {
		s.fail("before opset 8, and for column-major indices")
		return
	}
	again := *s.n
	again.Name, again.Inputs, again.Outputs = s.name("MaxPool"), []string{s.in(0)}, []string{s.name("MaxPool"), s.name("MaxPool")}
	s.add(&again)
	sums := s.zeros(s.op("Size", s.in(0)), s.g)
	s.give(0, s.shaped(s.gathered(sums, again.Outputs[1], s.g), s.op("Shape", s.in(0))))
}
