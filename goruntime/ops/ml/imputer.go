package ml

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Imputer replaces the elements that equal one value, NaN equal to NaN, by another,
// which is one for all or one for each feature in the last dimension.
// https://onnx.ai/onnx/operators/onnx_aionnxml_Imputer.html   Departures: none.
var Imputer = op.Declare(Domain, "Imputer", func() op.Def {
	return op.Def{
		Versions: op.Versions{1: ""},
		Attrs:    op.Attrs(op.Floats("imputed_value_floats"), op.Ints("imputed_value_int64s"), op.Float("replaced_value_float", 0), op.Int("replaced_value_int64", 0)),
		Shape:    op.SameAsInput, InPlace: op.FirstOnly,
		Prepare: func(c *op.Context) error {
			s, err := op.Row[imputation](c).prepare(c)
			c.State = s
			return err
		},
		Run: func(c *op.Context) error {
			s := c.State.(*imputer)
			s.out, s.in, s.kernel = c.Out(0), c.In(0), op.Row[imputation](c).run
			switch n := s.in.Elements(); {
			case n == 0:
			case s.rows == nil: // a scalar
				s.kernel(s, s.in, 0)
			default:
				c.For(n/s.features, max(1, elementGrain/s.features), s)
			}
			return nil
		},
		Columns: op.AnyMatrix,
		DTypes: op.ByType(map[tensor.DType]imputation{
			tensor.F32: {prepare: imputeFloats[float32]().prepare, run: impute32}, tensor.F64: imputeFloats[float64](), tensor.I64: imputeInts[int64](), tensor.I32: imputeInts[int32](),
		}),
	}
})

// imputation prepares and runs for one element type.
type imputation struct {
	prepare func(c *op.Context) (*imputer, error)
	run     imputeKernel
}

// imputeKernel computes the rows x, of which the first element is number first.
type imputeKernel func(s *imputer, x *tensor.View, first int)

// imputer is the State: value is what is replaced, by the one or the features'
// values.
type imputer struct {
	value, by any // T and []T
	features  int
	rows      *op.Rows // nil for a scalar
	kernel    imputeKernel
	out, in   *tensor.View
}

// Chunk implements op.Task over the rows.
func (s *imputer) Chunk(lo, hi int) {
	m := s.rows.Take()
	defer s.rows.Give(m)
	for lo < hi {
		n := m.Read(s.in, lo, hi)
		s.kernel(s, &m.View, lo*s.features)
		lo += n
	}
}

func imputeFloats[T float32 | float64]() imputation {
	return imputation{func(c *op.Context) (*imputer, error) {
		return newImputer(c, T(c.Attr.Float("replaced_value_float")), c.Attr.Floats("imputed_value_floats"), "imputed_value_floats")
	}, impute[T]}
}

func imputeInts[T int64 | int32]() imputation {
	return imputation{func(c *op.Context) (*imputer, error) {
		return newImputer(c, T(c.Attr.Int("replaced_value_int64")), c.Attr.Ints("imputed_value_int64s"), "imputed_value_int64s")
	}, impute[T]}
}

func newImputer[T float32 | float64 | int64 | int32, A float32 | int](c *op.Context, value T, by []A, name string) (*imputer, error) {
	x := c.In(0).Shape
	if n := len(by); n == 0 || n != 1 && (len(x) == 0 || n != featuresOf(x)) {
		return nil, errs.New(errs.Model, "%s has %d values, X has shape %v: one, or one for each feature expected", name, n, x)
	}
	list := make([]T, len(by)*max(1, 256/len(by))) // repeated, so that a stretch is long
	for i := range list {
		list[i] = T(by[i%len(by)])
	}
	s := &imputer{value: value, by: list}
	if len(x) > 0 {
		s.features, s.rows = featuresOf(x), op.NewRows(c, 0)
	}
	return s, nil
}

// impute32 copies what has no NaN as it is, where NaN is what is replaced: a sum that is
// a number is one of numbers.
func impute32(s *imputer, in *tensor.View, first int) {
	if value := s.value.(float32); value == value {
		impute[float32](s, in, first)
		return
	}
	src, dst, step := tensor.Elems[float32](in), tensor.Elems[float32](s.out)[first:], len(s.by.([]float32))
	for len(src) > 0 {
		n := min(step, len(src))
		if sum := vec.Sum(src[:n]); sum == sum {
			copy(dst[:n], src)
		} else {
			imputeStretch(dst[:n], src[:n], s.by.([]float32), s.value.(float32))
		}
		src, dst = src[n:], dst[n:]
	}
}

func impute[T float32 | float64 | int64 | int32](s *imputer, in *tensor.View, first int) {
	src, value, by := tensor.Elems[T](in), s.value.(T), s.by.([]T)
	dst := tensor.Elems[T](s.out)[first:]
	for len(src) > 0 { // whole rows, which begin where by does
		n := min(len(by), len(src))
		imputeStretch(dst[:n], src[:n], by, value)
		src, dst = src[n:], dst[n:]
	}
}

func imputeStretch[T float32 | float64 | int64 | int32](dst, src, by []T, value T) {
	by = by[:len(src)]
	if value != value {
		for i, v := range src {
			if v != v {
				v = by[i]
			}
			dst[i] = v
		}
		return
	}
	for i, v := range src {
		if v == value {
			v = by[i]
		}
		dst[i] = v
	}
}
