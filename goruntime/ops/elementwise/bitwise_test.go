package elementwise

import (
	"fmt"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

func TestBitwise(t *testing.T) {
	for _, c := range []struct {
		def  *op.Operator
		want []float64 // of 12 10 and 10 3
	}{{BitwiseAnd, []float64{8, 2}}, {BitwiseOr, []float64{14, 11}}, {BitwiseXor, []float64{6, 9}}} {
		t.Run(c.def.Name, func(t *testing.T) {
			var cases []optest.Case
			for _, d := range c.def.Def().DTypes.Types() {
				cases = append(cases, optest.Case{
					Name: d.String(), In: optest.In(optest.Filled(d, optest.Dims(2), 12, 10), optest.Filled(d, optest.Dims(2), 10, 3)),
					Want: optest.Want(optest.Filled(d, optest.Dims(2), c.want...)),
				})
			}
			optest.Run(t, c.def, cases)
		})
	}
	optest.Run(t, BitwiseAnd, []optest.Case{
		{Name: "broadcast", In: optest.In(optest.I32(optest.Dims(2, 1), 7, -1), optest.I32(optest.Dims(2), 5, 2)), Want: optest.Want(optest.I32(optest.Dims(2, 2), 5, 2, 5, 2))},
	})
}

func TestBitwiseNot(t *testing.T) {
	var cases []optest.Case
	for _, d := range BitwiseNot.Def().DTypes.Types() {
		cases = append(cases, optest.Case{Name: d.String(), In: optest.In(optest.Filled(d, optest.Dims(2), 0, 5)), Want: optest.Want(optest.Filled(d, optest.Dims(2), -1, -6))})
	}
	optest.Run(t, BitwiseNot, cases)
}

func TestBitShift(t *testing.T) {
	left, right := optest.Attrs("direction", "LEFT"), optest.Attrs("direction", "RIGHT")
	cases := []optest.Case{
		{Name: "right, as the specification has it", Version: 11, Attrs: right, In: optest.In(optest.U8(optest.Dims(2), 1, 4), optest.U8(optest.Dims(2), 1, 1)), Want: optest.Want(optest.U8(optest.Dims(2), 0, 2))},
		{Name: "left, as the specification has it", Version: 11, Attrs: left, In: optest.In(optest.U8(optest.Dims(2), 1, 2), optest.U8(optest.Dims(2), 1, 2)), Want: optest.Want(optest.U8(optest.Dims(2), 2, 8))},
		{Name: "by all bits or more", Attrs: right, In: optest.In(optest.U8(optest.Dims(2), 255, 255), optest.U8(optest.Dims(2), 8, 255)), Want: optest.Want(optest.U8(optest.Dims(2), 0, 0))},
		{Name: "a negative number keeps its sign", Attrs: right, In: optest.In(optest.I32(optest.Dims(4), -8, -8, -8, 8), optest.I32(optest.Dims(4), 1, 32, -1, -1)), Want: optest.Want(optest.I32(optest.Dims(4), -4, -1, -1, 0))},
		{Name: "past the sign bit", Attrs: left, In: optest.In(optest.I32(optest.Dims(3), 0x40000001, -1, 3), optest.I32(optest.Dims(3), 1, 31, -2)), Want: optest.Want(optest.I32(optest.Dims(3), -0x7ffffffe, -0x80000000, 0))},
		{Name: "no direction that exists", Attrs: optest.Attrs("direction", "UP"), In: optest.In(optest.U8(nil, 1), optest.U8(nil, 1)), Err: `direction is "UP": it must be LEFT or RIGHT`, Code: errs.Argument},
		{Name: "no direction", In: optest.In(optest.U8(nil, 1), optest.U8(nil, 1)), Err: `"direction" is required`, Code: errs.Model},
	}
	for _, d := range BitShift.Def().DTypes.Types() {
		cases = append(cases, optest.Case{Name: d.String(), Attrs: left, In: optest.In(optest.Filled(d, optest.Dims(3), 1, 2, 3), optest.Filled(d, nil, 2)), Want: optest.Want(optest.Filled(d, optest.Dims(3), 4, 8, 12))})
	}
	optest.Run(t, BitShift, cases)
}

func TestLogic(t *testing.T) {
	a, b := optest.Bool(optest.Dims(4), false, false, true, true), optest.Bool(optest.Dims(4), false, true, false, true)
	for _, c := range []struct {
		def, old *op.Operator
		want     []bool
	}{{And, And1, []bool{false, false, false, true}}, {Or, Or1, []bool{false, true, true, true}}, {Xor, Xor1, []bool{false, true, true, false}}} {
		all := []optest.Case{{Name: c.def.Name, In: optest.In(a, b), Want: optest.Want(optest.Bool(optest.Dims(4), c.want...))}}
		optest.Run(t, c.def, append(all, optest.Case{
			Name: "broadcast", In: optest.In(optest.Bool(optest.Dims(2, 1), false, true), optest.Bool(optest.Dims(2), false, true)),
			Want: optest.Want(optest.Bool(optest.Dims(2, 2), c.want...)),
		}))
		optest.Run(t, c.old, all)
	}
}

func TestOrderings(t *testing.T) {
	var ge, le []optest.Case
	for _, d := range GreaterOrEqual.Def().DTypes.Types() {
		in := optest.In(optest.Filled(d, optest.Dims(3), 1, 2, 3), optest.Filled(d, nil, 2))
		ge = append(ge, optest.Case{Name: d.String(), In: in, Want: optest.Want(optest.Bool(optest.Dims(3), false, true, true))})
		le = append(le, optest.Case{Name: d.String(), In: in, Want: optest.Want(optest.Bool(optest.Dims(3), true, true, false))})
		if d == tensor.F32 || d == tensor.F16 {
			in := optest.In(optest.Filled(d, optest.Dims(2), float64(nan32), 1), optest.Filled(d, optest.Dims(2), 1, float64(nan32)))
			never := optest.Case{Name: "NaN " + d.String(), In: in, Want: optest.Want(optest.Bool(optest.Dims(2), false, false))}
			ge, le = append(ge, never), append(le, never)
		}
	}
	optest.Run(t, GreaterOrEqual, ge)
	optest.Run(t, LessOrEqual, le)
}

// One amount for all elements.
func TestBitShiftByOneAmount(t *testing.T) {
	for _, d := range BitShift.Def().DTypes.Types() {
		for _, by := range []int{0, 1, d.Bits() - 1, d.Bits(), 100, -1} {
			x := []float64{0, 1, 2, 100, 127, 55}
			if d == tensor.I8 || d == tensor.I16 || d == tensor.I32 || d == tensor.I64 {
				x = append(x, -128, -1, -3)
			}
			left, right := make([]float64, len(x)), make([]float64, len(x))
			for i, v := range x {
				left[i], right[i] = float64(int64(v)<<uint(by)), float64(int64(v)>>uint(by))
			}
			of := func(v []float64) *tensor.View { return optest.Filled(d, optest.Dims(len(v)), v...) }
			in := optest.In(of(x), optest.Filled(d, nil, float64(by)))
			optest.Run(t, BitShift, []optest.Case{
				{Name: fmt.Sprint(d, " left by ", by), Attrs: optest.Attrs("direction", "LEFT"), In: in, Want: optest.Want(of(left))},
				{Name: fmt.Sprint(d, " right by ", by), Attrs: optest.Attrs("direction", "RIGHT"), In: in, Want: optest.Want(of(right))},
			})
		}
	}
}
