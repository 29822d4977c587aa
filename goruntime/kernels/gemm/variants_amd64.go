//go:build !portable && !race

package gemm

import "github.com/goruntime/goruntime/goruntime/kernels/cpu"

var vectorVariants = []variant{
	{"avx512", cpu.AVX512, 6, 16, 4, func(t *tile, rows, vecs int) {
		if t.far {
			avx512ApartTiles[rows-1][vecs-1](t)
			return
		}
		avx512Tiles[rows-1][vecs-1](t)
	}, avx512Talls[:]},
	{"avx2", cpu.AVX2, 6, 8, 2, func(t *tile, rows, vecs int) {
		if t.far {
			avx2ApartTiles[rows-1][vecs-1](t)
			return
		}
		avx2Tiles[rows-1][vecs-1](t)
	}, avx2Talls[:]},
}
