package shape

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/op"
)

func TestPad(t *testing.T) {
	x := optest.F32(optest.Dims(3, 2), 1.0, 1.2, 2.3, 3.4, 4.5, 5.7)
	v := optest.F32(optest.Dims(4), 1, 2, 3, 4)
	mode := func(m string) []op.Value { return optest.Attrs("mode", m) }
	optest.Run(t, Pad, []optest.Case{
		{
			Name: "constant, the first example of the specification", In: optest.In(x, optest.Ints(0, 2, 0, 0), optest.F32(nil, 0)), Version: 11,
			Want: optest.Want(optest.F32(optest.Dims(3, 4), 0, 0, 1.0, 1.2, 0, 0, 2.3, 3.4, 0, 0, 4.5, 5.7)),
		},
		{
			Name: "reflect, the second", Attrs: mode("reflect"), In: optest.In(optest.F32(optest.Dims(1, 3), 1, 2, 3), optest.Ints(0, 2, 0, 0)),
			Want: optest.Want(optest.F32(optest.Dims(1, 5), 3, 2, 1, 2, 3)),
		},
		{
			Name: "edge, the third", Attrs: mode("edge"), In: optest.In(x, optest.Ints(0, 2, 0, 0)),
			Want: optest.Want(optest.F32(optest.Dims(3, 4), 1.0, 1.0, 1.0, 1.2, 2.3, 2.3, 2.3, 3.4, 4.5, 4.5, 4.5, 5.7)),
		},
		{
			Name: "wrap, the fourth", Attrs: mode("wrap"), In: optest.In(x, optest.Ints(2, 1, 1, 1)),
			Want: optest.Want(optest.F32(optest.Dims(6, 4), 3.4, 2.3, 3.4, 2.3, 5.7, 4.5, 5.7, 4.5, 1.2, 1.0, 1.2, 1.0, 3.4, 2.3, 3.4, 2.3, 5.7, 4.5, 5.7, 4.5, 1.2, 1.0, 1.2, 1.0)),
		},
		{
			Name: "a value on all sides", In: optest.In(optest.F32(optest.Dims(1, 2), 1, 2), optest.Ints(1, 1, 1, 2), optest.F32(nil, 9)),
			Want: optest.Want(optest.F32(optest.Dims(3, 5), 9, 9, 9, 9, 9, 9, 1, 2, 9, 9, 9, 9, 9, 9, 9)),
		},
		{
			Name: "negative pads cut", In: optest.In(v, optest.Ints(-1, -2)),
			Want: optest.Want(optest.F32(optest.Dims(1), 2)),
		},
		{
			Name: "cut in front, add behind", In: optest.In(v, optest.Ints(-2, 1), optest.F32(nil, 7)),
			Want: optest.Want(optest.F32(optest.Dims(3), 3, 4, 7)),
		},
		{
			Name: "more cut than there is", In: optest.In(v, optest.Ints(-5, 6), optest.F32(nil, 7)),
			Want: optest.Want(optest.F32(optest.Dims(5), 7, 7, 7, 7, 7)),
		},
		{
			Name: "wrap repeats what the cut leaves", Attrs: mode("wrap"), In: optest.In(v, optest.Ints(-1, 4)),
			Want: optest.Want(optest.F32(optest.Dims(7), 2, 3, 4, 2, 3, 4, 2)),
		},
		{
			Name: "reflect wider than the axis", Attrs: mode("reflect"), In: optest.In(optest.F32(optest.Dims(3), 1, 2, 3), optest.Ints(4, 5)),
			Want: optest.Want(optest.F32(optest.Dims(12), 1, 2, 3, 2, 1, 2, 3, 2, 1, 2, 3, 2)),
		},
		{
			Name: "reflect of one element", Attrs: mode("reflect"), In: optest.In(optest.F32(optest.Dims(1), 5), optest.Ints(1, 2)),
			Want: optest.Want(optest.F32(optest.Dims(4), 5, 5, 5, 5)),
		},
		{
			Name: "axes in any order", In: optest.In(optest.F32(optest.Dims(1, 2), 1, 2), optest.Ints(1, 0, 0, 1), nil, optest.I32(optest.Dims(2), -1, 0)),
			Want: optest.Want(optest.F32(optest.Dims(2, 3), 0, 1, 2, 0, 0, 0)),
		},
		{
			Name: "no axes", In: optest.In(v, optest.Ints(), nil, optest.Ints()), Want: optest.Want(v),
		},
		{Name: "a scalar", In: optest.In(optest.F32(nil, 3), optest.Ints()), Want: optest.Want(optest.F32(nil, 3))},
		{
			Name: "no elements, however long", In: optest.In(optest.F32(optest.Dims(0, 2)), optest.Ints(0, 0, 0, 1<<40)),
			Want: optest.Want(optest.F32(optest.Dims(0, 2+1<<40))),
		},
		{
			Name: "an empty tensor grows", In: optest.In(optest.F32(optest.Dims(0, 2)), optest.Ints(1, 0, 0, 0), optest.F32(nil, 4)),
			Want: optest.Want(optest.F32(optest.Dims(1, 2), 4, 4)),
		},
		{
			Name: "nothing to repeat", Attrs: mode("edge"), In: optest.In(optest.F32(optest.Dims(0)), optest.Ints(1, 0)),
			Err: "axis 0 is empty: mode edge has nothing to repeat", Code: errs.Shape,
		},
		{Name: "too few pads", In: optest.In(x, optest.Ints(0, 2)), Err: "2 pads given, 4 expected", Code: errs.Shape},
		{Name: "cut too much", In: optest.In(v, optest.Ints(-3, -2)), Err: "pads -3 and -2 take more than the 4 elements of axis 0", Code: errs.Shape},
		{Name: "another mode", Attrs: mode("mirror"), In: optest.In(v, optest.Ints(0, 1)), Err: `mode "mirror" is none of constant, edge, reflect, wrap`},
		{
			Name: "two values", In: optest.In(v, optest.Ints(0, 1), optest.F32(optest.Dims(2), 1, 2)),
			Err: "constant_value has 2 elements, one expected", Code: errs.Shape,
		},
		{Name: "an axis out of range", In: optest.In(v, optest.Ints(0, 1), nil, optest.Ints(1)), Err: "axis 1 is out of range for rank 1"},
	})
}

