//go:build !portable && !race

package nbits

import "github.com/goruntime/goruntime/goruntime/kernels/cpu"

var vectorVariants = []variant{
	{"avx512", cpu.AVX512, 8, 4, func(p *strip, bits, rows int) {
		if bits == 8 {
			avx512Bits8[rows-1](p)
		} else {
			avx512Bits4[rows-1](p)
		}
	}, [2]func(*strip){avx512Widen4, avx512Widen8}, avx512Tile},
	{"avx2", cpu.AVX2, 4, 2, func(p *strip, bits, rows int) {
		if bits == 8 {
			avx2Bits8[rows-1](p)
		} else {
			avx2Bits4[rows-1](p)
		}
	}, [2]func(*strip){avx2Widen4, avx2Widen8}, avx2Tile},
}
