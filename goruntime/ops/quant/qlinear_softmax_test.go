package quant

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The expected numbers come from ONNX Runtime 1.32.
func TestQLinearSoftmax(t *testing.T) {
	for i, d := range []tensor.DType{tensor.U8, tensor.I8} {
		z := func(v float64) *tensor.View { return optest.Filled(d, nil, v) }
		in := optest.In(optest.Filled(d, optest.Dims(2, 2, 3), codes(d, 12, 1)...), scalar(.03), z(7), scalar(1.0/256), z(0))
		last := [][]float64{{4, 12, 240, 110, 42, 104, 241, 11, 3, 18, 229, 8}, {4, 12, 127, 110, 42, 104, 127, 11, 3, 18, 127, 8}}[i]
		middle := [][]float64{{54, 176, 242, 202, 80, 14, 249, 31, 136, 7, 225, 120}, {54, 127, 127, 127, 80, 14, 127, 31, 127, 7, 127, 120}}[i]
		flat := [][]float64{{3, 11, 213, 13, 5, 12, 178, 8, 3, 5, 60, 2}, {3, 11, 127, 13, 5, 12, 127, 8, 3, 5, 60, 2}}[i]
		optest.Run(t, QLinearSoftmax, []optest.Case{
			{Name: "the last axis " + d.String(), Attrs: optest.Attrs("opset", 13), In: in, Want: optest.Want(optest.Filled(d, optest.Dims(2, 2, 3), last...))},
			{Name: "another axis " + d.String(), Attrs: optest.Attrs("opset", 13, "axis", 1), In: in, Want: optest.Want(optest.Filled(d, optest.Dims(2, 2, 3), middle...))},
			{Name: "all from an axis on " + d.String(), Attrs: optest.Attrs("opset", 11, "axis", 1), In: in, Want: optest.Want(optest.Filled(d, optest.Dims(2, 2, 3), flat...))},
			{Name: "empty", Attrs: optest.Attrs("opset", 13), In: optest.In(optest.Filled(d, optest.Dims(2, 0)), scalar(1), nil, scalar(1), z(0)), Want: optest.Want(optest.Filled(d, optest.Dims(2, 0)))},
			{Name: "axis", Attrs: optest.Attrs("opset", 13, "axis", 3), In: in, Err: "axis 3 is out of range", Code: errs.Shape},
		})
	}
}
