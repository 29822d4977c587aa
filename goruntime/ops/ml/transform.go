package ml

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/kernels/vec"
)

// transforms are the post_transform functions, on the scores of one row.
var transforms = map[string]func([]float32){
	"NONE": func([]float32) {},
	"LOGISTIC": func(s []float32) {
		for i, x := range s {
			s[i] = vec.Sigmoid(x)
		}
	},
	"SOFTMAX": func(s []float32) { vec.Softmax(s, s) },
	"SOFTMAX_ZERO": func(s []float32) {
		top := vec.Max(s)
		sum := float32(0)
		for i, x := range s {
			if x != 0 {
				s[i] = vec.Exp(x - top)
			}
			sum += s[i]
		}
		if sum != 0 {
			for i := range s {
				s[i] /= sum
			}
		}
	},
	"PROBIT": func(s []float32) {
		for i, x := range s {
			s[i] = float32(math.Sqrt2 * math.Erfinv(2*float64(x)-1))
		}
	},
}
