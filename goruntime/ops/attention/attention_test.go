package attention

import (
	"fmt"
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// numbers is n numbers between -1 and 1 that every float type holds.
func numbers(n, salt int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = float64((i*i*7+i*13+salt*29)%33-16) / 16
	}
	return list
}

// setup is a configuration of Attention.
type setup struct {
	name                                          string
	batch, heads, kvHeads, rows, keys, past, d, e int
	flat, causal                                  bool
	softcap                                       float64
	left, right                                   int
	mask                                          tensor.Shape
	boolean                                       bool
	lengths                                       []int64
	mode                                          int
}

// expected computes by the definition, in float64: Y, the keys and values of all
// positions and the scores that mode asks for.
func (s setup) expected(q, k, v, pk, pv, mask []float64) (y, keys, values, qk []float64) {
	total, group := s.past+s.keys, s.heads/s.kvHeads
	at := func(list []float64, b, h, i, x, heads, rows, d int) float64 {
		if s.flat {
			return list[((b*rows+i)*heads+h)*d+x]
		}
		return list[((b*heads+h)*rows+i)*d+x]
	}
	join := func(past, now []float64, d int) []float64 {
		var all []float64
		for b := range s.batch {
			for h := range s.kvHeads {
				for i := range total {
					for x := range d {
						if i < s.past {
							all = append(all, past[((b*s.kvHeads+h)*s.past+i)*d+x])
						} else {
							all = append(all, at(now, b, h, i-s.past, x, s.kvHeads, s.keys, d))
						}
					}
				}
			}
		}
		return all
	}
	keys, values = join(pk, k, s.d), join(pv, v, s.e)
	y = make([]float64, s.batch*s.heads*s.rows*s.e)
	for b := range s.batch {
		for h := range s.heads {
			for i := range s.rows {
				row, some := make([]float64, total), false
				shown := make([]float64, total)
				for j := range row {
					sum := 0.0
					for x := range s.d {
						sum += at(q, b, h, i, x, s.heads, s.rows, s.d) * keys[((b*s.kvHeads+h/group)*total+j)*s.d+x]
					}
					sum /= math.Sqrt(float64(s.d))
					if s.mode == 0 {
						shown[j] = sum
					}
					if s.softcap > 0 {
						sum = math.Tanh(sum/s.softcap) * s.softcap
					}
					if s.mode == 1 {
						shown[j] = sum
					}
					add := s.added(mask, b, h, i, j)
					some = some || !math.IsInf(add, -1)
					row[j] = sum + add
					if s.mode == 2 {
						shown[j] = row[j]
					}
				}
				top, sum := math.Inf(-1), 0.0
				for _, x := range row {
					top = max(top, x)
				}
				for j, x := range row {
					if row[j] = 0; some {
						row[j] = math.Exp(x - top)
					}
					sum += row[j]
				}
				for j := range row {
					if some {
						row[j] /= sum
					}
					if s.mode == 3 {
						shown[j] = row[j]
					}
					for x := range s.e {
						to := ((b*s.heads+h)*s.rows+i)*s.e + x
						if s.flat {
							to = ((b*s.rows+i)*s.heads+h)*s.e + x
						}
						y[to] += row[j] * values[((b*s.kvHeads+h/group)*total+j)*s.e+x]
					}
				}
				qk = append(qk, shown...)
			}
		}
	}
	return y, keys, values, qk
}

// added is what mask and position add to a score.
func (s setup) added(mask []float64, b, h, i, j int) float64 {
	none, p := math.Inf(-1), i+s.past
	if s.lengths != nil {
		p = i + int(s.lengths[b]) - s.rows
		if j >= int(s.lengths[b]) {
			return none
		}
	}
	if s.causal && j > p || s.left >= 0 && j < p-s.left || s.right >= 0 && j > p+s.right {
		return none
	}
	if s.mask == nil {
		return 0
	}
	full := []int{b, h, i, j}
	at := 0
	for x, d := range s.mask {
		c := full[4-len(s.mask)+x]
		if x == len(s.mask)-1 && c >= d {
			return none
		}
		at = at*d + c%d
	}
	if s.boolean {
		if mask[at] == 0 {
			return none
		}
		return 0
	}
	return mask[at]
}

