package reduce

import (
	"fmt"
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Rows that lie side by side, more of them than a block, against a loop over each.
func TestRowsSideBySide(t *testing.T) {
	const outer, n, inner = 2, 5, block + 7
	for _, d := range []tensor.DType{tensor.F32, tensor.F64, tensor.I32, tensor.I64, tensor.U32, tensor.U64} {
		x := make([]float64, outer*n*inner)
		for i := range x {
			if x[i] = float64(i*7%5 - 2); d == tensor.U32 || d == tensor.U64 {
				x[i] = float64(i * 7 % 5)
			}
		}
		in := optest.Filled(d, optest.Dims(outer, n, inner), x...)
		for _, c := range []struct {
			def  *op.Operator
			join func(acc, v float64) float64
		}{
			{ReduceSum, func(acc, v float64) float64 { return acc + v }},
			{ReduceMax, math.Max},
			{ReduceMin, math.Min},
			{ReduceL1, func(acc, v float64) float64 { return math.Abs(acc) + math.Abs(v) }},
			{ReduceProd, func(acc, v float64) float64 { return acc * v }},
			{ReduceSumSquare, nil},
		} {
			want := make([]float64, outer*inner)
			for i := range want {
				at := i/inner*n*inner + i%inner
				acc := x[at]
				if c.join == nil {
					acc *= acc
				}
				for k := 1; k < n; k++ {
					if v := x[at+k*inner]; c.join == nil {
						acc += v * v
					} else {
						acc = c.join(acc, v)
					}
				}
				want[i] = acc
			}
			optest.Run(t, c.def, []optest.Case{{
				Name: c.def.Name + " " + d.String(), In: optest.In(in, optest.Ints(1)), Want: optest.Want(optest.Filled(d, optest.Dims(outer, 1, inner), want...)),
			}})
		}
		for how := range 4 {
			exclusive, reverse := how%2, how/2
			want := make([]float64, len(x))
			for i := range outer * inner {
				acc := 0.0
				for k := range n {
					if reverse == 1 {
						k = n - 1 - k
					}
					at := i/inner*n*inner + k*inner + i%inner
					if want[at] = acc; exclusive == 0 {
						want[at] += x[at]
					}
					acc += x[at]
				}
			}
			optest.Run(t, CumSum, []optest.Case{{
				Name: fmt.Sprintf("CumSum %v, exclusive %d, reverse %d", d, exclusive, reverse), Attrs: optest.Attrs("exclusive", exclusive, "reverse", reverse),
				In: optest.In(in, optest.I64(nil, 1)), Want: optest.Want(optest.Filled(d, in.Shape, want...)),
			}})
		}
	}
}
