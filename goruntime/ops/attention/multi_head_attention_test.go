package attention

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// tolerance is how far results of a type may be off.
var tolerance = map[tensor.DType]float64{tensor.F32: 2e-6, tensor.F16: 2e-3, tensor.BF16: 1.6e-2}

// filters turns zeros and ones of a padding mask into what is added to scores.
func filters(ones []int32) []float64 {
	list := make([]float64, len(ones))
	for i, v := range ones {
		list[i] = float64(v-1) * 10000
	}
	return list
}

func TestMultiHeadAttention(t *testing.T) {
	var cases []optest.Case
	for _, d := range MultiHeadAttention.Def().DTypes.Types() {
		for _, causal := range []bool{false, true} {
			for _, form := range []string{"plain", "packed", "keys packed", "turned", "bias", "padding", "lengths", "added", "past", "many"} {
				s := setup{batch: 2, heads: 3, kvHeads: 3, rows: 4, keys: 4, d: 5, e: 5, flat: true, causal: causal, left: -1, right: -1}
				if form == "past" {
					s.past = 3
				}
				if form == "many" {
					s.rows, s.keys = 20, 20
				}
				q, k, v := numbers(s.batch*s.heads*s.rows*s.d, 1), numbers(s.batch*s.heads*s.keys*s.d, 2), numbers(s.batch*s.heads*s.keys*s.e, 3)
				pk, pv := numbers(s.batch*s.heads*s.past*s.d, 4), numbers(s.batch*s.heads*s.past*s.e, 5)
				f := func(list []float64, dims ...int) *tensor.View { return optest.Filled(d, optest.Dims(dims...), list...) }
				hidden := s.heads * s.d
				in := optest.In(f(q, s.batch, s.rows, hidden), f(k, s.batch, s.keys, hidden), f(v, s.batch, s.keys, hidden), nil, nil, nil, nil, nil)
				var mask []float64
				beside := func(lists ...[]float64) (out []float64) { // [tokens, heads, lists, d]
					for i := 0; i < len(lists[0]); i += s.d {
						for _, l := range lists {
							out = append(out, l[i:i+s.d]...)
						}
					}
					return out
				}
				switch form {
				case "packed":
					in = optest.In(f(beside(q, k, v), s.batch, s.rows, s.heads, 3, s.d))
				case "keys packed":
					in = optest.In(in[0], f(beside(k, v), s.batch, s.keys, s.heads, 2, s.d))
				case "turned":
					apart := setup{batch: s.batch, heads: s.heads, kvHeads: s.heads, keys: s.keys, d: s.d, e: s.e, flat: true}
					_, kk, vv, _ := apart.expected(nil, k, v, nil, nil, nil)
					in[1], in[2] = f(kk, s.batch, s.heads, s.keys, s.d), f(vv, s.batch, s.heads, s.keys, s.e)
				case "bias":
					bias := numbers(3*hidden, 6)
					in[3] = f(bias, 3*hidden)
					for i := range q {
						q[i] += bias[i%hidden]
						k[i] += bias[hidden+i%hidden]
						v[i] += bias[2*hidden+i%hidden]
					}
				case "padding":
					ones := []int32{1, 1, 0, 0, 1, 1, 1, 1}
					in[4], mask, s.mask = optest.I32(optest.Dims(2, 4), ones...), filters(ones), optest.Dims(2, 1, 1, 4)
				case "lengths":
					in[4], mask, s.mask = optest.I32(optest.Dims(2), 2, 3), filters([]int32{1, 1, 0, 0, 1, 1, 1, 0}), optest.Dims(2, 1, 1, 4)
				case "added":
					ones := []int32{1, 1, 0, 0, 1, 1, 1, 1}
					mask, s.mask = numbers(3*4*4, 7), optest.Dims(1, 3, 4, 4)
					in[4], in[5] = optest.I32(optest.Dims(2, 4), ones...), f(mask, 1, 3, 4, 4)
					all := make([]float64, 0, 96)
					for b := range 2 {
						for i, x := range mask {
							all = append(all, x+filters(ones)[b*4+i%4])
						}
					}
					mask, s.mask = all, optest.Dims(2, 3, 4, 4)
				case "past":
					in[6], in[7] = f(pk, s.batch, s.heads, s.past, s.d), f(pv, s.batch, s.heads, s.past, s.e)
				}
				y, keys, values, _ := s.expected(q, k, v, pk, pv, mask)
				attrs := optest.Attrs("num_heads", s.heads)
				if causal {
					attrs = append(attrs, optest.Attrs("unidirectional", 1)...)
				}
				total := s.past + s.keys
				cases = append(cases, optest.Case{
					Name: form + " " + d.String(), Attrs: attrs, In: in, Tol: tolerance[d],
					Want: optest.Want(f(y, s.batch, s.rows, hidden), f(keys, s.batch, s.heads, total, s.d), f(values, s.batch, s.heads, total, s.e)),
				})
			}
		}
	}
	optest.Run(t, MultiHeadAttention, cases)
}

func TestMultiHeadAttentionErrors(t *testing.T) {
	f := func(d ...int) *tensor.View {
		return optest.Filled(tensor.F32, optest.Dims(d...), numbers(optest.Dims(d...).Elements(), 1)...)
	}
	two := func(list ...any) []op.Value { return optest.Attrs(append([]any{"num_heads", 2}, list...)...) }
	q := f(1, 3, 4)
	optest.Run(t, MultiHeadAttention, []optest.Case{
		{Name: "heads", Attrs: optest.Attrs("num_heads", 3), In: optest.In(q, q, q), Err: "query has shape [1, 3, 4]: [B, L, 3*d]", Code: errs.Shape},
		{Name: "key", Attrs: two(), In: optest.In(q, f(1, 3, 5), q), Err: "key [1, 3, 5], value [1, 3, 4]", Code: errs.Shape},
		{Name: "bias", Attrs: two(), In: optest.In(q, q, q, f(4)), Err: "the bias has shape [4], [12] expected", Code: errs.Shape},
		{Name: "padding", Attrs: two(), In: optest.In(q, q, q, nil, optest.I32(optest.Dims(1, 2), 1, 1)), Err: "the padding mask has shape [1, 2]", Code: errs.Shape},
		{Name: "added", Attrs: two(), In: optest.In(q, q, q, nil, nil, f(1, 3, 3, 3)), Err: "attention_bias has shape [1, 3, 3, 3]", Code: errs.Shape},
		{Name: "past alone", Attrs: two(), In: optest.In(q, q, q, nil, nil, nil, f(1, 2, 1, 2)), Err: "must be given together", Code: errs.Shape},
		{Name: "shared buffer", Attrs: two(), In: optest.In(q, q, q, nil, nil, nil, nil, nil, optest.I32(nil, 1)), Err: "past_sequence_length and cache_indirection are not supported", Code: errs.Unsupported},
	})
}
