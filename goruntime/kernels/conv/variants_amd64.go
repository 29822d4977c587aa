//go:build !portable && !race

package conv

import "github.com/goruntime/goruntime/goruntime/kernels/cpu"

var vectorVariants = []variant{
	{
		"avx512", cpu.AVX512, 16, 4, func(t *tile, rows, vecs int) { avx512Tiles[rows-1][vecs-1](t) }, avx512Input, avx512Output,
		func(t *deepTile) { avx512Deep[t.stride-1][t.pixels-1](t) }, avx512ToChannels, avx512ToPlanes, avx512Lines,
	},
	{
		"avx2", cpu.AVX2, 8, 2, func(t *tile, rows, vecs int) { avx2Tiles[rows-1][vecs-1](t) }, avx2Input, avx2Output,
		func(t *deepTile) { avx2Deep[t.stride-1][t.pixels-1](t) }, avx2ToChannels, avx2ToPlanes, nil,
	},
}
