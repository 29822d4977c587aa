package index

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
)

func TestTensorScatter(t *testing.T) {
	var cases []optest.Case
	for _, d := range TensorScatter.Def().DTypes.Types() {
		cache := optest.Filled(d, optest.Dims(2, 3, 2), 1, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 1)
		update := optest.Filled(d, optest.Dims(2, 1, 2), 1, 1, 0, 0)
		two := optest.Filled(d, optest.Dims(2, 2, 2), 1, 1, 0, 1, 0, 0, 1, 0)
		cases = append(cases,
			optest.Case{Name: d.String() + " places of samples", In: optest.In(cache, update, optest.Ints(0, 2)), Want: optest.Want(optest.Filled(d, optest.Dims(2, 3, 2), 1, 1, 1, 0, 1, 0, 0, 1, 0, 1, 0, 0))},
			optest.Case{Name: d.String() + " at the start", In: optest.In(cache, update), Want: optest.Want(optest.Filled(d, optest.Dims(2, 3, 2), 1, 1, 1, 0, 1, 0, 0, 0, 0, 1, 0, 1))},
			optest.Case{
				Name: d.String() + " around the end", Attrs: optest.Attrs("mode", "circular"), In: optest.In(cache, two, optest.Ints(2, 7)),
				Want: optest.Want(optest.Filled(d, optest.Dims(2, 3, 2), 0, 1, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0)),
			},
			optest.Case{
				Name: d.String() + " the last axis", Attrs: optest.Attrs("axis", 2), In: optest.In(cache, optest.Filled(d, optest.Dims(2, 3, 1), 0, 0, 0, 1, 1, 1), optest.Ints(1, 0)),
				Want: optest.Want(optest.Filled(d, optest.Dims(2, 3, 2), 1, 0, 1, 0, 1, 0, 1, 1, 1, 1, 1, 1)),
			},
			optest.Case{Name: d.String() + " nothing to write", In: optest.In(cache, optest.Filled(d, optest.Dims(2, 0, 2)), optest.Ints(3, 0)), Want: optest.Want(cache)},
		)
	}
	cache, update := optest.F32(optest.Dims(1, 2, 1), 1, 2), optest.F32(optest.Dims(1, 1, 1), 3)
	optest.Run(t, TensorScatter, append(cases,
		optest.Case{Name: "beyond the end", In: optest.In(cache, update, optest.Ints(2)), Err: "the write index of sample 0 is 2: with 1 steps to write it must lie in [0, 1]", Code: errs.Compute},
		optest.Case{Name: "before the start", Attrs: optest.Attrs("mode", "circular"), In: optest.In(cache, update, optest.Ints(-1)), Err: "the write index of sample 0 is -1", Code: errs.Compute},
		optest.Case{Name: "the batch", Attrs: optest.Attrs("axis", 0), In: optest.In(cache, update), Err: "axis is 0, which is the batch", Code: errs.Argument},
		optest.Case{Name: "a longer update", In: optest.In(update, cache), Err: "a cache of shape [1, 1, 1] takes no update of shape [1, 2, 1]", Code: errs.Shape},
		optest.Case{Name: "more indices", In: optest.In(cache, update, optest.Ints(0, 0)), Err: "with a write index for each sample", Code: errs.Shape},
		optest.Case{Name: "an unknown mode", Attrs: optest.Attrs("mode", "square"), In: optest.In(cache, update), Err: `mode "square" is none of linear, circular`, Code: errs.Argument},
	))
}
