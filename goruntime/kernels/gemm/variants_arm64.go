//go:build !portable && !race

package gemm

import (
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/kernels/cpu"
)

// vectors are the implementations by vectors.
var vectors = [elements][]variant{F32: {{"neon", cpu.NEON, 6, 16, 1, neon, nil}}}

// neon runs a tile by vectors of four columns, and what is left of it as the definition,
// whose sums of products round once on arm64, too.
func neon(t *tile, rows, _ int) {
	whole := t.cols / 4
	if t.far {
		whole = 0
	}
	if whole > 0 {
		neonTiles[rows-1][whole-1](t)
	}
	rest := *t
	if rest.cols -= 4 * whole; rest.cols == 0 {
		return
	}
	// SAFETY: the columns behind the vectors are the tile's.
	rest.b, rest.c = unsafe.Add(t.b, 16*whole), unsafe.Add(t.c, 16*whole)
	if Start(t.from) == Columns {
		// SAFETY: as above.
		rest.bias = unsafe.Add(t.bias, 16*whole)
	}
	portable[float32](&rest)
}
