package quant

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The expected numbers come from ONNX Runtime 1.32.
func TestQLinearGlobalAveragePool(t *testing.T) {
	for i, d := range []tensor.DType{tensor.U8, tensor.I8} {
		z := func(v float64) *tensor.View { return optest.Filled(d, nil, v) }
		in := optest.In(optest.Filled(d, optest.Dims(1, 2, 3, 4), codes(d, 24, 4)...), scalar(.03), z(7), scalar(.02), z(20))
		first := [][]float64{{154, 218}, {-38, 26}}[i]
		last := [][]float64{{164, 128, 248, 204}, {-28, -64, 56, 12}}[i]
		optest.Run(t, QLinearGlobalAveragePool, []optest.Case{
			{Name: d.String(), In: in, Want: optest.Want(optest.Filled(d, optest.Dims(1, 2, 1, 1), first...))},
			{Name: "channels last " + d.String(), Attrs: optest.Attrs("channels_last", 1), In: in, Want: optest.Want(optest.Filled(d, optest.Dims(1, 1, 1, 4), last...))},
			{Name: "rank", In: optest.In(optest.Filled(d, optest.Dims(1, 2), 1, 2), scalar(1), z(0), scalar(1), z(0)), Err: "X has shape [1, 2], a rank of 3 or more expected", Code: errs.Shape},
		})
	}
}
