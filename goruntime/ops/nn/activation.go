package nn

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
)

// parametric is an activation function of the recurrent operators with the
// defaults of its parameters.
type parametric struct {
	alpha, beta float32
	takesAlpha  bool
	takesBeta   bool
	f           func(x, alpha, beta float32) float32
}

// recurrentActivations are the functions that RNN, GRU and LSTM may name.
var recurrentActivations = map[string]parametric{
	"Sigmoid":         {f: func(x, _, _ float32) float32 { return vec.Sigmoid(x) }},
	"Tanh":            {f: func(x, _, _ float32) float32 { return vec.Tanh(x) }},
	"Relu":            {f: func(x, _, _ float32) float32 { return max(x, 0) }},
	"Affine":          {alpha: 1, takesAlpha: true, takesBeta: true, f: func(x, a, b float32) float32 { return a*x + b }},
	"LeakyRelu":       {alpha: 0.01, takesAlpha: true, f: leaky},
	"ThresholdedRelu": {alpha: 1, takesAlpha: true, f: thresholded},
	"ScaledTanh":      {alpha: 1, beta: 1, takesAlpha: true, takesBeta: true, f: func(x, a, b float32) float32 { return a * vec.Tanh(b*x) }},
	"HardSigmoid":     {alpha: 0.2, beta: 0.5, takesAlpha: true, takesBeta: true, f: func(x, a, b float32) float32 { return min(max(a*x+b, 0), 1) }},
	"Elu":             {alpha: 1, takesAlpha: true, f: elu},
	"Softsign":        {f: func(x, _, _ float32) float32 { return x / (1 + float32(math.Abs(float64(x)))) }},
	"Softplus":        {f: func(x, _, _ float32) float32 { return max(x, 0) + float32(math.Log1p(math.Exp(-math.Abs(float64(x))))) }},
}

func leaky(x, alpha, _ float32) float32 {
	if x < 0 {
		return alpha * x
	}
	return x
}

func thresholded(x, alpha, _ float32) float32 {
	if x > alpha {
		return x
	}
	return 0
}

func elu(x, alpha, _ float32) float32 {
	if x < 0 {
		return alpha * float32(math.Expm1(float64(x)))
	}
	return x
}

// activation returns the named function; it takes its parameters from the front
// of the lists, or its defaults where they are used up.
func activation(name string, alpha, beta *[]float32) (func(float32) float32, error) {
	p, ok := recurrentActivations[name]
	if !ok {
		return nil, errs.New(errs.Unsupported, "the activation %q is not one that the specification names", name)
	}
	if p.takesAlpha {
		p.alpha = next(alpha, p.alpha)
	}
	if p.takesBeta {
		p.beta = next(beta, p.beta)
	}
	return func(x float32) float32 { return p.f(x, p.alpha, p.beta) }, nil
}

func next(list *[]float32, or float32) float32 {
	if len(*list) == 0 {
		return or
	}
	v := (*list)[0]
	*list = (*list)[1:]
	return v
}
