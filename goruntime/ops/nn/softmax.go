package nn

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Softmax gives exp(x) / sum(exp(x)) along an axis. Softmax1 is Softmax before
// version 13: the input is seen as a matrix whose rows are all dimensions from
// axis on.
// https://onnx.ai/onnx/operators/onnx__Softmax.html   Departures: none.
var Softmax, Softmax1 = op.DeclareTwo("", "Softmax", func() (now, legacy op.Def) {
	return alongAxis(softmaxRows)
})

// alongAxis declares Softmax or one of its kind: along one axis from version 13
// on, along all dimensions from axis on before.
func alongAxis(table op.Table) (now, legacy op.Def) {
	def := op.Def{
		Versions: op.Versions{13: "along one axis"}, Attrs: op.Attrs(op.Int("axis", -1)),
		InPlace: op.FirstOnly, Shape: softmaxShape, Prepare: func(c *op.Context) error { return prepareAxis(c, false) },
		Run: runSoftmax, DTypes: table,
	}
	old := def
	old.Versions, old.Attrs = op.Versions{1: "flattens from axis on", 11: "negative axis"}, op.Attrs(op.Int("axis", 1))
	old.Prepare = func(c *op.Context) error { return prepareAxis(c, true) }
	return op.Widened(def), op.Widened(old)
}

type softmaxKernel func(s *lines, lo, hi int)

var softmaxRows = widened(softmax32, softmaxOf(double))

func softmaxShape(c *op.Infer) error {
	if _, err := c.Axis("axis", max(1, len(c.In(0)))); err != nil {
		return err
	}
	return op.SameAsInput(c)
}

// lines is a tensor seen as outer x n x inner, with work along n.
type lines struct {
	outer, n, inner int
	order           float64 // LpNormalization: p
	kernel          softmaxKernel
	out, in         *tensor.View
}

func prepareAxis(c *op.Context, flatten bool) error {
	shape := c.In(0).Shape
	axis, err := tensor.Axis(c.Attr.Int("axis"), max(1, len(shape)))
	if err != nil {
		return err
	}
	s := &lines{outer: 1, n: 1, inner: 1}
	if len(shape) > 0 {
		s.outer, s.n, s.inner = shape.Around(axis)
	}
	if flatten {
		s.n, s.inner = s.n*s.inner, 1
	}
	c.State = s
	return nil
}

func runSoftmax(c *op.Context) error {
	s := c.State.(*lines)
	s.kernel, s.out, s.in = op.Row[softmaxKernel](c), c.Out(0), c.In(0)
	if s.n > 0 {
		c.For(s.outer*s.inner, max(1, (8<<10)/s.n), s)
	}
	return nil
}

// Chunk implements op.Task over the lines.
func (s *lines) Chunk(lo, hi int) { s.kernel(s, lo, hi) }

func softmax32(s *lines, lo, hi int) {
	if s.inner != 1 {
		s.columns32(lo, hi, softmaxSlow32, softmaxBlock32)
		return
	}
	out, in := tensor.Elems[float32](s.out), tensor.Elems[float32](s.in)
	vec.Softmax(out[lo*s.n:hi*s.n], in[lo*s.n:hi*s.n], s.n)
}

var softmaxSlow32 = softmaxOf(single)

// Lines that lie side by side are computed with vectors where there are some
// next to each other, up to columnBlock at a time; sums of more than longestSum
// elements are left to float64.
const (
	columnBlock  = 256
	fewestBeside = 4
	longestSum   = 4096
)

// columns32 computes the lines [lo, hi), which are not contiguous, in blocks of
// lines side by side, or by slow.
func (s *lines) columns32(lo, hi int, slow softmaxKernel, block func(out, in []float32, n, step, width int)) {
	if s.inner < fewestBeside || s.n > longestSum {
		slow(s, lo, hi)
		return
	}
	out, in := tensor.Elems[float32](s.out), tensor.Elems[float32](s.in)
	for lo < hi {
		first, _ := s.span(lo)
		width := min(columnBlock, hi-lo, s.inner-lo%s.inner)
		block(out[first:], in[first:], s.n, s.inner, width)
		lo += width
	}
}

// softmaxBlock32 computes width lines of n elements that lie step apart.
func softmaxBlock32(out, in []float32, n, step, width int) {
	var tops, sums [columnBlock]float32
	top, sum := tops[:width], sums[:width]
	vec.Across(vec.Most, top, in, n, step)
	for k := range n {
		dst := out[k*step:][:width]
		vec.Combine(vec.Minus, dst, in[k*step:][:width], top)
		vec.Apply(vec.Exponential, dst, dst)
		vec.Combine(vec.Plus, sum, sum, dst)
	}
	for k := range n {
		dst := out[k*step:][:width]
		vec.Combine(vec.Over, dst, dst, sum)
	}
}

// span returns the first and last element of line r; its elements lie inner
// apart.
func (s *lines) span(r int) (first, last int) {
	first = r/s.inner*s.n*s.inner + r%s.inner
	return first, first + (s.n-1)*s.inner
}

// expSum returns the greatest element of line r, and the sum of exp(x - top).
func expSum[T any](s *lines, in []T, r int, n number[T]) (top, sum float64) {
	first, last := s.span(r)
	top = math.Inf(-1)
	for i := first; i <= last; i += s.inner {
		top = math.Max(top, n.Widen(in[i]))
	}
	for i := first; i <= last; i += s.inner {
		sum += math.Exp(n.Widen(in[i]) - top)
	}
	return top, sum
}

// softmaxOf works in float64 along any stride.
func softmaxOf[T any](n number[T]) softmaxKernel {
	return func(s *lines, lo, hi int) {
		out, in := tensor.Elems[T](s.out), tensor.Elems[T](s.in)
		for r := lo; r < hi; r++ {
			top, sum := expSum(s, in, r, n)
			for i, last := s.span(r); i <= last; i += s.inner {
				out[i] = n.Narrow(math.Exp(n.Widen(in[i])-top) / sum)
			}
		}
	}
}
