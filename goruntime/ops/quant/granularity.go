package quant

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// granularity says which scale and zero point an element of x has: one for all,
// one for each index of an axis, or one for each block along it. Elements are
// taken in units: runs of contiguous elements.
type granularity struct {
	total  int // elements
	length int // of a unit; the last one may be shorter where scales is 1
	units  int
	scales int // how many scales there are
	axis   int // the size of the axis
	blocks int // along the axis, 0 where not blocked
	block  int
	inner  int // elements behind the axis
}

// unitLength is how many elements are a unit where one scale serves all.
const unitLength = 4096

// newGranularity reads the granularity off the shapes of x and of its scale.
func newGranularity(attr *op.Values, x, scale tensor.Shape) (granularity, error) {
	g := granularity{total: x.Elements(), scales: scale.Elements()}
	if len(scale) < 2 && g.scales == 1 {
		g.length = unitLength
		g.units = (g.total + unitLength - 1) / unitLength
		return g, nil
	}
	block := attr.Int("block_size")
	axis, err := tensor.Axis(attr.Int("axis"), len(x))
	if err != nil {
		return g, err
	}
	g.axis, g.inner = x[axis], x[axis+1:].Elements()
	if block == 0 {
		if len(scale) != 1 || scale[0] != g.axis {
			return g, errs.New(errs.Shape, "the scale has shape %v, x has shape %v: [%d] is expected for axis %d without a block_size", scale, x, g.axis, axis)
		}
		g.length, g.units = g.inner, x[:axis+1].Elements()
	} else {
		g.block, g.blocks = block, (g.axis+block-1)/max(block, 1)
		if block < 0 || !blocked(scale, x, axis, g.blocks) {
			return g, errs.New(errs.Shape, "the scale has shape %v, x has shape %v: the same is expected but for %d blocks of %d along axis %d", scale, x, g.blocks, block, axis)
		}
		g.length, g.units = g.inner, x[:axis+1].Elements()
	}
	if g.inner == 1 { // whole rows along the axis
		g.length, g.units = g.axis, x[:axis].Elements()
	}
	if g.total == 0 {
		g.units = 0
	}
	return g, nil
}

// blocked reports whether scale is as large as x but for the blocks of an axis.
func blocked(scale, x tensor.Shape, axis, blocks int) bool {
	return len(scale) == len(x) && scale[:axis].Equal(x[:axis]) && scale[axis] == blocks && scale[axis+1:].Equal(x[axis+1:])
}

// runner does the n elements from at on; their scales start at s and lie step
// (0 or 1) apart.
type runner interface{ run(at, n, s, step int) }

// each passes the units [lo, hi) to r.
func (g *granularity) each(lo, hi int, r runner) {
	for u := lo; u < hi; u++ {
		at := u * g.length
		switch {
		case g.axis == 0:
			r.run(at, min(g.length, g.total-at), 0, 0)
		case g.blocks == 0 && g.inner == 1:
			r.run(at, g.length, 0, 1)
		case g.blocks == 0:
			r.run(at, g.length, u%g.axis, 0)
		case g.inner == 1:
			for b := range g.blocks {
				r.run(at+b*g.block, min(g.block, g.axis-b*g.block), u*g.blocks+b, 0)
			}
		default:
			r.run(at, g.length, (u/g.axis*g.blocks+u%g.axis/g.block)*g.inner, 1)
		}
	}
}

// grain is how many units are worth a thread of their own.
func (g *granularity) grain() int { return max(1, 1<<15/max(1, g.length)) }
