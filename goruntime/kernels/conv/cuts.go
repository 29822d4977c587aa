package conv

import (
	"github.com/goruntime/goruntime/goruntime/kernels/chain"
	"github.com/goruntime/goruntime/goruntime/kernels/gemm"
)

// shareDirect cuts a direct convolution as a product is cut.
func (p *Plan) shareDirect(threads int, tail *chain.Bound) {
	w := gemm.Work{Products: p.s.N * p.s.Group, M: p.perM, N: p.pixels, K: p.k, InPlace: true}
	if tail != nil && !tail.Relu() {
		w.Steps = tail.Steps()
	}
	p.grid = gemm.NewGrid(w, threads)
	p.blocks, p.cuts = p.grid.Across, p.grid.Down
}

// fewestFilters is how many filters a thread takes at least where rows are pixels, which
// each turns for itself, and enough where it takes several times.
const (
	fewestFilters = 2 * widest
	enoughFilters = 128
)

// Where rows are pixels, a band of them has fewestRows at least, where there are as many,
// and up to rowFloats numbers.
const (
	fewestRows = 48
	rowFloats  = 192 << 10
)

// share cuts the pixels of a convolution whose rows they are, or its filters, where there
// are few pixels.
func (p *Plan) share(threads int) {
	images := max(1, p.s.N*p.s.Group)
	p.blocks, p.cuts = 1, 1
	if most := p.pixels / fewestRows; most > 1 {
		some := max((p.pixels*p.k+rowFloats-1)/rowFloats, (threads+images-1)/images)
		p.blocks = alike(images, min(some, most), most, threads)
	} else {
		most := max(1, p.perM/fewestFilters)
		some := max(min(2*threads/images, p.perM/enoughFilters), min((threads+images-1)/images, most))
		p.cuts = alike(images, some, most, threads)
	}
	p.grid = gemm.Grid{M: p.pixels, N: p.perM, K: p.k, Down: p.blocks, Across: p.cuts, Unit: gemm.Panel}
}

// alike returns how many blocks, of up to most, threads can share alike that want some
// of each image; where there are many of them it makes no difference.
func alike(images, some, most, threads int) int {
	n := some
	for n > 1 && n < min(most, 4*threads) && images*n%threads != 0 {
		n++
	}
	return n
}

// edge returns where block i of pixels begins; the last one ends where all do.
func (p *Plan) edge(i int) int {
	if i == p.blocks {
		return p.pixels
	}
	return i * gemm.Panel
}

// cut returns in how many parts the filters of a group are computed, so that threads
// have work where there are few blocks.
func (p *Plan) cut(threads, least int) int {
	blocks, want := p.blocks*p.s.N*p.s.Group, 2*max(2, threads)
	if blocks == 0 || blocks >= want {
		return 1
	}
	return max(1, min((p.perM+least-1)/least, (want+blocks-1)/blocks))
}

// split returns the blocks of pixels and the cuts of filters of a run.
func (p *Plan) split() (blocks, cuts int) {
	if p.winograd() {
		return p.wino.across * p.wino.down, p.wino.cuts
	}
	return p.blocks, p.cuts
}

// Multiplications that are worth handing out: those of single channels take longer.
const (
	grain     = 256 << 10
	deepGrain = 64 << 10
)

// Grain returns how many iterations make a chunk worth handing out.
func (p *Plan) Grain() int {
	if p.lines != nil {
		return max(1, grain*p.lines.bands/(p.lines.each*p.taps*p.pixels))
	}
	if p.depth != nil {
		return max(1, deepGrain/(p.depth.lanes*p.taps*p.depth.pixels))
	}
	if p.few || p.direct {
		return p.grid.Grain()
	}
	blocks, cuts := p.split()
	each := max(1, p.perM*p.k*p.pixels/max(1, blocks*cuts))
	if p.winograd() {
		return max(1, 4*grain/each)
	}
	return max(1, grain/each)
}

// filters returns the first filter of a cut: tiles stay whole, and vectors of them where
// filters are columns.
func (p *Plan) filters(cut, cuts int) int {
	size := tileRows
	switch {
	case p.winograd():
		size = filterCut
	case p.few:
		size = widest
	}
	tiles := (p.perM + size - 1) / size
	return min(p.perM, tiles*cut/cuts*size)
}
