package attention

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// LinearAttention reads and writes a state of keys times values, token by token.
// https://onnx.ai/onnx/operators/onnx__LinearAttention.html
// Departures: none. The state is of f32 during the run; chunk_size is a hint that
// is not needed.
var LinearAttention = op.Declare("", "LinearAttention", func() op.Def {
	return op.Def{
		Versions: op.Versions{27: ""},
		Attrs: op.Attrs(op.Int("chunk_size", 64), op.Required("kv_num_heads", op.KindInt), op.Required("q_num_heads", op.KindInt),
			op.Float("scale", 0), op.String("update_rule", "gated_delta")),
		Shape: func(c *op.Infer) error {
			s, err := linearSizes(c, c.Attr)
			if err != nil {
				return err
			}
			state := c.DType(0)
			if c.Has(3) {
				state = c.DType(3)
			}
			c.SetOutput(0, c.DType(0), tensor.Shape{s.batch, s.steps, s.heads * s.sizeV})
			c.SetOutput(1, state, tensor.Shape{s.batch, s.kvHeads, s.size, s.sizeV})
			return nil
		},
		Prepare: func(c *op.Context) error {
			s, err := linearSizes(shapesOf{c}, c.Attr)
			if err != nil {
				return err
			}
			l := &linear{linearSize: s, scale: c.Attr.Float("scale")}
			if l.scale == 0 {
				l.scale = float32(1 / math.Sqrt(float64(s.size)))
			}
			var r op.Room
			for i := range l.at {
				if c.Has(i) {
					l.at[i] = single.space(&r, c.In(i))
				}
			}
			l.atY = single.space(&r, c.Out(0))
			n := s.batch * s.kvHeads
			l.atState, l.atRow = r.Add(4*n*s.size*s.sizeV), r.Add(4*n*s.sizeV)
			r.Need(c)
			c.State = l
			return nil
		},
		Run:    func(c *op.Context) error { c.State.(*linear).run(c); return nil },
		DTypes: op.Uniform(struct{}{}, tensor.F32, tensor.F16, tensor.BF16),
		Also:   map[int][]tensor.DType{3: {tensor.F32, tensor.F16, tensor.BF16}},
	}
})

type linearSize struct {
	batch, steps, heads, kvHeads, size, sizeV int
	gated, delta                              bool
	keyDecay                                  bool // a decay for each number of the key
	betas                                     int  // update rates of a step
}

// linearSizes reads query [B, T, H*k], key [B, T, G*k] and value [B, T, G*v].
func linearSizes(c shapes, a *op.Values) (s linearSize, err error) {
	q, k, v := c.In(0), c.In(1), c.In(2)
	s.heads, s.kvHeads = a.Int("q_num_heads"), a.Int("kv_num_heads")
	if s.heads <= 0 || s.kvHeads <= 0 || s.heads%s.kvHeads != 0 {
		return s, errs.New(errs.Argument, "q_num_heads is %d, kv_num_heads is %d: a positive multiple expected", s.heads, s.kvHeads)
	}
	if len(q) != 3 || len(k) != 3 || len(v) != 3 || q[2]%s.heads != 0 || k[2] != q[2]/s.heads*s.kvHeads || v[2]%s.kvHeads != 0 || !k[:2].Equal(q[:2]) || !v[:2].Equal(q[:2]) {
		return s, errs.New(errs.Shape, "query has shape %v, key %v, value %v: [B, T, %d*k], [B, T, %d*k] and [B, T, %d*v] expected", q, k, v, s.heads, s.kvHeads, s.kvHeads)
	}
	s.batch, s.steps, s.size, s.sizeV = q[0], q[1], q[2]/s.heads, v[2]/s.kvHeads
	switch rule := a.Str("update_rule"); rule {
	case "linear":
	case "gated":
		s.gated = true
	case "delta":
		s.delta = true
	case "gated_delta":
		s.gated, s.delta = true, true
	default:
		return s, errs.New(errs.Argument, "update_rule %q is none of linear, gated, delta, gated_delta", rule)
	}
	if c.Has(4) != s.gated || c.Has(5) != s.delta {
		return s, errs.New(errs.Argument, "update_rule is %q: decay goes with the gated ones, beta with the delta ones", a.Str("update_rule"))
	}
	if past := (tensor.Shape{s.batch, s.kvHeads, s.size, s.sizeV}); c.Has(3) && !c.In(3).Equal(past) {
		return s, errs.New(errs.Shape, "past_state has shape %v, %v expected", c.In(3), past)
	}
	if s.gated {
		d := c.In(4)
		if len(d) != 3 || !d[:2].Equal(q[:2]) || d[2] != s.kvHeads && d[2] != s.kvHeads*s.size {
			return s, errs.New(errs.Shape, "decay has shape %v: [%d, %d, %d] or [%d, %d, %d] expected", d, q[0], q[1], s.kvHeads, q[0], q[1], s.kvHeads*s.size)
		}
		s.keyDecay = d[2] != s.kvHeads
	}
	if s.delta {
		b := c.In(5)
		if len(b) != 3 || !b[:2].Equal(q[:2]) || b[2] != s.kvHeads && b[2] != 1 {
			return s, errs.New(errs.Shape, "beta has shape %v: [%d, %d, %d] or [%d, %d, 1] expected", b, q[0], q[1], s.kvHeads, q[0], q[1])
		}
		s.betas = b[2]
	}
	return s, nil
}

