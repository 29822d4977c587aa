package shape

import (
	"github.com/goruntime/goruntime/goruntime/kernels/columns"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// blocks is the State of Concat and Split: a whole tensor and its parts along
// one axis, as rows of bytes.
type blocks struct {
	rows  int // the product of the dimensions before the axis
	step  int // bytes of a row of the whole
	join  bool
	whole []byte
	parts []part
	// thin is set where each part of a whole that is joined has one element a row:
	// matrix then lists them as columns.
	thin   bool
	matrix tensor.View
}

// wholeBytes are the types whose elements blocks can move: one below a byte is in the
// schema of neither operator.
var wholeBytes = op.ByWidth(struct{}{}, struct{}{}, struct{}{}, struct{}{}, struct{}{}, struct{}{})

// part is one tensor: n bytes in each row, from byte at of the whole's row on.
type part struct {
	n, at int
	data  []byte // nil where there is nothing to move: an output that is not wanted
}

// newBlocks lays parts of these sizes side by side along axis.
func newBlocks(whole *tensor.View, axis int, sizes []int, join bool) *blocks {
	inner := whole.Shape[axis+1:].Elements() * whole.DType.Width()
	b := &blocks{rows: whole.Shape[:axis].Elements(), step: whole.Shape[axis] * inner, join: join, parts: make([]part, len(sizes))}
	at, width := 0, whole.DType.Width()
	b.thin = join && (width <= 8 && whole.DType != tensor.Str)
	for k, n := range sizes {
		b.thin = b.thin && n*inner == width
		b.parts[k] = part{n: n * inner, at: at}
		at += n * inner
	}
	return b
}

// blockGrain is how many bytes make a chunk worth handing out.
const blockGrain = 256 << 10

func (b *blocks) run(c *op.Context) {
	if len(b.whole) > 0 {
		c.For(b.rows, max(1, blockGrain/b.step), b)
	}
}

// settle leaves out the parts that lie in their place already.
func (b *blocks) settle() {
	for k := range b.parts {
		p := &b.parts[k]
		if b.rows == 1 && len(p.data) > 0 && &p.data[0] == &b.whole[p.at] {
			p.data = nil
		}
	}
}

// Chunk implements op.Task over the rows.
func (b *blocks) Chunk(lo, hi int) {
	if b.thin {
		columns.Gather(b.matrix.At(lo*len(b.parts)), b.matrix.Columns, lo, hi, b.matrix.DType.Width())
		return
	}
	for k := range b.parts {
		p := &b.parts[k]
		if p.data == nil {
			continue
		}
		for r := lo; r < hi; r++ {
			row, own := b.whole[r*b.step+p.at:][:p.n], p.data[r*p.n:(r+1)*p.n]
			if b.join {
				copy(row, own)
			} else {
				copy(own, row)
			}
		}
	}
}
