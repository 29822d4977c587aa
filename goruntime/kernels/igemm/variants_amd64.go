//go:build !portable && !race

package igemm

import "github.com/goruntime/goruntime/goruntime/kernels/cpu"

var vectorVariants = []variant{
	{"vnni", cpu.AVX512, true, 12, 16, 2, func(t *tile, rows, vecs int) { vnniTiles[rows-1][vecs-1](t) }},
	{"avx2", cpu.AVX2, false, 4, 8, 1, func(t *tile, rows, vecs int) { avx2Tiles[rows-1][vecs-1](t) }},
}

var elementVariants = []elementVariant{{cpu.AVX512, 16, avx512Loops[:]}, {cpu.AVX2, 8, avx2Loops[:]}}

var turnVariants = []turnVariant{{cpu.AVX512, turn16}}

var fewVariants = []fewVariant{{cpu.AVX2, turn4}}
