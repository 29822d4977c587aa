package nn

import "github.com/goruntime/goruntime/goruntime/tensor"

// tolerance returns how far results of a type may lie from seven digits.
func tolerance(d tensor.DType) float64 {
	switch d {
	case tensor.F16:
		return 2e-3
	case tensor.BF16:
		return 2e-2
	default:
		return 2e-6
	}
}
