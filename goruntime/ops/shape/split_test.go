package shape

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
)

func TestSplit(t *testing.T) {
	x := optest.F32(optest.Dims(7), 1, 2, 3, 4, 5, 6, 7)
	m := optest.F32(optest.Dims(2, 4), 0, 1, 2, 3, 4, 5, 6, 7)
	two := optest.Want(optest.F32(optest.Dims(2, 2), 0, 1, 4, 5), optest.F32(optest.Dims(2, 2), 2, 3, 6, 7))
	optest.Run(t, Split, []optest.Case{
		{
			Name: "the last part is smaller, the example of version 18", Attrs: optest.Attrs("num_outputs", 4), In: optest.In(x),
			Want: optest.Want(optest.F32(optest.Dims(2), 1, 2), optest.F32(optest.Dims(2), 3, 4), optest.F32(optest.Dims(2), 5, 6), optest.F32(optest.Dims(1), 7)),
		},
		{
			Name: "given sizes", In: optest.In(x, optest.Ints(2, 0, 5)),
			Want: optest.Want(optest.F32(optest.Dims(2), 1, 2), optest.F32(optest.Dims(0)), optest.F32(optest.Dims(5), 3, 4, 5, 6, 7)),
		},
		{Name: "equal columns", Attrs: optest.Attrs("num_outputs", 2, "axis", -1), In: optest.In(m), Want: two},
		{
			Name: "outputs that nobody names", In: optest.In(m, optest.Ints(1, 2, 1)), Attrs: optest.Attrs("axis", 1),
			Want: optest.Want(nil, nil, optest.F32(optest.Dims(2, 1), 3, 7)),
		},
		{
			Name: "an empty tensor", Attrs: optest.Attrs("num_outputs", 2), In: optest.In(optest.F32(optest.Dims(0, 3))),
			Want: optest.Want(optest.F32(optest.Dims(0, 3)), optest.F32(optest.Dims(0, 3))),
		},
		{Name: "neither sizes nor number", In: optest.In(x), Err: "neither the input split nor num_outputs is given", Code: errs.Model},
		{
			Name: "both sizes and number", In: optest.In(x, optest.Ints(7)), Attrs: optest.Attrs("num_outputs", 1),
			Err: "both the input split and num_outputs are given", Code: errs.Model,
		},
		{Name: "another number of outputs", In: optest.In(x), Attrs: optest.Attrs("num_outputs", 2), Err: "num_outputs is 2, the node has 1 outputs"},
		{Name: "too much", In: optest.In(x, optest.Ints(8)), Err: "split [8] does not fit axis 0 of size 7", Code: errs.Shape},
		{Name: "too little", In: optest.In(x, optest.Ints(6)), Err: "split [6] leaves 1 of the 7 elements of axis 0", Code: errs.Shape},
		{
			Name: "a negative size", In: optest.In(x, optest.Ints(-1, 8)), Want: optest.Want(nil, nil),
			Err: "split [-1 8] does not fit axis 0", Code: errs.Shape,
		},
		{Name: "sizes for other outputs", In: optest.In(x, optest.Ints(3, 4)), Err: "split [3 4] has 2 sizes, the node has 1 outputs"},
	})
	optest.Run(t, Split13, []optest.Case{
		{Name: "equal parts", Attrs: optest.Attrs("axis", 1), In: optest.In(m), Want: two},
		{Name: "given sizes", Attrs: optest.Attrs("axis", 1), In: optest.In(m, optest.Ints(2, 2)), Want: two},
		{Name: "unequal parts", In: optest.In(x), Want: optest.Want(nil, nil), Err: "axis 0 of size 7 cannot be split into 2 equal parts", Code: errs.Shape},
	})
	optest.Run(t, Split2, []optest.Case{
		{Name: "equal parts", Attrs: optest.Attrs("axis", 1), In: optest.In(m), Want: two},
		{
			Name: "given sizes, an output unnamed", Attrs: optest.Attrs("axis", 1, "split", []int{3, 1}), In: optest.In(m),
			Want: optest.Want(nil, optest.F32(optest.Dims(2, 1), 3, 7)),
		},
	})
	optest.Run(t, Split1, []optest.Case{
		{Name: "sizes as an attribute", Attrs: optest.Attrs("axis", 1, "split", []int{2, 2}), In: optest.In(m), Want: two},
		{Name: "sizes as floats", Attrs: optest.Attrs("axis", 1), In: optest.In(m, optest.F32(optest.Dims(2), 2, 2)), Want: two},
	})
}

func TestSplitDTypes(t *testing.T) {
	var cases []optest.Case
	for _, d := range from8() {
		cases = append(cases, optest.Case{
			Name: d.String(), Attrs: optest.Attrs("axis", 1), In: optest.In(optest.Filled(d, optest.Dims(2, 3), 0, 1, 2, 3, 4, 5), optest.Ints(1, 2)),
			Want: optest.Want(optest.Filled(d, optest.Dims(2, 1), 0, 3), optest.Filled(d, optest.Dims(2, 2), 1, 2, 4, 5)),
		})
	}
	optest.Run(t, Split, cases)
}
