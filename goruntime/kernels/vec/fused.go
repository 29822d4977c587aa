package vec

// Activation returns the activation that fused operators name, working in place:
// Relu, Tanh, Sigmoid, LeakyRelu (slope), HardSigmoid (alpha, beta), Clip (least,
// greatest), Elu (alpha), ThresholdedRelu (alpha) and Identity or "" for none;
// nil for another name or too few parameters.
func Activation(name string, params ...float32) func(x []float32) {
	need, f := 0, func([]float32) {}
	at := func(i int) float32 { return params[i] }
	switch name {
	case "", "Identity":
	case "Relu":
		f = func(x []float32) { Apply(Rectifier, x, x) }
	case "Tanh":
		f = func(x []float32) { Apply(HyperbolicTangent, x, x) }
	case "Sigmoid":
		f = func(x []float32) { Apply(Logistic, x, x) }
	case "LeakyRelu":
		need, f = 1, func(x []float32) { Combine(Leak, x, x, params[:1]) }
	case "HardSigmoid":
		need, f = 2, func(x []float32) { Bend(Ramp, x, x, at(0), at(1)) }
	case "Clip":
		need, f = 2, func(x []float32) { Bend(Clamp, x, x, at(0), at(1)) }
	case "Elu":
		need, f = 1, pointwise(func(v float32) float32 {
			if v < 0 {
				return at(0) * (Exp(v) - 1)
			}
			return v
		})
	case "ThresholdedRelu":
		need, f = 1, pointwise(func(v float32) float32 {
			if v > at(0) {
				return v
			}
			return 0
		})
	default:
		return nil
	}
	if len(params) < need {
		return nil
	}
	return f
}

func pointwise(f func(float32) float32) func([]float32) {
	return func(x []float32) {
		for i, v := range x {
			x[i] = f(v)
		}
	}
}