func TestPadAttributes(t *testing.T) {
	want := optest.Want(optest.F32(optest.Dims(2, 3), 0.5, 1, 2, 0.5, 3, 4))
	in := optest.In(optest.F32(optest.Dims(2, 2), 1, 2, 3, 4))
	optest.Run(t, Pad2, []optest.Case{
		{Name: "f32", Attrs: optest.Attrs("pads", []int{0, 1, 0, 0}, "value", 0.5), In: in, Want: want},
		{
			Name: "f64", Attrs: optest.Attrs("pads", []int{1, 1}, "value", 0.5), In: optest.In(optest.F64(optest.Dims(1), 2)),
			Want: optest.Want(optest.F64(optest.Dims(3), 0.5, 2, 0.5)),
		},
		{
			Name: "f16", Attrs: optest.Attrs("pads", []int{1, 1}, "value", 0.5), In: optest.In(optest.Make(10, optest.Dims(1), []uint16{0x4000})),
			Want: optest.Want(optest.Make(10, optest.Dims(3), []uint16{0x3800, 0x4000, 0x3800})),
		},
		{
			Name: "another type", Attrs: optest.Attrs("pads", []int{1, 1}), In: optest.In(optest.Ints(1)),
			Err: "element type i64 is not supported by version 2", Code: errs.Unsupported,
		},
	})
	optest.Run(t, Pad1, []optest.Case{{Name: "paddings", Attrs: optest.Attrs("paddings", []int{0, 1, 0, 0}, "value", 0.5), In: in, Want: want}})
}

func TestPadDTypes(t *testing.T) {
	moves(t, Pad, all(), optest.Dims(2, 3), optest.In(optest.Ints(0, 2, 0, -1)), optest.Attrs("mode", "reflect"),
		optest.Dims(2, 4), 0, 1, 0, 1, 3, 4, 3, 4)
	var cases []optest.Case
	for _, d := range all() {
		cases = append(cases, optest.Case{
			Name: d.String() + " with a value", In: optest.In(optest.Filled(d, optest.Dims(3), 1, 0, 1), optest.Ints(1, 2), optest.Filled(d, nil, 1)),
			Want: optest.Want(optest.Filled(d, optest.Dims(6), 1, 1, 0, 1, 1, 1)),
		})
	}
	optest.Run(t, Pad, append(cases, optest.Case{
		Name: "strings are padded with empty ones", In: optest.In(optest.Str(optest.Dims(1), "a"), optest.Ints(1, 0)),
		Want: optest.Want(optest.Str(optest.Dims(2), "", "a")),
	}))
}
