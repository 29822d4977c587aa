package gradient

import (
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

func identity(s *step) { s.give(0, s.g) }

// cast passes the gradient through types that hold a half, and none through whole
// numbers and truth: those are steps.
func cast(s *step) {
	if a := s.attr("to"); a != nil && tensor.DType(a.I) == tensor.Str {
		s.fail("to texts")
		return
	}
	half := s.node("Constant", []onnx.Attr{{Name: "value_float", Type: onnx.AttrFloat, F: 0.5}})
	real := s.op("Equal", s.op("CastLike", s.op("CastLike", half, s.out()), half), half)
	s.give(0, s.op("CastLike", s.op("Where", real, s.g, s.real(0, s.g)), s.in(0)))
}

func dropout(s *step) { // as it is at inference
	if s.opset >= 12 && len(s.n.Inputs) > 2 || s.opset < 7 && s.int("is_test", 0) == 0 {
		s.fail("where training_mode is an input, and where is_test is 0, as it is before opset 7 unless set")
	}
	s.give(0, s.g)
}

// aligned is the rule of an operator whose operands are broadcast from their last axes
// on; before opset 7 axis may say otherwise.
func aligned(r rule) rule {
	return func(s *step) {
		if s.opset < 7 && s.attr("axis") != nil {
			s.fail("with axis, which it has before opset 7")
			return
		}
		r(s)
	}
}

func add(s *step) {
	for i := range 2 {
		if s.wants(i) {
			s.give(i, s.like(s.g, s.in(i)))
		}
	}
}

func sum(s *step) {
	for i := range s.n.Inputs {
		if s.wants(i) {
			s.give(i, s.like(s.g, s.in(i)))
		}
	}
}

func mean(s *step) {
	g := s.op("Div", s.g, s.real(float32(len(s.n.Inputs)), s.g))
	for i := range s.n.Inputs {
		if s.wants(i) {
			s.give(i, s.like(g, s.in(i)))
		}
	}
}

func sub(s *step) {
	if s.wants(0) {
		s.give(0, s.like(s.g, s.in(0)))
	}
	if s.wants(1) {
		s.give(1, s.op("Neg", s.like(s.g, s.in(1))))
	}
}

func neg(s *step) { s.give(0, s.op("Neg", s.g)) }

func mul(s *step) {
	for i := range 2 {
		if s.wants(i) {
			s.give(i, s.like(s.op("Mul", s.g, s.in(1-i)), s.in(i)))
		}
	}
}

func div(s *step) {
	g := s.op("Div", s.g, s.in(1))
	if s.wants(0) {
		s.give(0, s.like(g, s.in(0)))
	}
	if s.wants(1) {
		s.give(1, s.op("Neg", s.like(s.op("Mul", g, s.out()), s.in(1))))
	}
}

// pow is x^p: p x^(p-1), which is 0 where p is, and y log x where x is positive.
func pow(s *step) {
	x, p := s.in(0), s.in(1)
	if s.wants(0) {
		fits := s.op("CastLike", p, x)
		less := s.op("Pow", x, s.op("Sub", fits, s.real(1, x)))
		zero := s.real(0, x)
		slope := s.op("Where", s.op("Equal", fits, zero), zero, s.op("Mul", fits, less))
		s.give(0, s.like(s.op("Mul", s.g, slope), x))
	}
	if s.wants(1) {
		log := s.op("Log", s.op("Where", s.op("Greater", x, s.real(0, x)), x, s.real(1, x)))
		s.give(1, s.op("CastLike", s.like(s.op("Mul", s.g, s.op("Mul", s.out(), log)), p), p))
	}
}

// largest is Max or Min: inputs that are the result at a place share its gradient.
func largest(s *step) {
	share, zero := make([]string, len(s.n.Inputs)), s.real(0, s.g)
	count := ""
	for i := range s.n.Inputs {
		share[i] = s.op("CastLike", s.op("Equal", s.in(i), s.out()), s.g)
		if count == "" {
			count = s.op("Add", share[i], zero)
		} else {
			count = s.op("Add", count, share[i])
		}
	}
	each := s.op("Div", s.g, count)
	for i := range s.n.Inputs {
		if s.wants(i) {
			s.give(i, s.like(s.op("Mul", each, share[i]), s.in(i)))
		}
	}
}

func where(s *step) {
	zero := s.real(0, s.g)
	if s.wants(1) {
		s.give(1, s.like(s.op("Where", s.in(0), s.g, zero), s.in(1)))
	}
	if s.wants(2) {
		s.give(2, s.like(s.op("Where", s.in(0), zero, s.g), s.in(2)))
	}
}
