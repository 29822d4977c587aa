package index

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// places is the State of the operators that name places in data by coordinates:
// GatherND, GatherElements and the scatters. Each place is a run of inner
// elements; where they start is computed from the indices in each run.
type places struct {
	count   int // how many there are
	inner   int
	find    func(p *places, offsets []int, indices *tensor.View) error
	dims    tensor.Shape // of data
	strides []int        // of data

	// For tuples: each is k coordinates of the axes from batch on.
	k, batch, perBatch int

	// For elements: the indices' own dimensions and the axis they name.
	over tensor.Shape
	axis int

	// Bound in each run, for kernels that are split.
	kernel  func(p *places, lo, hi int)
	out, in *tensor.View
	offsets []int
}

// newTuples sees indices [..., k] as tuples into data, within each of the batch
// leading dimensions that both share.
func newTuples(data, indices *tensor.View, batch int) *places {
	last := len(indices.Shape) - 1
	k := indices.Shape[last]
	return &places{
		count: indices.Shape[:last].Elements(), inner: data.Shape[batch+k:].Elements(), find: finders[indices.DType].tuples,
		dims: data.Shape, strides: denseStrides(data.Shape),
		k: k, batch: batch, perBatch: indices.Shape[batch:last].Elements(),
	}
}

// newElements sees each element of indices as the coordinate on axis of a place
// whose other coordinates are the element's own.
func newElements(data, indices *tensor.View, axis int) *places {
	return &places{
		count: indices.Elements(), inner: 1, find: finders[indices.DType].elements,
		dims: data.Shape, strides: denseStrides(data.Shape), over: indices.Shape, axis: axis,
	}
}

// denseStrides returns the distances, in elements, between neighbours.
func denseStrides(s tensor.Shape) []int {
	strides := make([]int, len(s))
	step := 1
	for a := len(s) - 1; a >= 0; a-- {
		strides[a] = step
		step *= s[a]
	}
	return strides
}

// locate computes where in data each place starts, in temporary memory.
func (p *places) locate(c *op.Context, indices *tensor.View) error {
	offsets, err := op.Temporary[int](c, p.count)
	if err != nil {
		return err
	}
	p.offsets = offsets
	return p.find(p, offsets, indices)
}

type finder struct {
	tuples, elements func(p *places, offsets []int, indices *tensor.View) error
}

var finders = [tensor.NumDTypes]finder{
	tensor.I32: {findTuples[int32], findElements[int32]},
	tensor.I64: {findTuples[int64], findElements[int64]},
}

func findTuples[I int32 | int64](p *places, offsets []int, indices *tensor.View) error {
	list := tensor.Elems[I](indices)
	whole := p.dims[p.batch:].Elements()
	for t := range offsets {
		at := 0
		if p.batch > 0 {
			at = t / p.perBatch * whole
		}
		for a, x := range list[t*p.k : (t+1)*p.k] {
			i, n := int(x), p.dims[p.batch+a]
			if i < -n || i >= n {
				return outOfRange(i, t, p.batch+a, n)
			}
			if i < 0 {
				i += n
			}
			at += i * p.strides[p.batch+a]
		}
		offsets[t] = at
	}
	return nil
}

func findElements[I int32 | int64](p *places, offsets []int, indices *tensor.View) error {
	list := tensor.Elems[I](indices)
	if len(list) == 0 {
		return nil
	}
	if len(p.over) == 0 { // data is a scalar too, which axis rules out
		return errs.New(errs.Shape, "the indices are a scalar, a tensor is expected")
	}
	last := len(p.over) - 1
	width, n, step := p.over[last], p.dims[p.axis], p.strides[p.axis]
	for row := 0; row*width < len(list); row++ {
		at, rest := 0, row
		for a := last - 1; a >= 0; a-- {
			if a != p.axis {
				at += rest % p.over[a] * p.strides[a]
			}
			rest /= p.over[a]
		}
		for j, x := range list[row*width : (row+1)*width] {
			i := int(x)
			if i < -n || i >= n {
				return outOfRange(i, row*width+j, p.axis, n)
			}
			if i < 0 {
				i += n
			}
			if p.axis != last {
				offsets[row*width+j] = at + i*step + j
			} else {
				offsets[row*width+j] = at + i
			}
		}
	}
	return nil
}

func outOfRange(i, at, axis, n int) error {
	return errs.New(errs.Compute, "index %d at position %d is out of range for axis %d of size %d: it must lie in [%d, %d]", i, at, axis, n, -n, n-1)
}

// placesGrain is how many elements make a chunk worth handing out.
const placesGrain = 16 << 10

// Chunk implements op.Task over the places.
func (p *places) Chunk(lo, hi int) { p.kernel(p, lo, hi) }

// take copies the places of in behind each other to out.
func take[T any](p *places, lo, hi int) {
	out, in := tensor.Elems[T](p.out), tensor.Elems[T](p.in)
	if p.inner == 1 {
		dst := out[lo:hi]
		for i, at := range p.offsets[lo:hi] {
			dst[i] = in[at]
		}
		return
	}
	for i, at := range p.offsets[lo:hi] {
		copy(out[(lo+i)*p.inner:(lo+i+1)*p.inner], in[at:])
	}
}

var takeRows = op.ByWidth(take[uint8], take[uint16], take[uint32], take[uint64], take[op.Bytes16], take[op.Bytes16])

// takeRun is Run of the gathers whose State is a places.
func takeRun(c *op.Context) error {
	p := c.State.(*places)
	if c.Out(0).Elements() == 0 {
		return nil
	}
	if err := p.locate(c, c.In(1)); err != nil {
		return err
	}
	p.kernel, p.out, p.in = op.Row[func(*places, int, int)](c), c.Out(0), c.In(0)
	c.For(p.count, max(1, placesGrain/p.inner), p)
	return nil
}
