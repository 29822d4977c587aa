package nn

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// LayerNormalization gives (x - mean) / sqrt(variance + epsilon) * scale + bias
// over all dimensions from axis on.
// https://onnx.ai/onnx/operators/onnx__LayerNormalization.html   Departures: none.
var LayerNormalization = op.Declare("", "LayerNormalization", func() op.Def {
	return op.Widened(op.Def{
		Versions: op.Versions{17: ""},
		Attrs:    op.Attrs(op.Int("axis", -1), op.Float("epsilon", 1e-5), op.Int("stash_type", 1)),
		Shape:    layerNormShape,
		Prepare:  layerNormPrepare,
		Run:      layerNormRun,
		DTypes: op.ByType(map[tensor.DType]normKernel{
			tensor.F32: norm32, tensor.F64: normOf(func(f float64) float64 { return f }, func(f float64) float64 { return f }),
		}),
	})
})

func layerNormShape(c *op.Infer) error {
	x := c.In(0)
	axis, err := c.Axis("axis", len(x))
	if err != nil {
		return err
	}
	for i := 1; i < 3 && c.Has(i); i++ {
		full, err := op.BroadcastShape(c.Grow(0, c.DType(0), 0), x, c.In(i))
		if err != nil || !full.Equal(x) {
			return errs.New(errs.Shape, "input %d has shape %v, which does not broadcast to %v", i, c.In(i), x)
		}
	}
	c.SetOutput(0, c.DType(0), x)
	stats := x.Clone()
	for i := axis; i < len(stats); i++ {
		stats[i] = 1
	}
	to := c.Attr.Int("stash_type")
	if to < 0 || to >= len(stash) || stash[to] == nil {
		return errs.New(errs.Argument, "stash_type is %d: the statistics are f32 (1) or bf16 (16)", to)
	}
	c.SetOutput(1, tensor.DType(to), stats)
	c.SetOutput(2, tensor.DType(to), stats)
	return nil
}

type normKernel func(s *norm, lo, hi int)

// norm is the State of a LayerNormalization.
type norm struct {
	rows, n      int
	epsilon      float32
	steps        [2]rowStep
	kernel       normKernel
	out, in      *tensor.View
	scale, bias  *tensor.View
	mean, invStd *tensor.View
}

// rowStep says which n elements of scale or bias belong to a row: those from
// row % rows * n on, the single one, or, where strides are set, those that the
// strides of each dimension of x lead to.
type rowStep struct {
	rows          int
	single        bool
	dims, strides []int
}

// dense reports whether every row has the same n elements.
func (s *rowStep) dense() bool { return s.rows == 1 && !s.single && s.strides == nil }

// at returns the element of scale or bias for element i of row r of n.
func (s *rowStep) at(r, n, i int) int {
	switch {
	case s.single:
		return 0
	case s.strides == nil:
		return r%s.rows*n + i
	}
	at, rest := 0, r*n+i
	for d := len(s.dims) - 1; d >= 0; d-- {
		at += rest % s.dims[d] * s.strides[d]
		rest /= s.dims[d]
	}
	return at
}

// spread is the rowStep of a parameter of shape p that broadcasts to x inside
// the normalized dimensions.
func spread(p, x tensor.Shape) rowStep {
	s := rowStep{dims: x.Clone(), strides: make([]int, len(x))}
	step := 1
	for d := 1; d <= len(p); d++ {
		if n := p[len(p)-d]; n != 1 {
			s.strides[len(x)-d] = step
			step *= n
		}
	}
	return s
}

func layerNormPrepare(c *op.Context) error {
	x := c.In(0).Shape
	axis, err := tensor.Axis(c.Attr.Int("axis"), len(x))
	if err != nil {
		return err
	}
	s := &norm{rows: x[:axis].Elements(), n: x[axis:].Elements(), epsilon: c.Attr.Float("epsilon")}
	for i := 1; i < 3 && c.Has(i); i++ {
		p := c.In(i).Shape
		switch n := p.Elements(); {
		case n == 1:
			s.steps[i-1] = rowStep{rows: 1, single: true}
		case s.n > 0 && n%s.n == 0 && tailEqual(p, x):
			s.steps[i-1] = rowStep{rows: n / s.n}
		default:
			s.steps[i-1] = spread(p, x)
		}
	}
	c.State = s
	return nil
}

