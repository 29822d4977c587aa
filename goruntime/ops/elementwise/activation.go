package elementwise

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
)

// The activation functions with parameters; each is one row.
// https://onnx.ai/onnx/operators/   Departures: none.
var (
	Elu = op.Declare("", "Elu", func() op.Def {
		return chained(bends(vec.Bent, func(a *op.Values) (float32, float32) { return a.Float("alpha"), 1 }),
			parametric(op.Versions{1: "", 6: "", 22: "bfloat16"}, tunedFloats(elu, elu32), parameter("alpha", 1), nil, consumed))
	})

	LeakyRelu = op.Declare("", "LeakyRelu", func() op.Def {
		return chained(leaks, parametric(op.Versions{1: "", 6: "", 16: "bfloat16"}, tunedFloats(leaky, leaky32),
			parameter("alpha", 0.01), nil, consumed))
	})

	Selu = op.Declare("", "Selu", func() op.Def {
		return chained(bends(vec.Bent, func(a *op.Values) (float32, float32) { return a.Float("alpha"), a.Float("gamma") }),
			parametric(op.Versions{6: "", 22: "bfloat16"}, tunedFloats(selu, selu32),
				parameter("alpha", 1.67326319217681884765625), parameter("gamma", 1.05070102214813232421875)))
	})
	// Selu1 is Selu before version 6, with coarser defaults.
	Selu1 = op.Declare("", "Selu", func() op.Def {
		return parametric(op.Versions{1: "other defaults"}, tunedFloats(selu, selu32),
			parameter("alpha", 1.6732), parameter("gamma", 1.0507), consumed)
	})

	Celu = op.Declare("", "Celu", func() op.Def {
		return parametric(op.Versions{12: "", 28: "all floats"}, tunedFloats(celu, celu32), parameter("alpha", 1), nil)
	})

	HardSigmoid = op.Declare("", "HardSigmoid", func() op.Def {
		return chained(bends(vec.Ramp, func(a *op.Values) (float32, float32) { return a.Float("alpha"), a.Float("beta") }), parametric(op.Versions{1: "", 6: "", 22: "bfloat16"}, tunedFloats(hardSigmoid, hardSigmoid32),
			parameter("alpha", 0.2), parameter("beta", 0.5), consumed))
	})

	HardSwish = op.Declare("", "HardSwish", func() op.Def {
		return chained(bends(vec.Gate, func(*op.Values) (float32, float32) { return 1.0 / 6, 0.5 }), parametric(op.Versions{14: "", 22: "bfloat16"}, tunedFloats(hardSwish, hardSwish32), nil, nil))
	})

	ThresholdedRelu = op.Declare("", "ThresholdedRelu", func() op.Def {
		return parametric(op.Versions{10: "", 22: "bfloat16"}, tunedFloats(thresholded, thresholded32),
			parameter("alpha", 1), nil)
	})

	Swish = op.Declare("", "Swish", func() op.Def {
		return chained(swishes, parametric(op.Versions{24: ""}, tunedFloats(swish, swish32), parameter("alpha", 1), nil))
	})

	Softplus = op.Declare("", "Softplus", func() op.Def {
		return parametric(op.Versions{1: "", 22: "bfloat16"}, tunedFloats(softplus, softplus32), nil, nil)
	})
	Softsign = op.Declare("", "Softsign", func() op.Def {
		return chained(applies(vec.SoftSign), parametric(op.Versions{1: "", 22: "bfloat16"}, tunedFloats(softsign, softsign32), nil, nil))
	})
	Mish = op.Declare("", "Mish", func() op.Def {
		return parametric(op.Versions{18: "", 22: "bfloat16"}, tunedFloats(mish, mish32), nil, nil)
	})
)

// Gelu is x times the probability that a normally distributed number is below
// x, or its approximation by tanh.
// https://onnx.ai/onnx/operators/onnx__Gelu.html   Departures: none.
var Gelu = op.Declare("", "Gelu", func() op.Def {
	return op.Def{
		Versions: op.Versions{20: ""}, Attrs: op.Attrs(op.String("approximate", "none")),
		InPlace: op.FirstOnly, Shape: op.SameAsInput, Chain: gelus, Halves: op.RoundedHalves,
		Prepare: func(c *op.Context) error {
			s := &tuned{}
			switch by := c.Attr.Str("approximate"); by {
			case "none":
			case "tanh":
				s.alpha = 1
			default:
				return errs.New(errs.Argument, "approximate is %q: it must be none or tanh", by)
			}
			c.State = s
			return nil
		},
		Run: runTuned, DTypes: tunedFloats(gelu, gelu32),
	}
})

func elu(x, alpha, _ float64) float64 {
	if x < 0 {
		return alpha * math.Expm1(x)
	}
	return x
}

func elu32(s *tuned, dst, src []float32) { vec.Bend(vec.Bent, dst, src, s.alpha, 1) }

func selu32(s *tuned, dst, src []float32) { vec.Bend(vec.Bent, dst, src, s.alpha, s.beta) }

func selu(x, alpha, gamma float64) float64 {
	if x < 0 {
		return gamma * alpha * math.Expm1(x)
	}
	return gamma * x
}

func celu(x, alpha, _ float64) float64 { return max(0, x) + min(0, alpha*math.Expm1(x/alpha)) }

