//go:build !portable && !race

package nbits

import "github.com/goruntime/goruntime/goruntime/kernels/cpu"

var vectorVariants = []variant{
	{"avx512", cpu.AVX512, 8, func(p *strip, bits, rows int) {
		if bits == 8 {
			avx512Bits8[rows-1](p)
		} else {
			avx512Bits4[rows-1](p)
		}
	}},
	{"avx2", cpu.AVX2, 4, func(p *strip, bits, rows int) {
		if bits == 8 {
			avx2Bits8[rows-1](p)
		} else {
			avx2Bits4[rows-1](p)
		}
	}},
}
