package elementwise

import (
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
)

func TestClip(t *testing.T) {
	three := optest.F32(optest.Dims(3), -2, 0, 2)
	nan := float32(math.NaN())
	inf := float32(math.Inf(1))
	optest.Run(t, Clip, []optest.Case{
		{Name: "the example of the specification", In: optest.In(three, optest.F32(nil, -1), optest.F32(nil, 1)), Want: optest.Want(optest.F32(optest.Dims(3), -1, 0, 1)), Version: 11},
		{Name: "no bounds", In: optest.In(three), Want: optest.Want(three)},
		{Name: "below only", In: optest.In(three, optest.F32(nil, 1)), Want: optest.Want(optest.F32(optest.Dims(3), 1, 1, 2))},
		{Name: "above only", In: optest.In(three, nil, optest.F32(nil, 1)), Want: optest.Want(optest.F32(optest.Dims(3), -2, 0, 1))},
		{Name: "both omitted by name", In: optest.In(three, nil, nil), Want: optest.Want(three)},
		{Name: "the lower bound above the upper", In: optest.In(three, optest.F32(nil, 2), optest.F32(nil, 1)), Want: optest.Want(optest.F32(optest.Dims(3), 1, 1, 1))},
		{Name: "a bound of shape [1]", In: optest.In(three, optest.F32(optest.Dims(1), 0)), Want: optest.Want(optest.F32(optest.Dims(3), 0, 0, 2))},
		{
			Name: "special numbers", In: optest.In(optest.F32(optest.Dims(2, 2), nan, inf, -inf, 0), optest.F32(nil, -1), optest.F32(nil, 1)),
			Want: optest.Want(optest.F32(optest.Dims(2, 2), nan, 1, -1, 0)),
		},
		{Name: "a scalar", In: optest.In(optest.F32(nil, 7), nil, optest.F32(nil, 5)), Want: optest.Want(optest.F32(nil, 5))},
		{Name: "nothing", In: optest.In(optest.F32(optest.Dims(0, 2)), optest.F32(nil, 5)), Want: optest.Want(optest.F32(optest.Dims(0, 2)))},
		{
			Name: "large whole numbers", In: optest.In(optest.Ints(math.MaxInt64, math.MinInt64, 1<<53+1), optest.I64(nil, math.MinInt64+1), optest.I64(nil, math.MaxInt64-1)),
			Want: optest.Want(optest.Ints(math.MaxInt64-1, math.MinInt64+1, 1<<53+1)),
		},
		{Name: "a bound of two numbers", In: optest.In(three, optest.F32(optest.Dims(2), 0, 1)), Err: "input 1 has 2 elements: a bound is a scalar", Code: errs.Shape},
		{Name: "a bound of none", In: optest.In(three, nil, optest.F32(optest.Dims(0))), Err: "input 2 has 0 elements", Code: errs.Shape},
		{Name: "a bound of another type", In: optest.In(three, nil, optest.F64(nil, 1)), Err: "input 2 is f64, input 0 is f32: they must be alike", Code: errs.Type},
		{Name: "strings", In: optest.In(optest.Str(nil, "a")), Err: "element type str is not supported", Code: errs.Unsupported},
	})
}

func TestClipDTypes(t *testing.T) {
	var cases []optest.Case
	x, want := make([]float64, 41), make([]float64, 41)
	for i := range x {
		x[i] = float64(i)
		want[i] = min(max(x[i], 7), 30)
	}
	for _, d := range Clip.Def().DTypes.Types() {
		n := optest.Dims(len(x))
		cases = append(cases, optest.Case{
			Name: d.String(), In: optest.In(optest.Filled(d, n, x...), optest.Filled(d, nil, 7), optest.Filled(d, nil, 30)), Want: optest.Want(optest.Filled(d, n, want...)),
		})
	}
	optest.Run(t, Clip, cases)
}

func TestClipByAttributes(t *testing.T) {
	inf := math.Inf(1)
	for _, d := range Clip1.Def().DTypes.Types() {
		x := optest.In(optest.Filled(d, optest.Dims(4), -inf, -2, 2, inf))
		both := []optest.Case{
			{Name: "both " + d.String(), Attrs: optest.Attrs("min", -1.0, "max", 1.0), In: x, Want: optest.Want(optest.Filled(d, optest.Dims(4), -1, -1, 1, 1))},
		}
		optest.Run(t, Clip1, append(both, optest.Case{Name: "none " + d.String(), In: x, Want: optest.Want(x[0])}))
		optest.Run(t, Clip6, append(both, optest.Case{
			Name: "defaults " + d.String(), In: x, Want: optest.Want(optest.Filled(d, optest.Dims(4), -math.MaxFloat32, -2, 2, math.MaxFloat32)),
		}))
	}
	optest.Run(t, Clip6, []optest.Case{{Name: "i32", In: optest.In(optest.I32(nil, 1)), Err: "element type i32 is not supported", Code: errs.Unsupported}})
}
