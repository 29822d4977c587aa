package index

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// TopK gives the K greatest or smallest elements along an axis, the best first,
// and their indices; of equal ones the lower index comes first. A NaN is greater
// than every number, as NumPy sorts.
// https://onnx.ai/onnx/operators/onnx__TopK.html   Departures: none. With sorted=0
// they are sorted too.
var TopK = op.Declare("", "TopK", func() op.Def {
	return op.Def{
		Versions: op.Versions{11: "largest, sorted, integers", 24: "bfloat16"},
		Attrs:    op.Attrs(op.Int("axis", -1), op.Int("largest", 1), op.Int("sorted", 1)),
		Shape:    topShape,
		Prepare: func(c *op.Context) error {
			return topPrepare(c, !c.Attr.Bool("largest"))
		},
		Run: topRun,
		DTypes: op.ByType(map[tensor.DType]topKernel{
			tensor.I8: top(orderSigned[int8]), tensor.I16: top(orderSigned[int16]), tensor.I32: top(orderSigned[int32]), tensor.I64: top(orderSigned[int64]),
			tensor.U8: top(orderUnsigned[uint8]), tensor.U16: top(orderUnsigned[uint16]), tensor.U32: top(orderUnsigned[uint32]), tensor.U64: top(orderUnsigned[uint64]),
			tensor.F32: top(orderFloat32), tensor.F64: top(orderFloat64),
			tensor.F16: topHalf[tensor.Half], tensor.BF16: topHalf[tensor.BFloat16],
		}),
		Also: map[int][]tensor.DType{1: {tensor.I64}},
	}
})

// TopK10 is TopK before version 11: the greatest of floating-point numbers.
var TopK10 = op.Declare("", "TopK", func() op.Def {
	return op.Def{
		Versions: op.Versions{10: "the greatest"}, Attrs: op.Attrs(op.Int("axis", -1)), Shape: topShape,
		Prepare: func(c *op.Context) error { return topPrepare(c, false) },
		Run:     topRun, DTypes: topFloats, Also: TopK.Def().Also,
	}
})

// TopK1 is TopK before version 10, with K as an attribute.
var TopK1 = op.Declare("", "TopK", func() op.Def {
	return op.Def{
		Versions: op.Versions{1: "k is an attribute"}, Attrs: op.Attrs(op.Int("axis", -1), op.Required("k", op.KindInt)),
		Shape:   func(c *op.Infer) error { return topOf(c, c.Attr.Int("k")) },
		Prepare: TopK10.Def().Prepare, Run: topRun, DTypes: topFloats,
	}
})

var topFloats = op.ByType(map[tensor.DType]topKernel{
	tensor.F32: top(orderFloat32), tensor.F64: top(orderFloat64), tensor.F16: topHalf[tensor.Half],
})

func topShape(c *op.Infer) error {
	k, err := c.Ints(1)
	if err != nil {
		return err
	}
	if len(k) != 1 {
		return errs.New(errs.Shape, "K has %d elements, one expected", len(k))
	}
	return topOf(c, k[0])
}

func topOf(c *op.Infer, k int) error {
	in := c.In(0)
	axis, err := c.Axis("axis", len(in))
	if err != nil {
		return err
	}
	if k < 0 || k > in[axis] {
		return errs.New(errs.Shape, "K is %d, dimension %d of %v is %d: it must lie in [0, %d]", k, axis, in, in[axis], in[axis])
	}
	for i, d := range [2]tensor.DType{c.DType(0), tensor.I64} {
		if i < c.Outputs() {
			out := c.Grow(i, d, len(in))
			copy(out, in)
			out[axis] = k
		}
	}
	return nil
}

// selection is the State: the input is outer x n x inner, of which k along n are
// taken.
type selection struct {
	k, n, outer, inner int
	smallest           bool
	flip               uint64 // makes the greater key of the smaller number
	kernel             topKernel
	in, values, at     *tensor.View // the outputs are nil where the node has none
	heaps              []entry
}

// entry is an element that may be among the best: the greater key is the better.
type entry struct {
	key uint64
	at  int
}

// worse reports whether a comes after b.
func worse(a, b entry) bool { return a.key < b.key || a.key == b.key && a.at > b.at }

// topKernel selects along the rows [lo, hi) of outer x inner.
type topKernel func(s *selection, lo, hi int)

func topPrepare(c *op.Context, smallest bool) error {
	in := c.In(0).Shape
	axis, err := tensor.Axis(c.Attr.Int("axis"), len(in))
	if err != nil {
		return err
	}
	s := &selection{smallest: smallest}
	s.outer, s.n, s.inner = in.Around(axis)
	c.State = s
	if smallest {
		s.flip = math.MaxUint64
	}
	return nil
}

func topRun(c *op.Context) error {
	s := c.State.(*selection)
	rows := s.outer * s.inner
	s.kernel, s.in, s.values, s.at = op.Row[topKernel](c), c.In(0), nil, nil
	elements := 0
	if c.Wants(0) {
		s.values = c.Out(0)
		elements = s.values.Elements()
	}
	if c.Wants(1) {
		s.at = c.Out(1)
		elements = s.at.Elements()
	}
	if elements == 0 {
		return nil
	}
	s.k = elements / rows
	var err error
	if s.heaps, err = op.Temporary[entry](c, elements); err != nil {
		return err
	}
	c.For(rows, max(1, (16<<10)/s.n), s)
	return nil
}