// linear is the State of a LinearAttention.
type linear struct {
	linearSize
	scale           float32
	at              [6]op.Part
	atY             op.Part
	atState, atRow  op.Part
	in              [6][]float32
	y, state, write []float32
}

func (l *linear) run(c *op.Context) {
	for i := range l.in {
		if c.Has(i) {
			l.in[i] = single.load(c, c.In(i), l.at[i])
		}
	}
	l.state, l.write = l.atState.Floats(c), l.atRow.Floats(c)
	if c.Has(3) {
		copy(l.state, l.in[3])
	} else {
		clear(l.state)
	}
	l.y = single.target(c, c.Out(0), l.atY)
	c.For(l.batch*l.kvHeads, 1, l)
	single.store(c.Out(0), l.y)
	if c.Wants(1) {
		single.narrow[c.Out(1).DType](c.Out(1), 0, l.state)
	}
}

// Chunk implements op.Task over the key heads of all batches.
func (l *linear) Chunk(lo, hi int) {
	for n := lo; n < hi; n++ {
		state := l.state[n*l.size*l.sizeV : (n+1)*l.size*l.sizeV]
		for t := range l.steps {
			l.token(state, l.write[n*l.sizeV:(n+1)*l.sizeV], n/l.kvHeads*l.steps+t, n%l.kvHeads)
		}
	}
}

// token advances a state by one token; row is its place in [B, T].
func (l *linear) token(state, write []float32, row, h int) {
	key := l.in[1][(row*l.kvHeads+h)*l.size:][:l.size]
	if l.gated {
		l.decay(state, row, h)
	}
	copy(write, l.in[2][(row*l.kvHeads+h)*l.sizeV:])
	if l.delta {
		for d, k := range key {
			for m, s := range state[d*l.sizeV : (d+1)*l.sizeV] {
				write[m] -= s * k
			}
		}
		beta := l.in[5][row*l.betas+h%l.betas]
		for m := range write {
			write[m] *= beta
		}
	}
	for d, k := range key {
		for m, w := range write {
			state[d*l.sizeV+m] += k * w
		}
	}
	group := l.heads / l.kvHeads
	for g := h * group; g < (h+1)*group; g++ {
		query, out := l.in[0][(row*l.heads+g)*l.size:][:l.size], l.y[(row*l.heads+g)*l.sizeV:][:l.sizeV]
		clear(out)
		for d, q := range query {
			for m, s := range state[d*l.sizeV : (d+1)*l.sizeV] {
				out[m] += q * s
			}
		}
		for m := range out {
			out[m] *= l.scale
		}
	}
}

// decay shrinks the state.
func (l *linear) decay(state []float32, row, h int) {
	for d := range l.size {
		at := row*l.kvHeads + h
		if l.keyDecay {
			at = at*l.size + d
		}
		f := float32(math.Exp(float64(l.in[4][at])))
		for m := range l.sizeV {
			state[d*l.sizeV+m] *= f
		}
	}
}
