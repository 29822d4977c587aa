package nn

import (
	"github.com/goruntime/goruntime/goruntime/kernels/wide"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// nearest is the State of a Resize that copies elements.
type nearest struct {
	dims    []int     // of the output
	at      [][]int32 // for each axis: where each index of the output lies in the input, in elements
	outside [][]bool  // for each axis: what takes beyond, nil where nothing does
	whole   bool      // the last axis is copied as it is
	beyond  tensor.View
	rows    int
	kernel  nearestKernel
	out, in *tensor.View
}

type nearestKernel func(s *nearest, lo, hi int)

var nearestCopies = op.ByWidth[nearestKernel](nearestRows[uint8], nearestRows[uint16], nearestRows[uint32], nearestRows[uint64], nearestRows[op.Bytes16], nearestRows[op.Bytes16])

func newNearest(d tensor.DType, axes []resizeAxis, s *sampling, beyond float64) *nearest {
	n := &nearest{dims: []int{1}, at: [][]int32{{0}}, outside: [][]bool{nil}, rows: 1, whole: true}
	step := 1
	for i := range axes {
		step *= axes[i].in
	}
	for i := range axes {
		x := &axes[i]
		if x.in > 0 {
			step /= x.in
		}
		at, out := make([]int32, x.out), []bool(nil)
		n.whole = x.in == x.out
		for o := range at {
			k := x.nearestTo(s, o)
			at[o] = int32(k * step)
			n.whole = n.whole && k == o
			if x.isOutside(s.transform, o) {
				if out == nil {
					out = make([]bool, x.out)
				}
				out[o] = true
			}
		}
		n.dims, n.at, n.outside = append(n.dims, x.out), append(n.at, at), append(n.outside, out)
	}
	for _, d := range n.dims[:len(n.dims)-1] {
		n.rows *= d
	}
	n.whole = n.whole && n.outside[len(n.outside)-1] == nil
	n.beyond = filled(d, beyond)
	return n
}

// filled returns a tensor of one element: the number x, or an empty string.
func filled(d tensor.DType, x float64) tensor.View {
	room := make([]op.Bytes16, 1)
	v, err := tensor.ViewOf(tensor.C128, tensor.Shape{1}, room)
	if err != nil {
		//lint:allow panic sixteen bytes are one complex128
		panic(err)
	}
	v.DType = d
	if f := wide.Store[d]; f != nil {
		f(&v, []float64{x, 0})
	}
	return v
}

func (n *nearest) run(c *op.Context) {
	n.kernel, n.out, n.in = op.Row[nearestKernel](c), c.Out(0), c.In(0)
	if n.out.Elements() > 0 {
		c.For(n.rows, max(1, (32<<10)/n.dims[len(n.dims)-1]), n)
	}
}

// Chunk implements op.Task over the rows of the output.
func (n *nearest) Chunk(lo, hi int) { n.kernel(n, lo, hi) }

// row returns where the input of row r begins, and whether it lies outside.
func (n *nearest) row(r int) (at int, outside bool) {
	for d := len(n.dims) - 2; d >= 0; d-- {
		i := r % n.dims[d]
		r /= n.dims[d]
		at += int(n.at[d][i])
		outside = outside || n.outside[d] != nil && n.outside[d][i]
	}
	return at, outside
}

func nearestRows[T any](n *nearest, lo, hi int) {
	out, in, beyond := tensor.Elems[T](n.out), tensor.Elems[T](n.in), tensor.Elems[T](&n.beyond)[0]
	last := len(n.dims) - 1
	width, taps, cut := n.dims[last], n.at[last], n.outside[last]
	before := -1
	for r := lo; r < hi; r++ {
		dst := out[r*width : (r+1)*width]
		at, outside := n.row(r)
		switch {
		case outside:
			for i := range dst {
				dst[i] = beyond
			}
			continue
		case at == before: // the same input as the row above it
			copy(dst, out[(r-1)*width:])
		case n.whole:
			copy(dst, in[at:])
		default:
			src := in[at:]
			for i, k := range taps {
				dst[i] = src[k]
			}
			for i := range cut {
				if cut[i] {
					dst[i] = beyond
				}
			}
		}
		before = at
	}
}
