package linalg

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
)

func TestFusedGemm(t *testing.T) {
	a, b, c := optest.F32(optest.Dims(2, 2), 1, 2, 3, 4), optest.F32(optest.Dims(2, 2), 1, -1, 0, 1), optest.F32(optest.Dims(2), -3, 0.5)
	// The product is [[1, 1], [3, 1]], with C [[-2, 1.5], [0, 1.5]].
	optest.Run(t, FusedGemm, []optest.Case{
		{Name: "Relu", Attrs: optest.Attrs("activation", "Relu"), In: optest.In(a, b, c), Want: optest.Want(optest.F32(optest.Dims(2, 2), 0, 1.5, 0, 1.5))},
		{Name: "LeakyRelu", Attrs: optest.Attrs("activation", "LeakyRelu", "activation_alpha", 0.5), In: optest.In(a, b, c), Want: optest.Want(optest.F32(optest.Dims(2, 2), -1, 1.5, 0, 1.5))},
		{Name: "after scaling", Attrs: optest.Attrs("activation", "Relu", "alpha", -1.0, "beta", -1.0), In: optest.In(a, b, c), Want: optest.Want(optest.F32(optest.Dims(2, 2), 2, 0, 0, 0))},
		{Name: "none", Attrs: optest.Attrs("transB", 1), In: optest.In(a, b), Want: optest.Want(optest.F32(optest.Dims(2, 2), -1, 2, -1, 4))},
		{Name: "unknown", Attrs: optest.Attrs("activation", "Softmax"), In: optest.In(a, b), Err: `activation "Softmax" with the parameters [] is not supported`, Code: errs.Unsupported},
		{Name: "without a parameter", Attrs: optest.Attrs("activation", "LeakyRelu"), In: optest.In(a, b), Err: `activation "LeakyRelu" with the parameters []`, Code: errs.Unsupported},
		{Name: "types", In: optest.In(a, optest.F64(optest.Dims(2, 1), 1, 2)), Err: "input 1 is f64, input 0 is f32: they must be alike", Code: errs.Type},
		{Name: "f64", In: optest.In(optest.F64(optest.Dims(1, 1), 1), optest.F64(optest.Dims(1, 1), 1)), Err: "element type f64 is not supported", Code: errs.Unsupported},
	})
}