func (s setup) build(d tensor.DType) optest.Case {
	q, k, v := numbers(s.batch*s.heads*s.rows*s.d, 1), numbers(s.batch*s.kvHeads*s.keys*s.d, 2), numbers(s.batch*s.kvHeads*s.keys*s.e, 3)
	pk, pv := numbers(s.batch*s.kvHeads*s.past*s.d, 4), numbers(s.batch*s.kvHeads*s.past*s.e, 5)
	in := optest.In(nil, nil, nil, nil, nil, nil, nil)
	attrs := optest.Attrs("qk_matmul_output_mode", s.mode, "softcap", s.softcap, "left_window_size", s.left, "right_window_size", s.right)
	if s.causal {
		attrs = append(attrs, optest.Attrs("is_causal", 1)...)
	}
	out := optest.Dims(s.batch, s.heads, s.rows, s.e)
	if s.flat {
		attrs = append(attrs, optest.Attrs("q_num_heads", s.heads, "kv_num_heads", s.kvHeads)...)
		in[0], in[1], in[2] = optest.Filled(d, optest.Dims(s.batch, s.rows, s.heads*s.d), q...), optest.Filled(d, optest.Dims(s.batch, s.keys, s.kvHeads*s.d), k...), optest.Filled(d, optest.Dims(s.batch, s.keys, s.kvHeads*s.e), v...)
		out = optest.Dims(s.batch, s.rows, s.heads*s.e)
	} else {
		in[0], in[1], in[2] = optest.Filled(d, optest.Dims(s.batch, s.heads, s.rows, s.d), q...), optest.Filled(d, optest.Dims(s.batch, s.kvHeads, s.keys, s.d), k...), optest.Filled(d, optest.Dims(s.batch, s.kvHeads, s.keys, s.e), v...)
	}
	var mask []float64
	if s.mask != nil {
		mask = numbers(s.mask.Elements(), 6)
		kind := d
		if s.boolean {
			kind = tensor.Bool
			for i := range mask {
				mask[i] = max(0, math.Ceil(mask[i]))
			}
		}
		in[3] = optest.Filled(kind, s.mask, mask...)
	}
	if s.past > 0 {
		in[4], in[5] = optest.Filled(d, optest.Dims(s.batch, s.kvHeads, s.past, s.d), pk...), optest.Filled(d, optest.Dims(s.batch, s.kvHeads, s.past, s.e), pv...)
	}
	if s.lengths != nil {
		in[6] = optest.Ints(s.lengths...)
	}
	y, keys, values, qk := s.expected(q, k, v, pk, pv, mask)
	total := s.past + s.keys
	tol := map[tensor.DType]float64{tensor.F32: 2e-6, tensor.F64: 1e-13, tensor.F16: 1e-3, tensor.BF16: 8e-3}[d]
	return optest.Case{
		Name: fmt.Sprintf("%s %v", s.name, d), Attrs: attrs, In: in, Tol: tol,
		Want: optest.Want(
			optest.Filled(d, out, y...), optest.Filled(d, optest.Dims(s.batch, s.kvHeads, total, s.d), keys...),
			optest.Filled(d, optest.Dims(s.batch, s.kvHeads, total, s.e), values...), optest.Filled(d, optest.Dims(s.batch, s.heads, s.rows, total), qk...)),
	}
}

func TestAttention(t *testing.T) {
	plain := setup{batch: 2, heads: 4, kvHeads: 2, rows: 3, keys: 5, d: 4, e: 6, left: -1, right: -1}
	with := func(name string, change func(s *setup)) setup {
		s := plain
		s.name = name
		change(&s)
		return s
	}
	setups := []setup{
		with("shared heads", func(*setup) {}),
		with("flat", func(s *setup) { s.flat = true }),
		with("a head each", func(s *setup) { s.kvHeads, s.mode = 4, 3 }),
		with("causal", func(s *setup) { s.causal, s.mode = true, 2 }),
		with("past", func(s *setup) { s.past, s.causal, s.mode = 3, true, 3 }),
		with("flat past", func(s *setup) { s.past, s.flat = 3, true }),
		with("softcap", func(s *setup) { s.softcap, s.mode = 0.5, 1 }),
		with("windows", func(s *setup) { s.left, s.right, s.past = 1, 2, 2 }),
		with("a window before the first key", func(s *setup) { s.right, s.mode, s.rows = 0, 3, 5 }),
		with("mask of keys", func(s *setup) { s.mask = optest.Dims(5) }),
		with("mask of two dimensions", func(s *setup) { s.mask, s.mode = optest.Dims(3, 5), 2 }),
		with("mask of heads", func(s *setup) { s.mask, s.causal = optest.Dims(4, 3, 5), true }),
		with("mask of all", func(s *setup) { s.mask = optest.Dims(2, 4, 3, 5) }),
		with("mask of batches", func(s *setup) { s.mask = optest.Dims(2, 1, 1, 5) }),
		with("boolean mask", func(s *setup) { s.mask, s.boolean, s.mode = optest.Dims(3, 5), true, 3 }),
		with("short mask", func(s *setup) { s.mask, s.mode = optest.Dims(3, 4), 3 }),
		with("lengths", func(s *setup) { s.lengths = []int64{5, 2} }),
		with("causal lengths", func(s *setup) { s.lengths, s.causal, s.mode = []int64{4, 2}, true, 3 }),
		with("no length", func(s *setup) { s.lengths = []int64{0, 1} }),
		with("many queries", func(s *setup) { s.rows, s.keys, s.causal = 57, 57, true }),
		with("many queries, flat, past", func(s *setup) { s.rows, s.keys, s.past, s.flat = 50, 20, 13, true }),
		with("one query", func(s *setup) { s.rows, s.past = 1, 9 }),
		with("no queries", func(s *setup) { s.rows = 0 }),
		with("no keys", func(s *setup) { s.keys = 0 }),
		with("no batch", func(s *setup) { s.batch = 0 }),
	}
	var cases []optest.Case
	for _, s := range setups {
		for _, d := range Attention.Def().DTypes.Types() {
			if d == tensor.F32 || s.rows < 9 {
				cases = append(cases, s.build(d))
			}
		}
	}
	optest.Run(t, Attention, cases)
}