// Chunk implements op.Task over the rows.
func (s *selection) Chunk(lo, hi int) { s.kernel(s, lo, hi) }

// plainNumber is what Go compares by itself.
type plainNumber interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64
}

// together is how many rows that lie side by side are searched at once.
const together = 16

// top makes the kernel of a type whose elements order as the keys do. Most elements
// are no better than the worst one kept, which their own order tells: only of the
// others, and of NaNs, a key is made.
func top[T plainNumber](order func(T) uint64) topKernel {
	return func(s *selection, lo, hi int) {
		in := tensor.Elems[T](s.in)
		if s.inner == 1 {
			for row := lo; row < hi; row++ {
				topRow(s, in[row*s.n:(row+1)*s.n], row, order)
			}
			return
		}
		for lo < hi {
			w := min(together, hi-lo, s.inner-lo%s.inner)
			from := lo/s.inner*s.n*s.inner + lo%s.inner
			var worst [together]T
			for l := range w {
				heap := s.start(lo+l, func(i int) uint64 { return order(in[from+l+i*s.inner]) })
				worst[l] = in[from+l+heap[0].at*s.inner]
			}
			for i := s.k; i < s.n; i++ {
				for l, x := range in[from+i*s.inner : from+i*s.inner+w] {
					if s.smallest && x >= worst[l] || !s.smallest && x <= worst[l] {
						continue
					}
					if heap := s.heap(lo + l); s.offer(heap, order(x), i) {
						worst[l] = in[from+l+heap[0].at*s.inner]
					}
				}
			}
			for l := range w {
				finish(s.heap(lo + l))
				write(s, in[from+l:], s.heap(lo+l), lo+l)
			}
			lo += w
		}
	}
}

// topRow is top for elements that lie side by side.
func topRow[T plainNumber](s *selection, x []T, row int, order func(T) uint64) {
	heap := s.start(row, func(i int) uint64 { return order(x[i]) })
	worst := x[heap[0].at]
	if s.smallest {
		for i := s.k; i < len(x); i++ {
			if v := x[i]; !(v >= worst) && s.offer(heap, order(v), i) {
				worst = x[heap[0].at]
			}
		}
	} else {
		for i := s.k; i < len(x); i++ {
			if v := x[i]; !(v <= worst) && s.offer(heap, order(v), i) {
				worst = x[heap[0].at]
			}
		}
	}
	finish(heap)
	write(s, x, heap, row)
}

// topHalf is top for the 16-bit types, of which every element becomes a key.
func topHalf[H interface{ Float32() float32 }](s *selection, lo, hi int) {
	in := tensor.Elems[H](s.in)
	for row := lo; row < hi; row++ {
		from := row/s.inner*s.n*s.inner + row%s.inner
		heap := s.start(row, func(i int) uint64 { return orderFloat32(in[from+i*s.inner].Float32()) })
		for i := s.k; i < s.n; i++ {
			s.offer(heap, orderFloat32(in[from+i*s.inner].Float32()), i)
		}
		finish(heap)
		write(s, in[from:], heap, row)
	}
}

// heap is the memory of a row.
func (s *selection) heap(row int) []entry { return s.heaps[row*s.k : (row+1)*s.k] }

// start makes the heap of a row of its first elements.
func (s *selection) start(row int, key func(i int) uint64) []entry {
	heap := s.heap(row)
	for i := range heap {
		heap[i] = entry{key(i) ^ s.flip, i}
	}
	for i := s.k/2 - 1; i >= 0; i-- {
		sink(heap, i)
	}
	return heap
}

// offer takes an element in the place of the worst one where it is better.
func (s *selection) offer(heap []entry, key uint64, at int) bool {
	if key ^= s.flip; key <= heap[0].key { // of equal ones the lower index stays
		return false
	}
	heap[0] = entry{key, at}
	sink(heap, 0)
	return true
}

// finish sorts a heap, the best entry first.
func finish(heap []entry) {
	for end := len(heap) - 1; end > 0; end-- {
		heap[0], heap[end] = heap[end], heap[0]
		sink(heap[:end], 0)
	}
}

// sink restores a heap, whose worst entry is the first, below place i.
func sink(heap []entry, i int) {
	e := heap[i]
	for {
		child := 2*i + 1
		if child >= len(heap) {
			break
		}
		if child+1 < len(heap) && worse(heap[child+1], heap[child]) {
			child++
		}
		if !worse(heap[child], e) {
			break
		}
		heap[i] = heap[child]
		i = child
	}
	heap[i] = e
}

// write stores the entries of a row, whose elements start at in.
func write[T any](s *selection, in []T, heap []entry, row int) {
	to := row/s.inner*s.k*s.inner + row%s.inner
	if s.values != nil {
		out := tensor.Elems[T](s.values)
		for i, e := range heap {
			out[to+i*s.inner] = in[e.at*s.inner]
		}
	}
	if s.at != nil {
		out := tensor.Elems[int64](s.at)
		for i, e := range heap {
			out[to+i*s.inner] = int64(e.at)
		}
	}
}
