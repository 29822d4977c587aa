package shape

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// from8 is every element type that is a byte or wider, all is every one that operators
// move: those of six bits are only converted.
func from8() (list []tensor.DType) {
	for d := tensor.F32; d < tensor.NumDTypes; d++ {
		if d.Width() > 0 {
			list = append(list, d)
		}
	}
	return list
}

func all() (list []tensor.DType) {
	for d := tensor.F32; d < tensor.NumDTypes; d++ {
		if d.Bits() != 6 {
			list = append(list, d)
		}
	}
	return list
}

// moves runs a case for each dtype: element i of want is element picks[i] of an
// input that counts from 0, -1 standing for a zero.
func moves(t *testing.T, def *op.Operator, dtypes []tensor.DType, in tensor.Shape, rest []*tensor.View, attrs []op.Value, want tensor.Shape, picks ...int) {
	t.Helper()
	var cases []optest.Case
	for _, d := range dtypes {
		values := make([]float64, len(picks))
		for i, p := range picks {
			values[i] = float64(p % 4)
		}
		from := make([]float64, in.Elements())
		for i := range from {
			from[i] = float64(i % 4)
		}
		cases = append(cases, optest.Case{
			Name: d.String(), Attrs: attrs,
			In:   append([]*tensor.View{optest.Filled(d, in, from...)}, rest...),
			Want: optest.Want(optest.Filled(d, want, values...)),
		})
	}
	optest.Run(t, def, cases)
}
