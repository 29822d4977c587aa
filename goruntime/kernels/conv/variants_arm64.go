//go:build !portable && !race

package conv

import (
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/kernels/cpu"
)

// vectorVariants has tiles by vectors; what surrounds them is the definition, whose vectors
// are as long as four of these.
var vectorVariants = []variant{
	{"neon", cpu.NEON, portableLanes, 1, neon, portableInput, portableOutput, portableDeep, portableToChannels, portableToPlanes, nil},
}

// neon runs a tile by vectors of four pixels, and what is left of it as the definition, whose
// sums of products round once on arm64, too.
func neon(t *tile, rows, _ int) {
	whole := t.cols / 4
	if whole > 0 {
		neonTiles[rows-1][whole-1](t)
	}
	rest := *t
	if rest.cols -= 4 * whole; rest.cols > 0 {
		// SAFETY: the pixels behind the vectors are the tile's.
		rest.x, rest.y = unsafe.Add(t.x, 16*whole), unsafe.Add(t.y, 16*whole)
		portable(&rest)
	}
}
