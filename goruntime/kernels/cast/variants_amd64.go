//go:build !portable && !race

package cast

import "github.com/goruntime/goruntime/goruntime/kernels/cpu"

// chosen returns the kernels of this processor, nil for none.
func chosen() *variant { return variantOf(cpu.Best()) }

func variantOf(l cpu.Level) *variant {
	switch l {
	case cpu.AVX512:
		return &avx512
	case cpu.AVX2:
		return &avx2
	default:
		return nil
	}
}
