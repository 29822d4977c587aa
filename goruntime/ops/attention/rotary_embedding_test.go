package attention

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Angles of 0, 90 and 180 degrees, so that all results are exact.
func TestRotaryEmbedding(t *testing.T) {
	var cases []optest.Case
	for _, d := range RotaryEmbedding.Def().DTypes.Types() {
		f := func(shape tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, shape, v...) }
		cos, sin := f(optest.Dims(3, 2), 1, 1, 0, -1, -1, 0), f(optest.Dims(3, 2), 0, 0, 1, 0, 0, 1)
		x := f(optest.Dims(1, 2, 2, 4), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)
		cases = append(
			cases,
			optest.Case{
				Name: "halves " + d.String(), In: optest.In(x, cos, sin, optest.I64(optest.Dims(1, 2), 0, 1)),
				Want: optest.Want(f(optest.Dims(1, 2, 2, 4), 1, 2, 3, 4, -7, -6, 5, -8, 9, 10, 11, 12, -15, -14, 13, -16)),
			},
			optest.Case{
				Name: "neighbours " + d.String(), Attrs: optest.Attrs("interleaved", 1), In: optest.In(x, cos, sin, optest.I64(optest.Dims(1, 2), 2, 1)),
				Want: optest.Want(f(optest.Dims(1, 2, 2, 4), -1, -2, -4, 3, -6, 5, -7, -8, -9, -10, -12, 11, -14, 13, -15, -16)),
			},
			optest.Case{
				Name: "flat, a part of the head " + d.String(), Attrs: optest.Attrs("num_heads", 2, "rotary_embedding_dim", 2),
				In:   optest.In(f(optest.Dims(1, 2, 6), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12), f(optest.Dims(1, 2, 1), 0, -1), f(optest.Dims(1, 2, 1), 1, 0)),
				Want: optest.Want(f(optest.Dims(1, 2, 6), -2, 1, 3, -5, 4, 6, -7, -8, 9, -10, -11, 12)),
			},
			optest.Case{Name: "empty " + d.String(), In: optest.In(f(optest.Dims(0, 2, 2, 4)), cos, sin, optest.I64(optest.Dims(0, 2))), Want: optest.Want(f(optest.Dims(0, 2, 2, 4)))},
		)
	}
	optest.Run(t, RotaryEmbedding, cases)
}

func TestRotaryEmbeddingErrors(t *testing.T) {
	f := func(d ...int) *tensor.View {
		return optest.Filled(tensor.F32, optest.Dims(d...), numbers(optest.Dims(d...).Elements(), 1)...)
	}
	x := f(1, 2, 2, 4)
	optest.Run(t, RotaryEmbedding, []optest.Case{
		{Name: "rank", In: optest.In(f(2, 4), f(3, 2), f(3, 2)), Err: "X has shape [2, 4]: rank 3 or 4 expected", Code: errs.Shape},
		{Name: "heads", In: optest.In(f(1, 2, 4), f(1, 2, 2), f(1, 2, 2)), Err: "num_heads is 0: it must divide", Code: errs.Shape},
		{Name: "odd part", Attrs: optest.Attrs("rotary_embedding_dim", 3), In: optest.In(x, f(3, 1), f(3, 1)), Err: "3 numbers of a head of 4 are to be turned", Code: errs.Shape},
		{Name: "tables", In: optest.In(x, f(3, 1), f(3, 1), optest.I64(optest.Dims(1, 2), 0, 1)), Err: "both [P, 2] expected", Code: errs.Shape},
		{Name: "tables without positions", In: optest.In(x, f(1, 2, 1), f(1, 2, 1)), Err: "both [1, 2, 2] expected without position_ids", Code: errs.Shape},
		{Name: "positions", In: optest.In(x, f(3, 2), f(3, 2), optest.I64(optest.Dims(2), 0, 1)), Err: "position_ids has shape [2], [1, 2] expected", Code: errs.Shape},
		{Name: "a position", In: optest.In(x, f(3, 2), f(3, 2), optest.I64(optest.Dims(1, 2), 0, 3)), Err: "position 3 is out of range: it must lie in [0, 2]", Code: errs.Compute},
	})
}
