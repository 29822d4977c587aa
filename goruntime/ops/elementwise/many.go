package elementwise

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/cast"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Max, Min, Sum and Mean combine any number of broadcast inputs. NaN passes
// through; 16-bit floats are rounded once, at the end.
// https://onnx.ai/onnx/operators/onnx__Max.html (Min, Sum, Mean)   Departures: none.
var (
	Max, Max1 = op.DeclareTwo("", "Max", func() (now, legacy op.Def) {
		return variadic(op.Versions{8: "", 12: "integers", 13: "bfloat16"}, joins(vec.Larger, false).And(wholeJoins(vec.AnyLarger)), gathers(vec.Larger))
	})
	Min, Min1 = op.DeclareTwo("", "Min", func() (now, legacy op.Def) {
		return variadic(op.Versions{8: "", 12: "integers", 13: "bfloat16"}, joins(vec.Smaller, false).And(wholeJoins(vec.AnySmaller)), gathers(vec.Smaller))
	})
	Sum, Sum1 = op.DeclareTwo("", "Sum", func() (now, legacy op.Def) {
		return variadic(op.Versions{8: "", 13: "bfloat16"}, joins(vec.Plus, false), gathers(vec.Plus))
	})
	Mean, Mean1 = op.DeclareTwo("", "Mean", func() (now, legacy op.Def) {
		return variadic(op.Versions{8: "", 13: "bfloat16"}, joins(vec.Plus, true), nil)
	})
)

// variadic declares an operator on a list of inputs of one type. Before version
// 8 all must have one shape.
func variadic(versions op.Versions, table op.Table, l link) (now, legacy op.Def) {
	def := op.Def{
		Versions: versions, InPlace: op.AnyInput,
		Shape: variadicShape, Prepare: prepareMany, Run: runMany, DTypes: table, Chain: l, Halves: op.RoundedHalves,
	}
	old := def
	old.Versions, old.Attrs = op.Versions{1: "one shape", 6: ""}, op.Attrs(consumed)
	old.Shape = func(c *op.Infer) error {
		for i := range c.Inputs() {
			if !c.In(i).Equal(c.In(0)) {
				return errs.New(errs.Shape, "input %d has shape %v and input 0 has %v: before version 8 they must be equal", i, c.In(i), c.In(0))
			}
		}
		return variadicShape(c)
	}
	return def, old
}

func variadicShape(c *op.Infer) error {
	rank := 0
	for i := range c.Inputs() {
		if c.DType(i) != c.DType(0) {
			return errs.New(errs.Type, "input %d is %v and input 0 is %v: they must be alike", i, c.DType(i), c.DType(0))
		}
		rank = max(rank, len(c.In(i)))
	}
	out := c.Grow(0, c.DType(0), rank)
	for i := range out {
		out[i] = 1
	}
	for i := range c.Inputs() {
		in := c.In(i)
		for k, d := range in {
			switch e := &out[rank-len(in)+k]; {
			case *e == d || d == 1:
			case *e == 1:
				*e = d
			default:
				return errs.New(errs.Shape, "input %d has shape %v, which does not broadcast with the others: dimension %d is %d there and %d here; they must be equal or one of them 1",
					i, in, rank-len(in)+k, *e, d)
			}
		}
	}
	return nil
}

// many is the State of a variadic operator: the output's dimensions, joined
// where all inputs allow, and the steps of each input.
type many struct {
	dims   []int
	steps  [][]int // by input
	last   int     // the innermost dimension
	most   int     // elements that the kernel takes at once
	kernel manyKernel
	out    *tensor.View
	in     []*tensor.View
}

// manyKernel computes the output elements [lo, hi), which lie in one row and, of halves,
// are block at most.
type manyKernel func(s *many, lo, hi int)

// block is how many elements a kernel keeps on its stack.
const block = 256

func prepareMany(c *op.Context) error {
	out := c.Out(0).Shape
	s := &many{in: make([]*tensor.View, c.Inputs()), steps: make([][]int, c.Inputs())}
	all := make([][]int, c.Inputs())
	for i := range all {
		all[i] = c.In(i).Shape.Strides(len(out))
	}
	for d, n := range out {
		if n == 1 {
			continue
		}
		if k := len(s.dims) - 1; k >= 0 && s.joins(all, d, n) {
			s.dims[k] *= n
			for i := range all {
				s.steps[i][k] = all[i][d]
			}
			continue
		}
		s.dims = append(s.dims, n)
		for i := range all {
			s.steps[i] = append(s.steps[i], all[i][d])
		}
	}
	if len(s.dims) == 0 {
		s.dims = []int{1}
		for i := range all {
			s.steps[i] = []int{0}
		}
	}
	s.last = s.dims[len(s.dims)-1]
	c.State = s
	return nil
}

// joins reports whether dimension d of n elements continues the last one kept
// in every input.
func (s *many) joins(all [][]int, d, n int) bool {
	k := len(s.dims) - 1
	for i := range all {
		if s.steps[i][k] != n*all[i][d] {
			return false
		}
	}
	return true
}

func runMany(c *op.Context) error {
	s := c.State.(*many)
	s.kernel, s.out, s.most = op.Row[manyKernel](c), c.Out(0), s.last
	if s.out.DType.Half() {
		s.most = block
	}
	for i := range s.in {
		s.in[i] = c.In(i)
	}
	c.For(s.out.Elements(), max(1, grain/len(s.in)), s)
	return nil
}

