package nn

import (
	"math"
	"sort"

	"github.com/goruntime/goruntime/goruntime/kernels/columns"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/kernels/wide"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// interpolation is the State of a Resize that weighs elements, one axis after
// the other: in float32 for f32, in float64 for the other types.
type interpolation struct {
	narrow  []*resample[float32]
	wide    []*resample[float64]
	room    int // elements of the larger of the tensors between two axes
	dims    []int
	outside [][]bool // for each axis: what takes beyond; nil where nothing does
	beyond  float64
}

// resample is the change of one axis of a tensor [outer, in, inner].
type resample[W float32 | float64] struct {
	outer, in, out, inner int
	first                 []int32 // where the taps of each output begin; one more at the end
	taps                  []int32
	weights               []W
	weigh                 weighing[W]
	dst, src              []W
	free                  chan []W // room of each thread for lines that are turned; nil where none are
}

// weighing writes the sum of some rows of src, each times its weight, to dst.
type weighing[W float32 | float64] func(dst, src []W, step int, rows []int32, weights []W)

func newInterpolation(c *op.Context, axes []resizeAxis, s *sampling, beyond float64) *interpolation {
	n := &interpolation{beyond: beyond, outside: make([][]bool, len(axes))}
	dims, d := make([]int, len(axes)), c.In(0).DType
	for i := range axes {
		dims[i] = axes[i].in
		n.dims = append(n.dims, axes[i].out)
		for o := range axes[i].out {
			if axes[i].isOutside(s.transform, o) {
				if n.outside[i] == nil {
					n.outside[i] = make([]bool, axes[i].out)
				}
				n.outside[i][o] = true
			}
		}
	}
	n.room = tensor.Shape(dims).Elements() * wide.Parts(d)
	for _, i := range smallestFirst(axes) {
		first, taps, w := axes[i].matrix(s)
		inner := tensor.Shape(dims[i+1:]).Elements() * wide.Parts(d)
		outer := tensor.Shape(dims[:i]).Elements()
		if axes[i].keeps(first, taps, w) {
			continue
		}
		dims[i] = axes[i].out
		n.room = max(n.room, tensor.Shape(dims).Elements()*wide.Parts(d))
		if d == tensor.F32 {
			n.narrow = append(n.narrow, newResample(c, &axes[i], outer, inner, first, taps, w, vec.Weigh))
		} else {
			n.wide = append(n.wide, newResample(c, &axes[i], outer, inner, first, taps, w, weighWide))
		}
	}
	if d == tensor.F32 {
		c.NeedWorkspace(4 * 2 * n.room)
	} else {
		c.NeedWorkspace(8 * 2 * n.room)
	}
	return n
}

// smallestFirst lists the axes in the order that keeps tensors small. Among equals the last,
// along which nothing lies side by side, has least to do: first where axes grow, last
// where they shrink.
func smallestFirst(axes []resizeAxis) []int {
	var list []int
	for i := len(axes) - 1; i >= 0; i-- {
		list = append(list, i)
	}
	sort.SliceStable(list, func(a, b int) bool {
		x, y := &axes[list[a]], &axes[list[b]]
		if one, other := x.out*max(1, y.in), y.out*max(1, x.in); one != other {
			return one < other
		}
		return x.out < x.in && list[a] < list[b]
	})
	return list
}

// matrix lists the weights of all outputs.
func (x *resizeAxis) matrix(s *sampling) (first, taps []int32, w []float64) {
	for o := range x.out {
		first = append(first, int32(len(taps)))
		taps, w = x.weights(s, o, taps, w)
	}
	return append(first, int32(len(taps))), taps, w
}

// keeps reports whether the weights leave the axis as it is.
func (x *resizeAxis) keeps(first, taps []int32, w []float64) bool {
	if x.in != x.out || len(taps) != x.out {
		return false
	}
	for o := range x.out {
		if first[o] != int32(o) || taps[o] != int32(o) || w[o] != 1 {
			return false
		}
	}
	return true
}

// Lines of neighbouring numbers are turned, some at a time, where there are enough: then
// those of one place lie side by side.
const (
	fewestLines = 8
	mostLines   = 64
	lineFloats  = 32 << 10 // of the room, before and after
)

func newResample[W float32 | float64](c *op.Context, x *resizeAxis, outer, inner int, first, taps []int32, w []float64, weigh weighing[W]) *resample[W] {
	r := &resample[W]{outer: outer, in: x.in, out: x.out, inner: inner, first: first, taps: taps, weigh: weigh}
	for _, v := range w {
		r.weights = append(r.weights, W(v))
	}
	if inner == 1 && outer >= fewestLines && x.in+x.out <= lineFloats/fewestLines {
		r.free = make(chan []W, c.Threads())
		for range cap(r.free) {
			r.free <- make([]W, (x.in+x.out)*r.block())
		}
	}
	return r
}

// block is how many lines are turned at a time.
func (r *resample[W]) block() int { return min(mostLines, lineFloats/(r.in+r.out)) }

func (n *interpolation) run(c *op.Context) error {
	out, in := c.Out(0), c.In(0)
	if out.Elements() == 0 {
		return nil
	}
	if in.DType == tensor.F32 {
		dst := tensor.Elems[float32](out)
		if last := inTurn(c, n.narrow, tensor.Elems[float32](in), dst, n.room); last != nil {
			copy(dst, last)
		}
		extrapolate(n, dst, 1)
		return nil
	}
	k, work := wide.Parts(in.DType), op.WorkspaceOf[float64](c)
	first := work[n.room:][:in.Elements()*k]
	wide.Load[in.DType](first, in)
	last := inTurn(c, n.wide, first, nil, n.room)
	if last == nil {
		last = first
	}
	extrapolate(n, last, k)
	if in.DType.Integer() {
		settle(last)
	}
	wide.Store[out.DType](out, last)
	return nil
}

// settle rounds away what the weights lack in precision, so that a sum that
// should be a whole number is not cut off to the one below.
func settle(list []float64) {
	const grid = 1 << 20
	for i, x := range list {
		list[i] = math.Round(x*grid) / grid
	}
}

// inTurn runs the axes from src on, through the two halves of the workspace in
// turn, the last into dst where it is given. It returns where the result is, nil
// where it is in dst; without axes that is src.
func inTurn[W float32 | float64](c *op.Context, list []*resample[W], src, dst []W, room int) []W {
	work := op.WorkspaceOf[W](c)
	for i, r := range list {
		r.src, r.dst = src, work[i%2*room:][:r.outer*r.out*r.inner]
		if i == len(list)-1 && dst != nil {
			r.dst = dst
		}
		if r.inner == 1 {
			c.For(r.outer, max(1, (16<<10)/len(r.taps)), r)
		} else {
			c.For(r.outer*r.out, max(1, (16<<10)/r.inner), r)
		}
		src = r.dst
	}
	if len(list) > 0 && dst != nil {
		return nil
	}
	return src
}

// Chunk implements op.Task over rows of the output, or over whole lines where
// inner is 1.
func (r *resample[W]) Chunk(lo, hi int) {
	switch {
	case r.free != nil:
		r.turned(lo, hi)
		return
	case r.inner == 1:
		for l := lo; l < hi; l++ {
			r.line(r.dst[l*r.out:(l+1)*r.out], r.src[l*r.in:(l+1)*r.in])
		}
		return
	}
	for row := lo; row < hi; row++ {
		r.row(r.dst[row*r.inner:(row+1)*r.inner], r.src[row/r.out*r.in*r.inner:], row%r.out)
	}
}

// row writes output o of rows that lie side by side in src.
func (r *resample[W]) row(dst, src []W, o int) {
	from, to := r.first[o], r.first[o+1]
	r.weigh(dst, src, len(dst), r.taps[from:to], r.weights[from:to])
}

// turned computes the lines [lo, hi), which are turned to rows and back.
func (r *resample[W]) turned(lo, hi int) {
	room := <-r.free
	defer func() { r.free <- room }()
	for ; lo < hi; lo += r.block() {
		n := min(r.block(), hi-lo)
		src, dst := room[:n*r.in], room[n*r.in:][:n*r.out]
		columns.Transpose(src, r.src[lo*r.in:], r.in, n, r.in)
		for o := range r.out {
			r.row(dst[o*n:(o+1)*n], src, o)
		}
		columns.Transpose(r.dst[lo*r.out:], dst, n, r.out, n)
	}
}

// line computes one line with the roundings of rows.
func (r *resample[W]) line(dst, src []W) {
	for o := range dst {
		k := r.first[o]
		sum := W(r.weights[k] * src[r.taps[k]])
		for k++; k < r.first[o+1]; k++ {
			sum += W(r.weights[k] * src[r.taps[k]])
		}
		dst[o] = sum
	}
}

func weighWide(dst, src []float64, step int, rows []int32, weights []float64) {
	for k, r := range rows {
		for i, x := range src[int(r)*step:][:len(dst)] {
			if product := weights[k] * x; k == 0 {
				dst[i] = product
			} else {
				dst[i] += float64(product)
			}
		}
	}
}

// extrapolate writes beyond over the elements of which one index is outside;
// each consists of k numbers.
func extrapolate[W float32 | float64](n *interpolation, out []W, k int) {
	some := false
	for _, list := range n.outside {
		some = some || list != nil
	}
	for i := 0; some && i < len(out); i += k {
		rest, hit := i/k, false
		for d := len(n.dims) - 1; d >= 0; d-- {
			hit = hit || n.outside[d] != nil && n.outside[d][rest%n.dims[d]]
			rest /= n.dims[d]
		}
		if hit {
			clear(out[i : i+k])
			out[i] = W(n.beyond)
		}
	}
}
