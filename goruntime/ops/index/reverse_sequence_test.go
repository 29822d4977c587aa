package index

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

func TestReverseSequence(t *testing.T) {
	var cases []optest.Case
	byRow := optest.Attrs("batch_axis", 0, "time_axis", 1)
	for _, d := range ReverseSequence.Def().DTypes.Types() {
		if tensor.SmallOf(d) != nil {
			continue
		}
		x := optest.Filled(d, optest.Dims(3, 2), 1, 2, 3, 4, 5, 6)
		cases = append(cases,
			optest.Case{Name: d.String() + " along rows", In: optest.In(x, optest.Ints(3, 2)), Want: optest.Want(optest.Filled(d, optest.Dims(3, 2), 5, 4, 3, 2, 1, 6))},
			optest.Case{Name: d.String() + " along columns", Attrs: byRow, In: optest.In(x, optest.Ints(0, 1, 2)), Want: optest.Want(optest.Filled(d, optest.Dims(3, 2), 1, 2, 3, 4, 6, 5))},
			optest.Case{Name: d.String() + " slices", Attrs: byRow, In: optest.In(optest.Filled(d, optest.Dims(1, 2, 2), 1, 2, 3, 4), optest.Ints(2)), Want: optest.Want(optest.Filled(d, optest.Dims(1, 2, 2), 3, 4, 1, 2))},
			optest.Case{Name: d.String() + " nothing", In: optest.In(optest.Filled(d, optest.Dims(0, 2)), optest.Ints(0, 0)), Want: optest.Want(optest.Filled(d, optest.Dims(0, 2)))},
		)
	}
	x := optest.F32(optest.Dims(1, 2), 1, 2)
	optest.Run(t, ReverseSequence, append(cases,
		optest.Case{Name: "too long", In: optest.In(x, optest.Ints(1, 2)), Err: "the length of sequence 1 is 2: it must lie in [0, 1]", Code: errs.Compute},
		optest.Case{Name: "negative", In: optest.In(x, optest.Ints(-1, 1)), Err: "the length of sequence 0 is -1", Code: errs.Compute},
		optest.Case{Name: "one axis for both", Attrs: optest.Attrs("time_axis", 1), In: optest.In(x, optest.Ints(1, 1)), Err: "batch_axis is 1 and time_axis 1: one must be 0, the other 1", Code: errs.Argument},
		optest.Case{Name: "too few lengths", In: optest.In(x, optest.Ints(1)), Err: "the input has shape [1, 2], sequence_lens [1]", Code: errs.Shape},
	))
}
