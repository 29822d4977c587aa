//go:build !portable && !race

package vec

import "github.com/goruntime/goruntime/goruntime/kernels/cpu"

var vectorVariants = []variant{
	{"avx512", cpu.AVX512, 16, &avx512Kernels},
	{"avx2", cpu.AVX2, 8, &avx2Kernels},
}
