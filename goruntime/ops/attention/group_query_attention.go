package attention

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// GroupQueryAttention is causal attention over a cache, whose query heads share
// key heads; queries and keys may be turned by their positions.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.GroupQueryAttention
// Departures: no quantized cache, no norms of queries and keys, no cache that
// slides, no output of scores.
var GroupQueryAttention = op.Declare(microsoft, "GroupQueryAttention", func() op.Def {
	return op.Def{
		Versions: op.Versions{1: ""}, Needs: []int{0, 5},
		Attrs: op.Attrs(op.Required("num_heads", op.KindInt), op.Required("kv_num_heads", op.KindInt), op.Optional("scale", op.KindFloat),
			op.Float("softcap", 0), op.Int("local_window_size", -1), op.Int("do_rotary", 0), op.Int("rotary_interleaved", 0), op.Int("smooth_softmax", -1),
			op.Int("causal", 1), op.Int("qk_output", 0), op.Int("sliding_window_cache", 0), op.Int("kv_cache_bit_width", 0),
			op.String("k_quant_type", "NONE"), op.String("v_quant_type", "NONE"), op.Float("qk_norm_epsilon", 1e-6), op.Optional("q_norm_epsilon", op.KindFloat), op.Optional("k_norm_epsilon", op.KindFloat)),
		Shape: func(c *op.Infer) error {
			s, err := groupSizes(c, c.Attr)
			if err != nil {
				return err
			}
			total, err := c.Ints(6)
			if err != nil {
				return err
			}
			if len(total) != 1 || total[0] < 0 {
				return errs.New(errs.Shape, "total_sequence_length is %v: one number expected", total)
			}
			present := tensor.Shape{s.batch, s.kvHeads, max(s.past, total[0]), s.size}
			c.SetOutput(0, c.DType(0), tensor.Shape{s.batch, s.rows, s.heads * s.size})
			c.SetOutput(1, c.DType(0), present)
			c.SetOutput(2, c.DType(0), present)
			return nil
		},
		Prepare: groupPrepare,
		Run:     groupRun,
		DTypes:  op.Uniform(struct{}{}, floatTypes...),
		Also: map[int][]tensor.DType{
			1: floatTypes, 2: floatTypes, 3: floatTypes, 4: floatTypes, 5: {tensor.I32}, 6: {tensor.I32}, 7: floatTypes, 8: floatTypes,
			9: {tensor.I64}, 10: floatTypes, 11: floatTypes,
		},
	}
})

// groupSize are the dimensions; packed has K and V behind Q in its tensor.
type groupSize struct {
	sizes
	packed bool
}

func groupSizes(c shapes, a *op.Values) (s groupSize, err error) {
	q := c.In(0)
	s.heads, s.kvHeads = a.Int("num_heads"), a.Int("kv_num_heads")
	if s.heads <= 0 || s.kvHeads <= 0 || s.heads%s.kvHeads != 0 {
		return s, errs.New(errs.Argument, "num_heads is %d, kv_num_heads is %d: a positive multiple expected", s.heads, s.kvHeads)
	}
	for _, i := range [...]int{12, 13, 14, 15, 16} {
		if c.Has(i) {
			return s, errs.New(errs.Unsupported, "input %d is given: quantized caches, norms and query lengths are not supported", i)
		}
	}
	if a.Int("kv_cache_bit_width") != 0 || a.Bool("sliding_window_cache") || a.Int("qk_output") != 0 {
		return s, errs.New(errs.Unsupported, "kv_cache_bit_width, sliding_window_cache and qk_output are not supported")
	}
	n := s.heads
	if s.packed = !c.Has(1); s.packed {
		n += 2 * s.kvHeads
	}
	if len(q) != 3 || q[2]%n != 0 {
		return s, errs.New(errs.Shape, "query has shape %v: [B, L, %d*d] expected", q, n)
	}
	s.batch, s.rows, s.keys, s.size = q[0], q[1], q[1], q[2]/n
	s.sizeV = s.size
	if want := (tensor.Shape{s.batch, s.rows, s.kvHeads * s.size}); !s.packed && (!c.Has(2) || !c.In(1).Equal(want) || !c.In(2).Equal(want)) {
		return s, errs.New(errs.Shape, "key has shape %v: %v expected of key and value", c.In(1), want)
	}
	if c.Has(3) != c.Has(4) {
		return s, errs.New(errs.Shape, "past_key and past_value must be given together")
	}
	if c.Has(3) {
		p := c.In(3)
		if len(p) != 4 || !p.Equal(tensor.Shape{s.batch, s.kvHeads, p[2], s.size}) || !c.In(4).Equal(p) {
			return s, errs.New(errs.Shape, "past_key has shape %v, past_value %v: [%d, %d, P, %d] expected", p, c.In(4), s.batch, s.kvHeads, s.size)
		}
		s.past = p[2]
	}
	if c.In(5).Elements() != s.batch {
		return s, errs.New(errs.Shape, "seqlens_k has shape %v, [%d] expected", c.In(5), s.batch)
	}
	if a.Bool("do_rotary") && (!c.Has(7) || !c.Has(8) || len(c.In(7)) != 2 || !c.In(7).Equal(c.In(8)) || 2*c.In(7)[1] > s.size) {
		return s, errs.New(errs.Shape, "do_rotary is set: cos_cache and sin_cache [P, at most %d] expected", s.size/2)
	}
	if c.Has(9) && !c.In(9).Equal(tensor.Shape{s.batch, s.rows}) {
		return s, errs.New(errs.Shape, "position_ids has shape %v, [%d, %d] expected", c.In(9), s.batch, s.rows)
	}
	if c.Has(11) && c.In(11).Elements() != s.heads {
		return s, errs.New(errs.Shape, "head_sink has shape %v, [%d] expected", c.In(11), s.heads)
	}
	return s, nil
}

