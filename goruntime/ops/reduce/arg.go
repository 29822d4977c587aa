package reduce

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// ArgMax and ArgMin find the index of the largest or smallest element along an
// axis: the first one, or the last where select_last_index is set. NaN counts as
// larger and as smaller than all others, as NumPy has it.
// https://onnx.ai/onnx/operators/onnx__ArgMax.html (ArgMin)   Departures: none.
var (
	ArgMax, ArgMax1 = op.DeclareTwo("", "ArgMax", func() (now, legacy op.Def) {
		return argument(false)
	})
	ArgMin, ArgMin1 = op.DeclareTwo("", "ArgMin", func() (now, legacy op.Def) {
		return argument(true)
	})
)

// argument declares ArgMax or ArgMin; before version 12 it finds the first.
func argument(least bool) (now, legacy op.Def) {
	def := op.Def{
		Versions: op.Versions{12: "select_last_index", 13: "bfloat16"},
		Attrs:    op.Attrs(op.Int("axis", 0), op.Int("keepdims", 1), op.Int("select_last_index", 0)),
		Shape:    argShape,
		Prepare: func(c *op.Context) error {
			return prepareArg(c, least, c.Attr.Bool("select_last_index"))
		},
		Run: runArg,
		DTypes: op.ByType(map[tensor.DType]argKernel{
			tensor.F32: arg32(), tensor.F64: arg[float64, float64](plain),
			tensor.F16: arg[uint16, float32](half), tensor.BF16: arg[uint16, float32](bfloat),
			tensor.I8: arg[int8, int8](plain), tensor.I16: arg[int16, int16](plain),
			tensor.I32: arg[int32, int32](plain), tensor.I64: arg[int64, int64](plain),
			tensor.U8: arg[uint8, uint8](plain), tensor.U16: arg[uint16, uint16](plain),
			tensor.U32: arg[uint32, uint32](plain), tensor.U64: arg[uint64, uint64](plain),
		}),
	}
	old := def
	old.Versions, old.Attrs = op.Versions{1: "", 11: "negative axis"}, op.Attrs(op.Int("axis", 0), op.Int("keepdims", 1))
	old.Prepare = func(c *op.Context) error { return prepareArg(c, least, false) }
	return def, old
}

func argShape(c *op.Infer) error {
	in := c.In(0)
	axis, err := c.Axis("axis", len(in))
	if err != nil {
		return err
	}
	if outer, n, inner := in.Around(axis); n == 0 && outer*inner > 0 {
		return errs.New(errs.Shape, "dimension %d of %v is empty: it has no element to find", axis, in)
	}
	out := append(c.Grow(0, tensor.I64, len(in))[:0], in[:axis]...)
	if c.Attr.Bool("keepdims") {
		out = append(out, 1)
	}
	c.SetOutput(0, tensor.I64, append(out, in[axis+1:]...))
	return nil
}

// search is the State of an ArgMax or ArgMin: the input seen as outer x n x
// inner, searched along n.
type search struct {
	n, inner    int
	least, last bool
	kernel      argKernel
	out, in     *tensor.View
}

// argKernel finds the indices of the outputs [lo, hi).
type argKernel func(s *search, lo, hi int)

func prepareArg(c *op.Context, least, last bool) error {
	in := c.In(0).Shape
	axis, err := tensor.Axis(c.Attr.Int("axis"), len(in))
	if err != nil {
		return err
	}
	c.State = &search{n: in[axis], inner: in[axis+1:].Elements(), least: least, last: last}
	return nil
}

func runArg(c *op.Context) error {
	s := c.State.(*search)
	s.kernel, s.out, s.in = op.Row[argKernel](c), c.Out(0), c.In(0)
	c.For(s.out.Elements(), max(1, (16<<10)/max(1, s.n)), s)
	return nil
}

// Chunk implements op.Task over the outputs.
func (s *search) Chunk(lo, hi int) { s.kernel(s, lo, hi) }

// arg compares elements T as numbers A.
func arg[T, A number](as format) argKernel {
	return func(s *search, lo, hi int) {
		if s.inner == 1 {
			argRows[T, A](s, lo, hi, as)
			return
		}
		var tops, room [block]A
		out := tensor.Elems[int64](s.out)
		for lo < hi {
			n := min(block, hi-lo, s.inner-lo%s.inner)
			top, x, found := tops[:n], room[:n], out[lo:lo+n]
			at := lo/s.inner*s.n*s.inner + lo%s.inner
			load[T](top, s.in, at, as)
			clear(found)
			for i := 1; i < s.n; i++ {
				load[T](x, s.in, at+i*s.inner, as)
				for k, v := range x {
					if better(v, top[k], s.least, s.last) {
						top[k], found[k] = v, int64(i)
					}
				}
			}
			lo += n
		}
	}
}

func argRows[T, A number](s *search, lo, hi int, as format) {
	var room [block]A
	out := tensor.Elems[int64](s.out)
	for r := lo; r < hi; r++ {
		var top A
		found := -1
		for i := 0; i < s.n; i += block {
			x := room[:min(block, s.n-i)]
			load[T](x, s.in, r*s.n+i, as)
			for k, v := range x {
				if found < 0 || better(v, top, s.least, s.last) {
					top, found = v, i+k
				}
			}
		}
		out[r] = int64(found)
	}
}

// better reports whether v takes the place of top, which comes before it.
func better[A number](v, top A, least, last bool) bool {
	switch {
	case v != v:
		return last || top == top
	case top != top:
		return false
	case v == top:
		return last
	default:
		return (v < top) == least
	}
}
