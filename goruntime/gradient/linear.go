package gradient

import "github.com/goruntime/goruntime/goruntime/onnx"

// flipped transposes the last two axes.
func (s *step) flipped(x string) string {
	return s.node("Einsum", []onnx.Attr{text("equation", "...ij->...ji")}, x)
}

// matMul sees a vector as a matrix of one row on the left, of one column on the right.
func matMul(s *step) {
	join := []onnx.Attr{number("axis", 0)}
	matrix := func(x string, left bool) string {
		shape := s.op("Shape", x)
		one := s.op("Expand", s.ints(1), s.op("Max", s.op("Sub", s.ints(2), s.op("Shape", shape)), s.ints(0)))
		if left {
			return s.shaped(x, s.node("Concat", join, one, shape))
		}
		return s.shaped(x, s.node("Concat", join, shape, one))
	}
	a, b := matrix(s.in(0), true), matrix(s.in(1), false)
	g := s.shaped(s.g, s.op("Shape", s.op("MatMul", a, b)))
	if s.wants(0) {
		s.give(0, s.shaped(s.like(s.op("MatMul", g, s.flipped(b)), a), s.op("Shape", s.in(0))))
	}
	if s.wants(1) {
		s.give(1, s.shaped(s.like(s.op("MatMul", s.flipped(a), g), b), s.op("Shape", s.in(1))))
	}
}

// gemm is alpha A' B' + beta C, where A' and B' may be transposed.
func gemm(s *step) {
	transA, transB := s.int("transA", 0) != 0, s.int("transB", 0) != 0
	g := s.op("Mul", s.g, s.real(s.float("alpha", 1), s.g))
	// product is x y, where each is transposed once more than it says.
	product := func(x string, flipX bool, y string, flipY bool) string {
		if flipX {
			x = s.flipped(x)
		}
		if flipY {
			y = s.flipped(y)
		}
		return s.op("MatMul", x, y)
	}
	if s.wants(0) {
		if transA {
			s.give(0, product(s.in(1), transB, g, true))
		} else {
			s.give(0, product(g, false, s.in(1), !transB))
		}
	}
	if s.wants(1) {
		if transB {
			s.give(1, product(g, true, s.in(0), transA))
		} else {
			s.give(1, product(s.in(0), !transA, g, false))
		}
	}
	if s.wants(2) {
		s.give(2, s.like(s.op("Mul", s.g, s.real(s.float("beta", 1), s.g)), s.in(2)))
	}
}

// einsum of two operands without repeated or lonely letters: each gradient is one too.
func einsum(s *step) {
	left, right, out, ok := letters(string(s.attr("equation").S))
	if !ok || len(s.n.Inputs) != 2 {
		if len(s.n.Inputs) == 1 && string(s.attr("equation").S) == "...ij->...ji" {
			s.give(0, s.flipped(s.g))
			return
		}
		s.fail("for the equation %q", s.attr("equation").S)
		return
	}
	product := func(a, b, to string) []onnx.Attr { return []onnx.Attr{text("equation", a+","+b+"->"+to)} }
	// An axis of length 1 is broadcast over that of the other operand.
	fitted := func(x, like string) string { return s.like(s.op("Expand", x, s.op("Shape", like)), like) }
	if s.wants(0) {
		s.give(0, fitted(s.node("Einsum", product(out, right, left), s.g, s.in(1)), s.in(0)))
	}
	if s.wants(1) {
		s.give(1, fitted(s.node("Einsum", product(out, left, right), s.g, s.in(0)), s.in(1)))
	}
}

// letters takes "ab,bc->ac" apart. ok is false where a letter is twice in a term or in
// one term only: its gradient would be no Einsum of the others.
func letters(equation string) (left, right, out string, ok bool) {
	term, count := 0, [3]map[rune]int{{}, {}, {}}
	parts := [3]string{}
	for _, c := range equation {
		switch {
		case c == ' ':
		case c == ',' && term == 0, c == '>' && term == 1:
			term++
		case c == '-' && term == 1:
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			parts[term] += string(c)
			count[term][c]++
		default:
			return "", "", "", false
		}
	}
	for t := range count {
		for c, n := range count[t] {
			if n > 1 || count[(t+1)%3][c]+count[(t+2)%3][c] == 0 {
				return "", "", "", false
			}
		}
	}
	return parts[0], parts[1], parts[2], term == 2
}
