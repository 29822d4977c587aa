package nn

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The expected numbers come from ONNX Runtime 1.32.
func TestQLinearAveragePool(t *testing.T) {
	scalar := func(f float32) *tensor.View { return optest.F32(nil, f) }
	for i, d := range byteTypes {
		i = 1 - i // signed comes first in byteTypes
		z := func(v float64) *tensor.View { return optest.Filled(d, nil, v) }
		in := optest.In(optest.Filled(d, optest.Dims(1, 2, 3, 4), byteCodes(d, 24, 4)...), scalar(.0313), z(7), scalar(.02), z(20))
		without := [][]float64{{90, 228, 94, 203, 255, 78, 175, 228}, {-110, 28, -107, 3, 127, -122, -25, 28}}[i]
		with := [][]float64{{38, 124, 57, 203, 114, 49, 97, 228}, {-12, 24, -43, 3, 64, -51, -3, 28}}[i]
		attrs := optest.Attrs("kernel_shape", []int{2, 2}, "pads", []int{1, 1, 0, 0}, "strides", []int{2, 2})
		optest.Run(t, QLinearAveragePool, []optest.Case{
			{Name: d.String(), Attrs: attrs, In: in, Want: optest.Want(optest.Filled(d, optest.Dims(1, 2, 2, 2), without...))},
			{Name: "the padding counts " + d.String(), Attrs: append(optest.Attrs("count_include_pad", 1), attrs...), In: in, Want: optest.Want(optest.Filled(d, optest.Dims(1, 2, 2, 2), with...))},
			{Name: "without zero points", Attrs: optest.Attrs("kernel_shape", []int{2}), In: optest.In(optest.Filled(d, optest.Dims(1, 1, 3), 1, 3, 6), scalar(1), nil, scalar(1), nil), Want: optest.Want(optest.Filled(d, optest.Dims(1, 1, 2), 2, 4))},
			{Name: "channels last", Attrs: append(optest.Attrs("channels_last", 1), attrs...), In: in, Err: "channels_last is not supported", Code: errs.Unsupported},
			{Name: "scales", Attrs: attrs, In: optest.In(in[0], optest.F32(optest.Dims(2), 1, 1), nil, scalar(1), nil), Err: "input 1 has shape [2]: one number expected", Code: errs.Shape},
		})
	}
}
