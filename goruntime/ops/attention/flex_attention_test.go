package attention

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Without subgraphs; the official cases run those.
func TestFlexAttention(t *testing.T) {
	var cases []optest.Case
	for _, s := range []setup{
		{name: "a head each", batch: 2, heads: 2, kvHeads: 2, rows: 3, keys: 5, d: 4, e: 6, left: -1, right: -1},
		{name: "shared heads, many queries", batch: 1, heads: 4, kvHeads: 2, rows: 20, keys: 30, d: 4, e: 3, left: -1, right: -1},
		{name: "no keys", batch: 1, heads: 1, kvHeads: 1, rows: 2, keys: 0, d: 2, e: 2, left: -1, right: -1},
		{name: "no queries", batch: 1, heads: 1, kvHeads: 1, rows: 0, keys: 2, d: 2, e: 2, left: -1, right: -1},
	} {
		for _, d := range Attention.Def().DTypes.Types() {
			c := s.build(d)
			c.Attrs, c.In, c.Want = nil, c.In[:3], c.Want[:1]
			cases = append(cases, c)
		}
	}
	optest.Run(t, FlexAttention, cases)
}

func TestFlexAttentionErrors(t *testing.T) {
	f := func(d ...int) *tensor.View {
		return optest.Filled(tensor.F32, optest.Dims(d...), numbers(optest.Dims(d...).Elements(), 1)...)
	}
	q, k := f(1, 2, 3, 4), f(1, 2, 5, 4)
	optest.Run(t, FlexAttention, []optest.Case{
		{Name: "head sizes", In: optest.In(q, f(1, 2, 5, 3), k), Err: "Q [B, H, L, d], K [B, G, S, d] and V [B, G, S, e] expected", Code: errs.Shape},
		{Name: "heads", In: optest.In(q, f(1, 3, 5, 4), f(1, 3, 5, 4)), Err: "the heads of Q a multiple of those of K", Code: errs.Shape},
		{Name: "precision", Attrs: optest.Attrs("softmax_precision", 7), In: optest.In(q, k, k), Err: "softmax_precision is i64: a floating-point type expected", Code: errs.Type},
		{Name: "types", In: optest.In(q, k, optest.Filled(tensor.F64, optest.Dims(1, 2, 5, 4), numbers(40, 1)...)), Err: "Q is f32, K f32, V f64: one floating-point type expected", Code: errs.Type},
		{Name: "no float", In: optest.In(optest.I64(optest.Dims(1, 1, 1, 1), 1), optest.I64(optest.Dims(1, 1, 1, 1), 1), optest.I64(optest.Dims(1, 1, 1, 1), 1)), Err: "one floating-point type expected", Code: errs.Type},
	})
}
