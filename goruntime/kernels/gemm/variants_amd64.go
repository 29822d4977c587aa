//go:build !portable && !race

package gemm

import "github.com/goruntime/goruntime/goruntime/kernels/cpu"

// vectors are the implementations by vectors, the best first.
var vectors = [elements][]variant{
	F32: {
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
	},
	F64: {
		{"avx512", cpu.AVX512, 6, 8, 4, func(t *tile, rows, vecs int) { avx512DoubleTiles[rows-1][vecs-1](t) }, nil},
		{"avx2", cpu.AVX2, 6, 4, 2, func(t *tile, rows, vecs int) { avx2DoubleTiles[rows-1][vecs-1](t) }, nil},
	},
	I32: {
		{"avx512", cpu.AVX512, 6, 16, 4, func(t *tile, rows, vecs int) { avx512WordTiles[rows-1][vecs-1](t) }, nil},
		{"avx2", cpu.AVX2, 6, 8, 2, func(t *tile, rows, vecs int) { avx2WordTiles[rows-1][vecs-1](t) }, nil},
	},
	I64: {
		{"avx512", cpu.AVX512, 6, 8, 4, func(t *tile, rows, vecs int) { avx512LongTiles[rows-1][vecs-1](t) }, nil},
	},
}
