package attention

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// ints32 is an i32 vector.
func ints32(values ...int32) *tensor.View { return optest.I32(optest.Dims(len(values)), values...) }

func TestGroupQueryAttention(t *testing.T) {
	var cases []optest.Case
	for _, d := range GroupQueryAttention.Def().DTypes.Types() {
		for _, form := range []string{"prompt", "decode", "several tokens", "window", "softcap", "packed", "long"} {
			s := setup{batch: 2, heads: 4, kvHeads: 2, rows: 3, keys: 3, d: 6, e: 6, flat: true, causal: true, left: -1, right: -1}
			attrs := optest.Attrs("num_heads", 4, "kv_num_heads", 2)
			switch form {
			case "decode":
				s.rows, s.keys, s.past = 1, 1, 4
			case "several tokens":
				s.past = 4
			case "window":
				s.past, s.left = 4, 1
				attrs = append(attrs, optest.Attrs("local_window_size", 2)...)
			case "softcap":
				s.softcap = 0.5
				attrs = append(attrs, optest.Attrs("softcap", 0.5)...)
			case "long":
				s.rows, s.keys = 53, 53
			}
			q, k, v := numbers(s.batch*s.heads*s.rows*s.d, 1), numbers(s.batch*s.kvHeads*s.keys*s.d, 2), numbers(s.batch*s.kvHeads*s.keys*s.e, 3)
			pk, pv := numbers(s.batch*s.kvHeads*s.past*s.d, 4), numbers(s.batch*s.kvHeads*s.past*s.e, 5)
			f := func(list []float64, dims ...int) *tensor.View { return optest.Filled(d, optest.Dims(dims...), list...) }
			total := s.past + s.rows
			length := optest.I32(optest.Dims(2), int32(total-1), int32(total-1))
			in := optest.In(
				f(q, s.batch, s.rows, s.heads*s.d), f(k, s.batch, s.keys, s.kvHeads*s.d), f(v, s.batch, s.keys, s.kvHeads*s.d),
				f(pk, s.batch, s.kvHeads, s.past, s.d), f(pv, s.batch, s.kvHeads, s.past, s.d), length, optest.I32(nil, int32(total)))
			if form == "packed" {
				var all []float64
				for i := range s.batch * s.rows {
					all = append(append(append(all, q[i*24:(i+1)*24]...), k[i*12:(i+1)*12]...), v[i*12:(i+1)*12]...)
				}
				in[0], in[1], in[2], in[3], in[4] = f(all, s.batch, s.rows, 48), nil, nil, nil, nil
			}
			y, keys, values, _ := s.expected(q, k, v, pk, pv, nil)
			cases = append(cases, optest.Case{
				Name: form + " " + d.String(), Attrs: attrs, In: in, Tol: tolerance[d],
				Want: optest.Want(f(y, s.batch, s.rows, s.heads*s.d), f(keys, s.batch, s.kvHeads, total, s.d), f(values, s.batch, s.kvHeads, total, s.d)),
			})
		}
	}
	optest.Run(t, GroupQueryAttention, cases)
}

