package elementwise

import (
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// A row shorter than shortRow costs more to call than to compute. Where there
// are many, inputs that are repeated are written out in full first, a chunk at a
// time, so that the kernel sees one long row.
const (
	shortRow = 32
	manyRows = 16
)

// expander writes the elements [lo, hi) of an input, repeated to dims by steps.
type expander func(dst, src *tensor.View, dims, steps []int, lo, hi int)

var expanders = op.ByWidth[expander](expand[uint8], expand[uint16], expand[uint32], expand[uint64], expand[op.Bytes16], expand[op.Bytes16])

// full is an input of a pair in full length: itself, or a copy in the workspace.
type full struct {
	expand expander // nil where the input is dense
	steps  []int
	copy   tensor.View
}

// plan is newPair for the tensors of c, whose second input counts as one of
// shape b; it asks for the workspace that short rows need.
func plan(c *op.Context, b tensor.Shape) *pair {
	out := c.Out(0).Shape
	p := newPair(out, c.In(0).Shape, b)
	last := len(p.dims) - 1
	if last == 0 || p.dims[last] >= shortRow || p.rows < manyRows {
		return p
	}
	p.total = p.rows * p.dims[last]
	bytes := 0
	for k, steps := range [2][]int{p.sa, p.sb} {
		if dense(p.dims, steps) {
			continue
		}
		d := c.In(k).DType
		p.full[k] = full{expand: expanders.Row(d).(expander), steps: steps, copy: tensor.View{DType: d, Shape: out}}
		bytes += aligned(d.Bytes(p.total))
	}
	c.NeedWorkspace(bytes)
	return p
}

// dense reports whether steps are those of a tensor of shape dims itself.
func dense(dims, steps []int) bool {
	step := 1
	for d := len(dims) - 1; d >= 0; d-- {
		if steps[d] != step {
			return false
		}
		step *= dims[d]
	}
	return true
}

func aligned(n int) int { return (n + 63) &^ 63 }

// bind lays the copies into the workspace of c.
func (p *pair) bind(c *op.Context) error {
	room := c.Workspace()
	for k := range p.full {
		f := &p.full[k]
		if f.expand == nil {
			continue
		}
		n := f.copy.DType.Bytes(p.total)
		v, err := tensor.ViewOf(f.copy.DType, f.copy.Shape, room[:n:n])
		if err != nil {
			return err
		}
		f.copy.Data = v.Data
		room = room[aligned(n):]
	}
	return nil
}

// long computes the output elements [lo, hi) as one row.
func (p *pair) long(lo, hi int) {
	in := [2]*tensor.View{p.a, p.b}
	for k := range p.full {
		if f := &p.full[k]; f.expand != nil {
			f.expand(&f.copy, in[k], p.dims, f.steps, lo, hi)
			in[k] = &f.copy
		}
	}
	p.kernel(p.out, in[0], in[1], lo, lo, lo, hi-lo, 1, 1)
}

func expand[T any](dst, src *tensor.View, dims, steps []int, lo, hi int) {
	out, in := tensor.Elems[T](dst), tensor.Elems[T](src)
	k := len(dims) - 1
	n, step, rows, stride := dims[k], steps[k], dims[k-1], steps[k-1]
	for o := lo; o < hi; {
		r := o / n
		i := o - r*n
		from := offsetOf(r, dims[:k], steps)
		for left := rows - r%rows; left > 0 && o < hi; left-- {
			part := out[o : o+min(n-i, hi-o)]
			at := from + i*step
			for j := range part {
				part[j] = in[at]
				at += step
			}
			o += len(part)
			i = 0
			from += stride
		}
	}
}

// offsetOf returns where row r starts.
func offsetOf(r int, dims, steps []int) (at int) {
	for d := len(dims) - 1; d >= 0; d-- {
		at += r % dims[d] * steps[d]
		r /= dims[d]
	}
	return at
}