// celu32 adds what is above zero to Elu of what is below.
func celu32(s *tuned, dst, src []float32) {
	var room [block]float32
	alpha, zero := [1]float32{s.alpha}, [1]float32{}
	for len(src) > 0 {
		low := room[:min(block, len(src))]
		vec.Combine(vec.Smaller, low, src[:len(low)], zero[:])
		vec.Combine(vec.Over, low, low, alpha[:])
		vec.Bend(vec.Bent, low, low, s.alpha, 1)
		if s.alpha <= 0 { // what is divided by it lies above zero
			for i, x := range src[:len(low)] {
				low[i] = float32(min(0, float64(s.alpha)*math.Expm1(float64(x)/float64(s.alpha))))
			}
		}
		vec.Combine(vec.Larger, dst[:len(low)], src[:len(low)], zero[:])
		vec.Combine(vec.Plus, dst[:len(low)], dst[:len(low)], low)
		dst, src = dst[len(low):], src[len(low):]
	}
}

func leaky(x, alpha, _ float64) float64 {
	if x < 0 {
		return alpha * x
	}
	return x
}

func leaky32(s *tuned, dst, src []float32) {
	slope := [1]float32{s.alpha}
	vec.Combine(vec.Leak, dst, src, slope[:])
}

func hardSigmoid(x, alpha, beta float64) float64 { return max(0, min(1, alpha*x+beta)) }

func hardSigmoid32(s *tuned, dst, src []float32) {
	vec.Bend(vec.Ramp, dst, src, s.alpha, s.beta)
}

func hardSwish(x, _, _ float64) float64 { return x * max(0, min(1, x/6+0.5)) }

func hardSwish32(_ *tuned, dst, src []float32) {
	vec.Bend(vec.Gate, dst, src, 1.0/6, 0.5)
}

// thresholded gives 0 for a NaN, which is not above the threshold.
func thresholded(x, alpha, _ float64) float64 {
	if x > alpha {
		return x
	}
	return 0
}

func thresholded32(s *tuned, dst, src []float32) {
	var above [block]bool
	alpha, zero := [1]float32{s.alpha}, [1]float32{}
	for len(src) > 0 {
		n := min(block, len(src))
		vec.Relate(vec.More, above[:n], src[:n], alpha[:])
		vec.Choose(dst[:n], above[:n], src[:n], zero[:])
		dst, src = dst[n:], src[n:]
	}
}

func swish(x, alpha, _ float64) float64 { return x * sigmoid(alpha*x) }

// swish32 works in blocks of the stack, since the output may be the input.
func swish32(s *tuned, dst, src []float32) {
	var room [block]float32
	for len(src) > 0 {
		part := room[:min(block, len(src))]
		for i := range part {
			part[i] = s.alpha * src[i]
		}
		vec.Apply(vec.Logistic, part, part)
		vec.Combine(vec.Times, dst[:len(part)], src[:len(part)], part)
		dst, src = dst[len(part):], src[len(part):]
	}
}

// softplus is log(1 + e^x) without overflow.
func softplus(x, _, _ float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

func softplus32(_ *tuned, dst, src []float32) {
	for len(src) > 0 {
		n := min(block, len(src))
		plus32(dst[:n], src[:n])
		dst, src = dst[n:], src[n:]
	}
}

// plus32 is Softplus of at most block elements: max(x, 0) + log(1 + e), with e =
// exp(-|x|). The logarithm of the rounded sum u = 1 + e is corrected by e/(u-1),
// which keeps the digits of a small e.
func plus32(dst, src []float32) {
	var small, sums, logs [block]float32
	e, u, l := small[:len(src)], sums[:len(src)], logs[:len(src)]
	vec.Apply(vec.Absolute, e, src)
	vec.Apply(vec.Negative, e, e)
	vec.Apply(vec.Exponential, e, e)
	one := [1]float32{1}
	vec.Combine(vec.Plus, u, e, one[:])
	vec.Apply(vec.Logarithm, l, u)
	for i, x := range src {
		y := e[i]
		if d := u[i] - 1; d != 0 {
			y *= l[i] / d
		}
		dst[i] = max(x, 0) + y
	}
}

func softsign(x, _, _ float64) float64 { return x / (1 + math.Abs(x)) }

func softsign32(_ *tuned, dst, src []float32) { vec.Apply(vec.SoftSign, dst, src) }

func mish32(_ *tuned, dst, src []float32) {
	var room [block]float32
	for len(src) > 0 {
		part := room[:min(block, len(src))]
		plus32(part, src[:len(part)])
		vec.Apply(vec.HyperbolicTangent, part, part)
		vec.Combine(vec.Times, dst[:len(part)], src[:len(part)], part)
		dst, src = dst[len(part):], src[len(part):]
	}
}

func mish(x, _, _ float64) float64 { return x * math.Tanh(softplus(x, 0, 0)) }

func gelu(x, approximate, _ float64) float64 {
	if approximate != 0 {
		return 0.5 * x * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
	}
	return 0.5 * x * (1 + math.Erf(x/math.Sqrt2))
}

func gelu32(s *tuned, dst, src []float32) {
	if s.alpha == 0 {
		vec.Apply(vec.Gelu, dst, src)
		return
	}
	var room [block]float32
	for len(src) > 0 {
		part := room[:min(block, len(src))]
		for i := range part {
			x := src[i]
			part[i] = 0.79788456080286535588 * (x + 0.044715*x*x*x)
		}
		vec.Apply(vec.HyperbolicTangent, part, part)
		for i, t := range part {
			dst[i] = 0.5 * src[i] * (1 + t)
		}
		dst, src = dst[len(part):], src[len(part):]
	}
}
