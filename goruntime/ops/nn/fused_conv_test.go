package nn

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
)

func TestFusedConv(t *testing.T) {
	x, w, b := optest.F32(optest.Dims(1, 1, 3), 1, 2, 3), optest.F32(optest.Dims(2, 1, 2), 1, 1, -1, 0), optest.F32(optest.Dims(2), -4, 1)
	// The sums are [3, 5] and [-1, -2], with the bias [-1, 1] and [0, -1].
	z := optest.F32(optest.Dims(1, 2, 2), 0.5, 2, -3, 4)
	optest.Run(t, FusedConv, []optest.Case{
		{Name: "Relu", Attrs: optest.Attrs("activation", "Relu"), In: optest.In(x, w, b), Want: optest.Want(optest.F32(optest.Dims(1, 2, 2), 0, 1, 0, 0))},
		{Name: "something added", Attrs: optest.Attrs("activation", "Relu"), In: optest.In(x, w, b, z), Want: optest.Want(optest.F32(optest.Dims(1, 2, 2), 0, 3, 0, 3))},
		{Name: "Clip", Attrs: optest.Attrs("activation", "Clip", "activation_params", []float32{-1, 3}), In: optest.In(x, w), Want: optest.Want(optest.F32(optest.Dims(1, 2, 2), 3, 3, -1, -1))},
		{Name: "none", Attrs: optest.Attrs("strides", []int{2}), In: optest.In(x, w, b), Want: optest.Want(optest.F32(optest.Dims(1, 2, 1), -1, 0))},
		{Name: "unknown", Attrs: optest.Attrs("activation", "Clip"), In: optest.In(x, w), Err: `activation "Clip" with the parameters [] is not supported`, Code: errs.Unsupported},
		{Name: "Z", In: optest.In(x, w, b, x), Err: "Z has shape [1, 1, 3], [1, 2, 2] expected", Code: errs.Shape},
	})
}
