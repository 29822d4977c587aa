package attention

import (
	"fmt"
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// linearSetup is a configuration of LinearAttention.
type linearSetup struct {
	rule                               string
	batch, steps, heads, kvHeads, k, v int
	keyDecay, sharedBeta, past         bool
}

// expected runs the recurrence of the specification, in float64.
func (s linearSetup) expected(q, key, value, state, decay, beta []float64) (out []float64) {
	out = make([]float64, s.batch*s.steps*s.heads*s.v)
	for b := range s.batch {
		for h := range s.kvHeads {
			st := state[(b*s.kvHeads+h)*s.k*s.v:][:s.k*s.v]
			for i := range s.steps {
				row := b*s.steps + i
				kt, vt := key[(row*s.kvHeads+h)*s.k:][:s.k], append([]float64(nil), value[(row*s.kvHeads+h)*s.v:][:s.v]...)
				if decay != nil {
					for x := range st {
						at := row*s.kvHeads + h
						if s.keyDecay {
							at = at*s.k + x/s.v
						}
						st[x] *= math.Exp(decay[at])
					}
				}
				if beta != nil {
					rate := beta[row]
					if !s.sharedBeta {
						rate = beta[row*s.kvHeads+h]
					}
					for m := range vt {
						for d := range kt {
							vt[m] -= st[d*s.v+m] * kt[d]
						}
						vt[m] *= rate
					}
				}
				for d := range kt {
					for m := range vt {
						st[d*s.v+m] += kt[d] * vt[m]
					}
				}
				group := s.heads / s.kvHeads
				for g := h * group; g < (h+1)*group; g++ {
					for m := range s.v {
						for d := range s.k {
							out[(row*s.heads+g)*s.v+m] += q[(row*s.heads+g)*s.k+d] * st[d*s.v+m] / math.Sqrt(float64(s.k))
						}
					}
				}
			}
		}
	}
	return out
}

func (s linearSetup) build(d tensor.DType) optest.Case {
	rows := s.batch * s.steps
	q, k, v := numbers(rows*s.heads*s.k, 1), numbers(rows*s.kvHeads*s.k, 2), numbers(rows*s.kvHeads*s.v, 3)
	f := func(list []float64, dims ...int) *tensor.View { return optest.Filled(d, optest.Dims(dims...), list...) }
	in := optest.In(f(q, s.batch, s.steps, s.heads*s.k), f(k, s.batch, s.steps, s.kvHeads*s.k), f(v, s.batch, s.steps, s.kvHeads*s.v), nil, nil, nil)
	state := make([]float64, s.batch*s.kvHeads*s.k*s.v)
	if s.past {
		state = numbers(len(state), 4)
		in[3] = f(state, s.batch, s.kvHeads, s.k, s.v)
	}
	var decay, beta []float64
	if s.rule == "gated" || s.rule == "gated_delta" {
		n := s.kvHeads
		if s.keyDecay {
			n *= s.k
		}
		decay = numbers(rows*n, 5)
		for i := range decay {
			decay[i] = -math.Abs(decay[i])
		}
		in[4] = f(decay, s.batch, s.steps, n)
	}
	if s.rule == "delta" || s.rule == "gated_delta" {
		n := s.kvHeads
		if s.sharedBeta {
			n = 1
		}
		beta = numbers(rows*n, 6)
		in[5] = f(beta, s.batch, s.steps, n)
	}
	out := s.expected(q, k, v, state, decay, beta)
	return optest.Case{
		Name: fmt.Sprintf("%+v %v", s, d), Attrs: optest.Attrs("update_rule", s.rule, "q_num_heads", s.heads, "kv_num_heads", s.kvHeads), In: in,
		Tol:  map[tensor.DType]float64{tensor.F32: 2e-6, tensor.F16: 1e-3, tensor.BF16: 8e-3}[d],
		Want: optest.Want(f(out, s.batch, s.steps, s.heads*s.v), f(state, s.batch, s.kvHeads, s.k, s.v)),
	}
}

func TestLinearAttention(t *testing.T) {
	var cases []optest.Case
	for _, d := range LinearAttention.Def().DTypes.Types() {
		for _, rule := range []string{"linear", "gated", "delta", "gated_delta"} {
			cases = append(
				cases, linearSetup{rule: rule, batch: 2, steps: 3, heads: 2, kvHeads: 2, k: 3, v: 4, past: true}.build(d),
				linearSetup{rule: rule, batch: 1, steps: 4, heads: 4, kvHeads: 2, k: 2, v: 3, keyDecay: true, sharedBeta: true}.build(d))
		}
		cases = append(cases, linearSetup{rule: "linear", batch: 1, steps: 0, heads: 1, kvHeads: 1, k: 2, v: 3, past: true}.build(d))
	}
	optest.Run(t, LinearAttention, cases)
}

func TestLinearAttentionErrors(t *testing.T) {
	f := func(d ...int) *tensor.View {
		return optest.Filled(tensor.F32, optest.Dims(d...), numbers(optest.Dims(d...).Elements(), 1)...)
	}
	x := f(1, 2, 4)
	optest.Run(t, LinearAttention, []optest.Case{
		{Name: "rule", Attrs: optest.Attrs("update_rule", "up", "q_num_heads", 1, "kv_num_heads", 1), In: optest.In(x, x, x), Err: `update_rule "up" is none of`, Code: errs.Argument},
		{Name: "heads", Attrs: optest.Attrs("q_num_heads", 3, "kv_num_heads", 2), In: optest.In(x, x, x), Err: "q_num_heads is 3, kv_num_heads is 2", Code: errs.Argument},
		{Name: "sizes", Attrs: optest.Attrs("update_rule", "linear", "q_num_heads", 2, "kv_num_heads", 1), In: optest.In(x, x, x), Err: "[B, T, 2*k], [B, T, 1*k] and [B, T, 1*v] expected", Code: errs.Shape},
		{Name: "no decay", Attrs: optest.Attrs("update_rule", "gated", "q_num_heads", 1, "kv_num_heads", 1), In: optest.In(x, x, x), Err: "decay goes with the gated ones", Code: errs.Argument},
		{Name: "state", Attrs: optest.Attrs("update_rule", "linear", "q_num_heads", 1, "kv_num_heads", 1), In: optest.In(x, x, x, f(1, 1, 4, 3)), Err: "past_state has shape [1, 1, 4, 3], [1, 1, 4, 4] expected", Code: errs.Shape},
		{Name: "decay", Attrs: optest.Attrs("update_rule", "gated", "q_num_heads", 1, "kv_num_heads", 1), In: optest.In(x, x, x, nil, f(1, 2, 3)), Err: "decay has shape [1, 2, 3]", Code: errs.Shape},
		{Name: "beta", Attrs: optest.Attrs("update_rule", "delta", "q_num_heads", 1, "kv_num_heads", 1), In: optest.In(x, x, x, nil, nil, f(1, 2, 3)), Err: "beta has shape [1, 2, 3]", Code: errs.Shape},
	})
}
