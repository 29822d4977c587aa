package attention

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Angles of 0, 90 and 180 degrees, so that all results are exact.
func TestRotaryEmbeddingMS(t *testing.T) {
	var cases []optest.Case
	for _, d := range RotaryEmbeddingMS.Def().DTypes.Types() {
		f := func(shape tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, shape, v...) }
		cos, sin := f(optest.Dims(3, 2), 1, 1, 0, -1, -1, 0), f(optest.Dims(3, 2), 0, 0, 1, 0, 0, 1)
		cases = append(
			cases,
			optest.Case{
				Name: "from a position on " + d.String(), In: optest.In(f(optest.Dims(1, 2, 4), 1, 2, 3, 4, 5, 6, 7, 8), optest.I64(optest.Dims(1), 0), cos, sin),
				Want: optest.Want(f(optest.Dims(1, 2, 4), 1, 2, 3, 4, -7, -6, 5, -8)),
			},
			optest.Case{
				Name: "positions, neighbours " + d.String(), Attrs: optest.Attrs("interleaved", 1), In: optest.In(f(optest.Dims(1, 2, 2, 4), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16), optest.I64(optest.Dims(1, 2), 2, 1), cos, sin),
				Want: optest.Want(f(optest.Dims(1, 2, 2, 4), -1, -2, -4, 3, -6, 5, -7, -8, -9, -10, -12, 11, -14, 13, -15, -16)),
			},
			optest.Case{
				Name: "a part of each head " + d.String(), Attrs: optest.Attrs("num_heads", 2, "rotary_embedding_dim", 2), In: optest.In(f(optest.Dims(1, 1, 6), 1, 2, 3, 4, 5, 6), optest.I64(optest.Dims(1), 1), f(optest.Dims(2, 1), 1, 0), f(optest.Dims(2, 1), 0, 1)),
				Want: optest.Want(f(optest.Dims(1, 1, 6), -2, 1, 3, -5, 4, 6)),
			},
		)
	}
	g := func(d ...int) *tensor.View {
		return optest.Filled(tensor.F32, optest.Dims(d...), numbers(optest.Dims(d...).Elements(), 1)...)
	}
	at := optest.I64(optest.Dims(1), 2)
	cases = append(
		cases, optest.Case{Name: "tables", In: optest.In(g(1, 2, 4), at, g(3, 2), g(2, 2)), Err: "both [P, d/2] expected", Code: errs.Shape},
		optest.Case{Name: "rank", In: optest.In(g(2, 4), at, g(3, 2), g(3, 2)), Err: "X has shape [2, 4]: rank 3 or 4 expected", Code: errs.Shape},
		optest.Case{Name: "head", In: optest.In(g(1, 2, 6), at, g(3, 2), g(3, 2)), Err: "heads of 4 numbers expected", Code: errs.Shape},
		optest.Case{Name: "a position", In: optest.In(g(1, 2, 4), at, g(3, 2), g(3, 2)), Err: "position 3 is out of range: it must lie in [0, 2]", Code: errs.Compute},
		optest.Case{Name: "positions", In: optest.In(g(1, 2, 4), optest.I64(optest.Dims(3), 0, 1, 2), g(3, 2), g(3, 2)), Err: "position_ids has shape [3], [1] or [1, 2] expected", Code: errs.Shape},
		optest.Case{Name: "types", In: optest.In(g(1, 2, 4), at, optest.Filled(tensor.F16, optest.Dims(3, 2), 0, 0, 0, 0, 0, 0), g(3, 2)), Err: "input 2 is f16, input 0 is f32: they must be alike", Code: errs.Type},
		optest.Case{Name: "packed", Attrs: optest.Attrs("is_packed_batching", 1), In: optest.In(g(1, 2, 4), at, g(3, 2), g(3, 2)), Err: "is_packed_batching is not supported", Code: errs.Unsupported})
	optest.Run(t, RotaryEmbeddingMS, cases)
}