// group is the State of a GroupQueryAttention.
type group struct {
	cached
	z      groupSize
	at     [12]op.Part // of the inputs in f32
	atTurn op.Part     // the new keys, turned
	atSink op.Part
	smooth bool
	masked bool
	bias   paddingMask
	rotary bool
	pairs  bool // of neighbours
}

func groupPrepare(c *op.Context) error {
	z, err := groupSizes(shapesOf{c}, c.Attr)
	if err != nil {
		return err
	}
	s := &group{z: z, bias: paddingMask{input: -1, bias: 10}, rotary: c.Attr.Bool("do_rotary"), pairs: c.Attr.Bool("rotary_interleaved")}
	keys, err := presentKeys(c, &z)
	if err != nil {
		return err
	}
	s.core = core[float32]{
		batch: z.batch, count: z.heads, shared: z.heads / z.kvHeads, rows: z.rows, keys: keys, size: z.size, sizeV: z.size,
		scale: float32(1 / math.Sqrt(float64(z.size))), softcap: c.Attr.Float("softcap"), causal: c.Attr.Bool("causal"), left: -1, right: -1,
		kernel: singles, offset: make([]int, z.batch), limit: make([]int, z.batch),
	}
	if v := c.Attr.Float("scale"); c.Attr.Has("scale") && v != 0 {
		s.scale = v
	}
	if w := c.Attr.Int("local_window_size"); w > 0 {
		s.left = w - 1
	}
	var r op.Room
	for i := range s.at {
		if i != 5 && i != 6 && i != 9 && i != 10 {
			s.at[i] = operand(c, &r, i)
		}
	}
	s.smooth = c.Attr.Int("smooth_softmax") == 1
	s.atTurn, s.atSink = r.Add(4*z.batch*z.rows*z.kvHeads*z.size), r.Add(4*z.heads)
	s.reserve(c, &r)
	if s.masked = c.Has(10); s.masked {
		b := c.In(10).Shape
		if len(b) != 4 || b[0] != 1 && b[0] != z.batch || b[1] != 1 && b[1] != z.heads || b[2] != z.rows && b[2] != 1 || b[3] > s.keys {
			return errs.New(errs.Shape, "attention_bias has shape %v, which does not broadcast to [%d, %d, %d, %d]", b, z.batch, z.heads, z.rows, s.keys)
		}
		s.bias.atBias = operand(c, &r, 10)
	}
	r.Need(c)
	c.State = s
	return nil
}

// presentKeys returns how many positions the present tensors have.
func presentKeys(c *op.Context, z *groupSize) (int, error) {
	total, err := c.Ints(6)
	if err != nil {
		return 0, err
	}
	if len(total) != 1 || total[0] < 0 {
		return 0, errs.New(errs.Shape, "total_sequence_length is %v: one number expected", total)
	}
	return max(z.past, total[0]), nil
}
