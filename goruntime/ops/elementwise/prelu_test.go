package elementwise

import (
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

func TestPRelu(t *testing.T) {
	image := optest.F32(optest.Dims(1, 2, 1, 3), -1, 2, -3, 4, -5, -6)
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	optest.Run(t, PRelu, []optest.Case{
		{Name: "one slope for each channel", In: optest.In(image, optest.F32(optest.Dims(2, 1, 1), 10, 100)), Want: optest.Want(optest.F32(optest.Dims(1, 2, 1, 3), -10, 2, -30, 4, -500, -600)), Version: 7},
		{Name: "a scalar", In: optest.In(image, optest.F32(nil, 2)), Want: optest.Want(optest.F32(optest.Dims(1, 2, 1, 3), -2, 2, -6, 4, -10, -12))},
		{Name: "one for each column", In: optest.In(image, optest.F32(optest.Dims(3), 1, 2, 3)), Want: optest.Want(optest.F32(optest.Dims(1, 2, 1, 3), -1, 2, -9, 4, -10, -18))},
		{Name: "one for each element", In: optest.In(image, optest.F32(optest.Dims(1, 2, 1, 3), 1, 2, 3, 4, 5, 6)), Want: optest.Want(optest.F32(optest.Dims(1, 2, 1, 3), -1, 2, -9, 4, -25, -36))},
		{
			Name: "special numbers", In: optest.In(optest.F32(optest.Dims(5), nan, inf, -inf, -inf, float32(math.Copysign(0, -1))), optest.F32(optest.Dims(5), 1, -1, 2, 0, 3)),
			Want: optest.Want(optest.F32(optest.Dims(5), nan, inf, -inf, nan, float32(math.Copysign(0, -1)))),
		},
		{Name: "scalars", In: optest.In(optest.F32(nil, -1), optest.F32(nil, 3)), Want: optest.Want(optest.F32(nil, -3))},
		{Name: "nothing", In: optest.In(optest.F32(optest.Dims(2, 0)), optest.F32(nil, 3)), Want: optest.Want(optest.F32(optest.Dims(2, 0)))},
		{Name: "a slope larger than X", In: optest.In(optest.F32(optest.Dims(1), 1), optest.F32(optest.Dims(2), 1, 2)), Err: "the slope has shape [2], which does not broadcast to [1]", Code: errs.Shape},
		{Name: "a slope of another shape", In: optest.In(image, optest.F32(optest.Dims(2), 1, 2)), Err: "the slope has shape [2], which does not broadcast to [1, 2, 1, 3]", Code: errs.Shape},
		{Name: "a slope of another type", In: optest.In(image, optest.F64(nil, 1)), Err: "input 1 is f64, input 0 is f32: they must be alike", Code: errs.Type},
		{Name: "i8", In: optest.In(optest.Filled(tensor.I8, nil, 1), optest.Filled(tensor.I8, nil, 1)), Err: "element type i8 is not supported", Code: errs.Unsupported},
	})
}

func TestPReluDTypes(t *testing.T) {
	var cases []optest.Case
	for _, d := range PRelu.Def().DTypes.Types() {
		x, slope, want := []float64{-4, 3, -2, 0, 5}, 2.0, []float64{-8, 3, -4, 0, 5}
		if d.Unsigned() {
			x, want = []float64{4, 3, 2, 0, 5}, []float64{4, 3, 2, 0, 5}
		}
		for _, shape := range []tensor.Shape{nil, optest.Dims(5)} {
			s := make([]float64, shape.Elements())
			for i := range s {
				s[i] = slope
			}
			cases = append(cases, optest.Case{
				Name: d.String() + " " + shape.String(), In: optest.In(optest.Filled(d, optest.Dims(5), x...), optest.Filled(d, shape, s...)), Want: optest.Want(optest.Filled(d, optest.Dims(5), want...)),
			})
		}
	}
	optest.Run(t, PRelu, cases)
}

// Before version 7 a slope of one dimension belongs to the channels.
func TestPRelu1(t *testing.T) {
	x := optest.F32(optest.Dims(1, 2, 3), -1, 2, -3, 4, -5, -6)
	optest.Run(t, PRelu1, []optest.Case{
		{Name: "one for each channel", In: optest.In(x, optest.F32(optest.Dims(2), 10, 100)), Want: optest.Want(optest.F32(optest.Dims(1, 2, 3), -10, 2, -30, 4, -500, -600)), Version: 1},
		{Name: "one for all", In: optest.In(x, optest.F32(optest.Dims(1), 2)), Want: optest.Want(optest.F32(optest.Dims(1, 2, 3), -2, 2, -6, 4, -10, -12))},
		{Name: "neither", In: optest.In(x, optest.F32(optest.Dims(3), 1, 2, 3)), Err: "the slope has shape [3], one number or one for each of the channels of [1, 2, 3] expected", Code: errs.Shape},
	})
}