func TestAttentionOfMixedTypes(t *testing.T) {
	q := optest.Filled(tensor.F16, optest.Dims(1, 1, 1, 2), 1, 0)
	k := optest.Filled(tensor.F16, optest.Dims(1, 1, 2, 2), 0, 0, 0, 0)
	optest.Run(t, Attention, []optest.Case{
		{
			Name: "values of another type, a mask of whole numbers", In: optest.In(q, k, optest.F32(optest.Dims(1, 1, 2, 1), 1, 3), optest.I64(optest.Dims(1, 2), 0, 0)),
			Want: optest.Want(optest.Filled(tensor.F16, optest.Dims(1, 1, 1, 1), 2)),
		},
		{
			Name: "a scale", Attrs: optest.Attrs("scale", 0.0), In: optest.In(q, optest.Filled(tensor.F16, optest.Dims(1, 1, 2, 2), 9, 9, 1, 1), optest.Filled(tensor.F16, optest.Dims(1, 1, 2, 1), 1, 3)),
			Want: optest.Want(optest.Filled(tensor.F16, optest.Dims(1, 1, 1, 1), 2)),
		},
	})
}

func TestAttentionErrors(t *testing.T) {
	f := func(d ...int) *tensor.View {
		return optest.Filled(tensor.F32, optest.Dims(d...), numbers(optest.Dims(d...).Elements(), 1)...)
	}
	q, k := f(1, 2, 3, 4), f(1, 2, 5, 4)
	heads := func(q, kv int) []op.Value { return optest.Attrs("q_num_heads", q, "kv_num_heads", kv) }
	optest.Run(t, Attention, []optest.Case{
		{Name: "ranks", In: optest.In(q, k, f(1, 2, 3)), Err: "all of rank 3 or all of rank 4 expected", Code: errs.Shape},
		{Name: "head sizes", In: optest.In(q, f(1, 2, 5, 3), k), Err: "Q [B, H, L, d], K [B, G, S, d] and V [B, G, S, e] expected", Code: errs.Shape},
		{Name: "heads", In: optest.In(q, f(1, 3, 5, 4), f(1, 3, 5, 4)), Err: "the heads of Q a multiple of those of K", Code: errs.Shape},
		{Name: "number of heads", Attrs: heads(3, 2), In: optest.In(f(1, 2, 4), f(1, 2, 4), f(1, 2, 4)), Err: "q_num_heads 3 and kv_num_heads 2 must divide", Code: errs.Shape},
		{Name: "mask", In: optest.In(q, k, k, f(2, 5)), Err: "the mask has shape [2, 5], which does not broadcast to [1, 2, 3, 5]", Code: errs.Shape},
		{Name: "past alone", In: optest.In(q, k, k, nil, f(1, 2, 1, 4)), Err: "past_key and past_value must be given together", Code: errs.Shape},
		{Name: "past", In: optest.In(q, k, k, nil, f(1, 2, 1, 3), f(1, 2, 1, 4)), Err: "past_key has shape [1, 2, 1, 3]", Code: errs.Shape},
		{Name: "lengths", In: optest.In(q, k, k, nil, nil, nil, optest.Ints(6)), Err: "nonpad_kv_seqlen is 6: it must lie in [0, 5]", Code: errs.Compute},
		{Name: "mode", Attrs: optest.Attrs("qk_matmul_output_mode", 4), In: optest.In(q, k, k), Err: "qk_matmul_output_mode is 4", Code: errs.Argument},
		{Name: "window", Attrs: optest.Attrs("left_window_size", -2), In: optest.In(q, k, k), Err: "left_window_size is -2", Code: errs.Argument},
		{Name: "types", In: optest.In(q, optest.Filled(tensor.F64, optest.Dims(1, 2, 5, 4), numbers(40, 1)...), k), Err: "they must be alike", Code: errs.Type},
	})
}