// The expected numbers are the means of [1, 0] and [4, 8] under the weights that
// NumPy gives.
func TestGroupQueryAttentionOfOneHead(t *testing.T) {
	one := optest.Attrs("num_heads", 1, "kv_num_heads", 1)
	q, k, v := optest.F32(optest.Dims(1, 1, 2), 1, 2), optest.F32(optest.Dims(1, 1, 2), 0, 1), optest.F32(optest.Dims(1, 1, 2), 4, 8)
	past := optest.F32(optest.Dims(1, 1, 1, 2), 1, 0)
	in := func(more ...*tensor.View) []*tensor.View {
		return append(optest.In(q, k, v, past, past, ints32(1), ints32(2)), more...)
	}
	cos, sin := optest.F32(optest.Dims(2, 1), 1, 0), optest.F32(optest.Dims(2, 1), 0, 1)
	optest.Run(t, GroupQueryAttention, []optest.Case{
		{Name: "turned", Attrs: append(optest.Attrs("do_rotary", 1), one...), In: in(cos, sin), Tol: 1e-6, Want: optest.Want(optest.F32(optest.Dims(1, 1, 2), 3.8325783, 7.5535422))},
		{Name: "smooth", Attrs: append(optest.Attrs("smooth_softmax", 1), one...), In: in(), Tol: 1e-6, Want: optest.Want(optest.F32(optest.Dims(1, 1, 2), 2.5878968, 4.6078028))},
		{Name: "a sink", Attrs: one, In: in(nil, nil, nil, nil, optest.F32(optest.Dims(1), 1)), Tol: 1e-6, Want: optest.Want(optest.F32(optest.Dims(1, 1, 2), 2.0859879, 3.7141437))},
		{Name: "a bias", Attrs: one, In: in(nil, nil, nil, optest.F32(optest.Dims(1, 1, 1, 2), 1, -1)), Tol: 1e-6, Want: optest.Want(optest.F32(optest.Dims(1, 1, 2), 1.6460905, 1.722908))},
		{
			Name: "a past longer than what counts", Attrs: one, In: optest.In(q, k, v, optest.F32(optest.Dims(1, 1, 3, 2), 1, 0, 9, 9, 9, 9), optest.F32(optest.Dims(1, 1, 3, 2), 1, 0, 9, 9, 9, 9), ints32(1), ints32(2)), Tol: 1e-6,
			Want: optest.Want(optest.F32(optest.Dims(1, 1, 2), 3.0092846, 5.3580924), optest.F32(optest.Dims(1, 1, 3, 2), 1, 0, 0, 1, 0, 0)),
		},
	})
}

func TestGroupQueryAttentionErrors(t *testing.T) {
	attrs := optest.Attrs("num_heads", 2, "kv_num_heads", 1)
	f := func(d ...int) *tensor.View {
		return optest.Filled(tensor.F32, optest.Dims(d...), numbers(optest.Dims(d...).Elements(), 1)...)
	}
	q, k, none := f(1, 1, 4), f(1, 1, 2), (*tensor.View)(nil)
	optest.Run(t, GroupQueryAttention, []optest.Case{
		{Name: "heads", Attrs: optest.Attrs("num_heads", 3, "kv_num_heads", 2), In: optest.In(q, k, k, none, none, ints32(0), ints32(1)), Err: "num_heads is 3, kv_num_heads is 2", Code: errs.Argument},
		{Name: "key", Attrs: attrs, In: optest.In(q, q, q, none, none, ints32(0), ints32(1)), Err: "key has shape [1, 1, 4]: [1, 1, 2] expected", Code: errs.Shape},
		{Name: "past", Attrs: attrs, In: optest.In(q, k, k, f(1, 2, 1, 2), f(1, 2, 1, 2), ints32(1), ints32(2)), Err: "past_key has shape [1, 2, 1, 2]", Code: errs.Shape},
		{Name: "lengths", Attrs: attrs, In: optest.In(q, k, k, none, none, ints32(0, 0), ints32(1)), Err: "seqlens_k has shape [2], [1] expected", Code: errs.Shape},
		{Name: "a length", Attrs: attrs, In: optest.In(q, k, k, none, none, ints32(5), ints32(1)), Err: "seqlens_k is 5", Code: errs.Compute},
		{Name: "a past that is too short", Attrs: attrs, In: optest.In(q, k, k, none, none, ints32(2), ints32(3)), Err: "sequence 0 has 2 past positions and 1 new ones: the past has 0", Code: errs.Compute},
		{Name: "no tables", Attrs: append(optest.Attrs("do_rotary", 1), attrs...), In: optest.In(q, k, k, none, none, ints32(0), ints32(1)), Err: "do_rotary is set", Code: errs.Shape},
	})
}