// tailEqual reports whether p is a tail of x, but for leading ones.
func tailEqual(p, x tensor.Shape) bool {
	for len(p) > 0 && p[0] == 1 {
		p = p[1:]
	}
	return len(p) <= len(x) && p.Equal(x[len(x)-len(p):])
}

func layerNormRun(c *op.Context) error {
	s := c.State.(*norm)
	s.kernel, s.out, s.in, s.scale, s.bias, s.mean, s.invStd = op.Row[normKernel](c), c.Out(0), c.In(0), nil, nil, nil, nil
	if c.Has(1) {
		s.scale = c.In(1)
	}
	if c.Has(2) {
		s.bias = c.In(2)
	}
	if c.Wants(1) {
		s.mean = c.Out(1)
	}
	if c.Wants(2) {
		s.invStd = c.Out(2)
	}
	c.For(s.rows, max(1, (16<<10)/max(1, s.n)), s)
	return nil
}

// Chunk implements op.Task over the rows.
func (s *norm) Chunk(lo, hi int) { s.kernel(s, lo, hi) }

// keep stores the statistics of row r where they are wanted.
func (s *norm) keep(r int, mean, invStd float64) {
	if s.mean != nil {
		stash[s.mean.DType](s.mean, r, mean)
	}
	if s.invStd != nil {
		stash[s.invStd.DType](s.invStd, r, invStd)
	}
}

var stash = [tensor.NumDTypes]func(v *tensor.View, i int, x float64){
	tensor.F32:  func(v *tensor.View, i int, x float64) { tensor.Elems[float32](v)[i] = float32(x) },
	tensor.BF16: func(v *tensor.View, i int, x float64) { tensor.Elems[tensor.BFloat16](v)[i] = tensor.BFloat16Of64(x) },
}

func norm32(s *norm, lo, hi int) {
	if s.n == 0 || s.scale == nil || !s.steps[0].dense() || s.bias != nil && !s.steps[1].dense() {
		normSlow32(s, lo, hi)
		return
	}
	out, in := tensor.Elems[float32](s.out), tensor.Elems[float32](s.in)
	scale, bias := tensor.Elems[float32](s.scale), []float32(nil)
	if s.bias != nil {
		bias = tensor.Elems[float32](s.bias)
	}
	if s.mean == nil && s.invStd == nil {
		vec.Normalize(out[lo*s.n:hi*s.n], in[lo*s.n:hi*s.n], scale, bias, nil, s.epsilon)
		return
	}
	var stats [2]float32
	for r := lo; r < hi; r++ {
		vec.Normalize(out[r*s.n:(r+1)*s.n], in[r*s.n:(r+1)*s.n], scale, bias, stats[:], s.epsilon)
		s.keep(r, float64(stats[0]), float64(stats[1]))
	}
}

var normSlow32 = normOf(func(f float32) float64 { return float64(f) }, func(f float64) float32 { return float32(f) })

func normOf[T any](widen func(T) float64, narrow func(float64) T) normKernel {
	return func(s *norm, lo, hi int) {
		for r := lo; r < hi; r++ {
			out, in := tensor.Elems[T](s.out)[r*s.n:(r+1)*s.n], tensor.Elems[T](s.in)[r*s.n:(r+1)*s.n]
			mean, square := 0.0, 0.0
			for _, x := range in {
				mean += widen(x)
			}
			mean /= float64(s.n)
			for _, x := range in {
				d := widen(x) - mean
				square += d * d
			}
			inv := 1 / math.Sqrt(square/float64(s.n)+float64(s.epsilon))
			for i, x := range in {
				y := (widen(x) - mean) * inv
				if s.scale != nil {
					y *= widen(tensor.Elems[T](s.scale)[s.steps[0].at(r, s.n, i)])
				}
				if s.bias != nil {
					y += widen(tensor.Elems[T](s.bias)[s.steps[1].at(r, s.n, i)])
				}
				out[i] = narrow(y)
			}
			s.keep(r, mean, inv)
		}
	}
}
