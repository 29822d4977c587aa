package ml

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Normalizer divides each row by its greatest element, the sum of its magnitudes
// or its length; a row for which that is 0 stays as it is.
// https://onnx.ai/onnx/operators/onnx_aionnxml_Normalizer.html
// Departures: none. L1 and L2 take magnitudes and keep signs, as ONNX Runtime does.
var Normalizer = op.Declare(Domain, "Normalizer", func() op.Def {
	return op.Def{
		Versions: op.Versions{1: ""}, Attrs: op.Attrs(op.String("norm", "MAX")),
		Shape: func(c *op.Infer) error {
			if err := matrixShape(c.In(0)); err != nil {
				return err
			}
			c.SetOutput(0, tensor.F32, c.In(0))
			return nil
		},
		Prepare: func(c *op.Context) error {
			name := c.Attr.Str("norm")
			n, ok := norms[name]
			if !ok {
				return errs.New(errs.Argument, "norm %q is none of MAX, L1, L2", name)
			}
			c.State = &normalizer{norm: n, features: featuresOf(c.In(0).Shape), rows: op.NewRows(c, 0)}
			return nil
		},
		Run: func(c *op.Context) error {
			s := c.State.(*normalizer)
			s.out, s.in, s.kernel = c.Out(0), c.In(0), op.Row[normalizerKernel](c)
			c.For(rowsOf(s.in.Shape), max(1, (16<<10)/max(1, s.features)), s)
			return nil
		},
		DTypes: op.ByType(map[tensor.DType]normalizerKernel{
			tensor.F32: normalizeRows[float32], tensor.F64: normalizeRows[float64], tensor.I64: normalizeRows[int64], tensor.I32: normalizeRows[int32],
		}),
		Columns: op.AnyMatrix,
	}
})

// norm is how the divisor of a row comes about.
type norm int

const (
	normMax norm = iota
	normL1
	normL2
)

var norms = map[string]norm{"MAX": normMax, "L1": normL1, "L2": normL2}

// normalizer is the State.
type normalizer struct {
	norm     norm
	features int
	rows     *op.Rows
	kernel   normalizerKernel
	out, in  *tensor.View
}

// normalizerKernel computes the rows x, the first of which is number first.
type normalizerKernel func(s *normalizer, x *tensor.View, first int)

// Chunk implements op.Task over the rows.
func (s *normalizer) Chunk(lo, hi int) {
	m := s.rows.Take()
	defer s.rows.Give(m)
	for lo < hi {
		n := m.Read(s.in, lo, hi)
		s.kernel(s, &m.View, lo)
		lo += n
	}
}

func normalizeRows[T float32 | float64 | int64 | int32](s *normalizer, in *tensor.View, first int) {
	out := tensor.Elems[float32](s.out)[first*s.features:]
	for r := range in.Shape[0] {
		x, y := tensor.Rows[T](in, r, r+1), out[r*s.features:(r+1)*s.features]
		d := divisor(s.norm, x)
		if d == 0 {
			d = 1
		}
		for i, v := range x {
			y[i] = float32(float64(v) / d)
		}
	}
}

func divisor[T float32 | float64 | int64 | int32](n norm, x []T) float64 {
	d := 0.0
	switch n {
	case normMax:
		d = math.Inf(-1)
		for _, v := range x {
			if f := float64(v); f > d {
				d = f
			}
		}
	case normL1:
		for _, v := range x {
			d += math.Abs(float64(v))
		}
	default:
		for _, v := range x {
			d += float64(v) * float64(v)
		}
		d = math.Sqrt(d)
	}
	return d
}
