package gradient

// times gives the gradient times the derivative of a function of one number.
func (s *step) times(derivative string) { s.give(0, s.op("Mul", s.g, derivative)) }

func abs(s *step) { s.times(s.op("Sign", s.in(0))) }

func sqrt(s *step) { s.give(0, s.op("Div", s.g, s.op("Add", s.out(), s.out()))) }

func reciprocal(s *step) { s.times(s.op("Neg", s.op("Mul", s.out(), s.out()))) }

func exp(s *step) { s.times(s.out()) }

func logarithm(s *step) { s.give(0, s.op("Div", s.g, s.in(0))) }

func sin(s *step) { s.times(s.op("Cos", s.in(0))) }

func cos(s *step) { s.times(s.op("Neg", s.op("Sin", s.in(0)))) }

// erf is 2/sqrt(pi) exp(-x^2).
func erf(s *step) {
	x := s.in(0)
	// The root is taken in the type of x, which may be wider than the constant.
	slope := s.op("Sqrt", s.op("Div", s.real(1, x), s.op("Atan", s.real(1, x))))
	s.times(s.op("Mul", slope, s.op("Exp", s.op("Neg", s.op("Mul", x, x)))))
}

func tanh(s *step) { s.times(s.op("Sub", s.real(1, s.g), s.op("Mul", s.out(), s.out()))) }

func sigmoid(s *step) {
	s.times(s.op("Mul", s.out(), s.op("Sub", s.real(1, s.g), s.out())))
}

func softplus(s *step) { s.times(s.op("Sigmoid", s.in(0))) }

// relu has the slope 0 at 0.
func relu(s *step) {
	s.give(0, s.op("Where", s.op("Greater", s.in(0), s.real(0, s.g)), s.g, s.real(0, s.g)))
}

func leakyRelu(s *step) {
	slope := s.op("Mul", s.g, s.real(s.float("alpha", 0.01), s.g))
	s.give(0, s.op("Where", s.op("Less", s.in(0), s.real(0, s.g)), slope, s.g))
}

// clip passes the gradient where a number is within the bounds, those included.
func clip(s *step) {
	if s.wants(1) || s.wants(2) {
		s.fail("for its bounds")
		return
	}
	g := s.g
	for i, side := range []struct{ attr, within string }{{"min", "GreaterOrEqual"}, {"max", "LessOrEqual"}} {
		bound := ""
		switch a := s.attr(side.attr); {
		case a != nil:
			bound = s.real(a.F, s.in(0))
		case len(s.n.Inputs) > i+1 && s.n.Inputs[i+1] != "":
			bound = s.in(i + 1)
		default:
			continue
		}
		g = s.op("Where", s.op(side.within, s.in(0), bound), g, s.real(0, g))
	}
	s.give(0, g)
}
