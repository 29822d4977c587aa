package attention

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

func TestAttentionMS(t *testing.T) {
	const in, batch, count, size = 7, 2, 3, 4
	var cases []optest.Case
	for _, d := range AttentionMS.Def().DTypes.Types() {
		for _, form := range []string{"plain", "causal", "past", "padding", "lengths", "ends and starts", "rows of padding", "added", "sizes", "many"} {
			s := setup{batch: batch, heads: count, kvHeads: count, rows: 3, keys: 3, d: size, e: size, flat: true, left: -1, right: -1}
			attrs := optest.Attrs("num_heads", count)
			switch form {
			case "causal", "past":
				s.causal = true
				attrs = append(attrs, optest.Attrs("unidirectional", 1)...)
			case "sizes":
				s.e = 2
				attrs = append(attrs, optest.Attrs("qkv_hidden_sizes", []int{12, 12, 6})...)
			case "many":
				s.rows, s.keys = 20, 20
			}
			if form == "past" {
				s.past = 2
			}
			f := func(list []float64, dims ...int) *tensor.View { return optest.Filled(d, optest.Dims(dims...), list...) }
			widths := [3]int{count * size, count * size, count * s.e}
			n := widths[0] + widths[1] + widths[2]
			x, w, bias := numbers(batch*s.rows*in, 1), numbers(in*n, 2), numbers(n, 3)
			for i := range w {
				w[i] /= 4
			}
			var qkv [3][]float64
			for r := range batch * s.rows {
				at := 0
				for p, width := range widths {
					for range width {
						sum := bias[at]
						for k := range in {
							sum += x[r*in+k] * w[k*n+at]
						}
						qkv[p] = append(qkv[p], sum)
						at++
					}
				}
			}
			inputs := optest.In(f(x, batch, s.rows, in), f(w, in, n), f(bias, n), nil, nil, nil)
			var mask, pk, pv []float64
			ones := []int32{0, 1, 1, 0, 1, 0}
			switch form {
			case "past":
				past := numbers(2*batch*count*s.past*size, 4)
				pk, pv = past[:len(past)/2], past[len(past)/2:]
				inputs[4] = f(past, 2, batch, count, s.past, size)
			case "padding":
				inputs[3], mask, s.mask = optest.I32(optest.Dims(batch, 3), ones...), filters(ones), optest.Dims(batch, 1, 1, 3)
			case "lengths":
				inputs[3], mask, s.mask = optest.I32(optest.Dims(batch), 1, 3), filters([]int32{1, 0, 0, 1, 1, 1}), optest.Dims(batch, 1, 1, 3)
			case "ends and starts":
				inputs[3], mask, s.mask = optest.I32(optest.Dims(2*batch), 2, 3, 0, 1), filters([]int32{1, 1, 0, 0, 1, 1}), optest.Dims(batch, 1, 1, 3)
			case "rows of padding":
				all := []int32{1, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 0, 1, 1, 1, 0, 0}
				inputs[3], mask, s.mask = optest.I32(optest.Dims(batch, 3, 3), all...), filters(all), optest.Dims(batch, 1, 3, 3)
			case "added":
				mask, s.mask = numbers(9, 5), optest.Dims(1, 1, 3, 3)
				inputs[5] = f(mask, 1, 1, 3, 3)
			}
			y, keys, values, _ := s.expected(qkv[0], qkv[1], qkv[2], pk, pv, mask)
			want := optest.Want(f(y, batch, s.rows, count*s.e))
			if form != "sizes" {
				want = append(want, f(append(keys, values...), 2, batch, count, s.past+s.keys, size))
			}
			cases = append(cases, optest.Case{Name: form + " " + d.String(), Attrs: attrs, In: inputs, Tol: 2 * tolerance[d], Want: want})
		}
	}
	optest.Run(t, AttentionMS, cases)
}

func TestAttentionMSErrors(t *testing.T) {
	f := func(d ...int) *tensor.View {
		return optest.Filled(tensor.F32, optest.Dims(d...), numbers(optest.Dims(d...).Elements(), 1)...)
	}
	two := func(list ...any) []op.Value { return optest.Attrs(append([]any{"num_heads", 2}, list...)...) }
	x, w := f(1, 3, 4), f(4, 12)
	optest.Run(t, AttentionMS, []optest.Case{
		{Name: "weights", Attrs: two(), In: optest.In(x, f(3, 12)), Err: "input has shape [1, 3, 4], weights [3, 12]", Code: errs.Shape},
		{Name: "sizes", Attrs: two("qkv_hidden_sizes", []int{4, 4, 2}), In: optest.In(x, w), Err: "multiples of num_heads that add up to 12 expected", Code: errs.Shape},
		{Name: "bias", Attrs: two(), In: optest.In(x, w, f(4)), Err: "the bias has shape [4], [12] expected", Code: errs.Shape},
		{Name: "past", Attrs: two(), In: optest.In(x, w, nil, nil, f(2, 1, 2, 1, 3)), Err: "past has shape [2, 1, 2, 1, 3]", Code: errs.Shape},
		{Name: "padding", Attrs: two(), In: optest.In(x, w, nil, ints32(1, 2, 3)), Err: "the padding mask has shape [3]", Code: errs.Shape},
		{Name: "rotary", Attrs: two("do_rotary", 1), In: optest.In(x, w), Err: "do_rotary and past_present_share_buffer are not supported", Code: errs.Unsupported},
		{Name: "present of other values", Attrs: two("qkv_hidden_sizes", []int{4, 4, 2}), In: optest.In(x, f(4, 10)), Want: optest.Want(x, x), Err: "present needs as many", Code: errs.Shape},
	})
}