// Chunk implements op.Task over the output elements: it gives them to the
// kernel in blocks that stay within a row.
func (s *many) Chunk(lo, hi int) {
	for lo < hi {
		n := min(s.most, hi-lo, s.last-lo%s.last)
		s.kernel(s, lo, lo+n)
		lo += n
	}
}

// at returns the offset in input i of what belongs to output element o, and the
// step to the next.
func (s *many) at(i, o int) (from, step int) {
	list := s.steps[i]
	for d := len(s.dims) - 1; d >= 0; d-- {
		from += o % s.dims[d] * list[d]
		o /= s.dims[d]
	}
	return from, list[len(list)-1]
}

// spread reads the elements of input i that belong to output element lo and
// those after it.
func spread[T any](dst []T, s *many, i, lo int) {
	from, step := s.at(i, lo)
	x := tensor.Elems[T](s.in[i])[from:]
	if step == 1 {
		copy(dst, x)
		return
	}
	for k := range dst {
		dst[k] = x[k*step]
	}
}

// joinHalf is join for a 16-bit type.
func joinHalf[H cast.Half](o vec.Operation, mean bool) manyKernel {
	return func(s *many, lo, hi int) {
		var room, wide [block]float32
		acc, next := room[:hi-lo], wide[:hi-lo]
		for i := range s.in {
			from, step := s.at(i, lo)
			widen(next, tensor.Elems[H](s.in[i])[from:], step)
			if i == 0 {
				copy(acc, next)
				continue
			}
			vec.Combine(o, acc, acc, next)
		}
		if mean {
			n := [1]float32{float32(len(s.in))}
			vec.Combine(vec.Over, acc, acc, n[:])
		}
		cast.Narrow(tensor.Elems[H](s.out)[lo:hi], acc)
	}
}

// join32 combines at once two inputs that have an element or one for each
// of the output, and others block by block.
func join32(o vec.Operation, mean bool) manyKernel {
	return func(s *many, lo, hi int) {
		if !mean && len(s.in) == 2 {
			a, b := lying[float32](s, 0, lo, hi-lo), lying[float32](s, 1, lo, hi-lo)
			if a != nil && b != nil && max(len(a), len(b)) == hi-lo {
				vec.Combine(o, tensor.Elems[float32](s.out)[lo:hi], a, b)
				return
			}
		}
		var room, wide [block]float32
		for ; lo < hi; lo += block {
			s.join32(o, mean, lo, room[:min(block, hi-lo)], wide[:min(block, hi-lo)])
		}
	}
}

// join32 joins the elements that belong to output element lo and those after it, as many
// as there is room for. The output, which may be any of the inputs, is written last.
func (s *many) join32(o vec.Operation, mean bool, lo int, acc, room []float32) {
	spread(acc, s, 0, lo)
	for i := 1; i < len(s.in); i++ {
		x := lying[float32](s, i, lo, len(acc))
		if x == nil {
			x = room
			spread(x, s, i, lo)
		}
		vec.Combine(o, acc, acc, x)
	}
	if mean {
		n := [1]float32{float32(len(s.in))}
		vec.Combine(vec.Over, acc, acc, n[:])
	}
	copy(tensor.Elems[float32](s.out)[lo:], acc)
}

// join is join32 of other numbers.
func join[T vec.Counted](o vec.Arithmetic, mean bool) manyKernel {
	return func(s *many, lo, hi int) {
		if !mean && len(s.in) == 2 {
			a, b := lying[T](s, 0, lo, hi-lo), lying[T](s, 1, lo, hi-lo)
			if len(a) < len(b) {
				a, b = b, a
			}
			if b != nil && len(a) == hi-lo {
				vec.Numbers(o, tensor.Elems[T](s.out)[lo:hi], a, b)
				return
			}
		}
		var room, wide [block]T
		for ; lo < hi; lo += block {
			n := min(block, hi-lo)
			acc := room[:n]
			spread(acc, s, 0, lo)
			for i := 1; i < len(s.in); i++ {
				x := lying[T](s, i, lo, n)
				if x == nil {
					x = wide[:n]
					spread(x, s, i, lo)
				}
				vec.Numbers(o, acc, acc, x)
			}
			if mean {
				for k := range acc {
					acc[k] /= T(len(s.in))
				}
			}
			copy(tensor.Elems[T](s.out)[lo:], acc)
		}
	}
}

// lying returns the elements of input i that belong to n of the output from lo on, or
// the one that goes with all of them; nil where they lie apart.
func lying[T any](s *many, i, lo, n int) []T {
	from, step := s.at(i, lo)
	x := tensor.Elems[T](s.in[i])[from:]
	switch step {
	case 0:
		return x[:1]
	case 1:
		return x[:n]
	default:
		return nil
	}
}

// anyOf are the operations on other numbers than float32s.
var anyOf = map[vec.Operation]vec.Arithmetic{vec.Plus: vec.AnyPlus, vec.Larger: vec.AnyLarger, vec.Smaller: vec.AnySmaller}

func joins(o vec.Operation, mean bool) op.Table {
	return op.ByType(map[tensor.DType]manyKernel{
		tensor.F32: join32(o, mean), tensor.F64: join[float64](anyOf[o], mean),
		tensor.F16: joinHalf[tensor.Half](o, mean), tensor.BF16: joinHalf[tensor.BFloat16](o, mean),
	})
}

func wholeJoins(o vec.Arithmetic) op.Table {
	return wholes(join[int8](o, false), join[int16](o, false), join[int32](o, false), join[int64](o, false),
		join[uint8](o, false), join[uint16](o, false), join[uint32](o, false), join[uint64](o, false))
}
