package attention

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// MultiHeadAttention is attention on projected queries, keys and values, which
// may be packed together, with a bias, padding and a past.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.MultiHeadAttention
// Departures: no past_sequence_length and cache_indirection (buffers shared
// between past and present), no padding given as cumulated lengths.
var MultiHeadAttention = op.Declare(microsoft, "MultiHeadAttention", func() op.Def {
	return op.Def{
		Versions: op.Versions{1: ""}, Needs: []int{0},
		Attrs: op.Attrs(op.Required("num_heads", op.KindInt), op.Float("mask_filter_value", -10000), op.Optional("scale", op.KindFloat), op.Int("unidirectional", 0)),
		Shape: func(c *op.Infer) error {
			s, err := multiHeadSizes(c, c.Attr)
			if err != nil {
				return err
			}
			c.SetOutput(0, c.DType(0), tensor.Shape{s.batch, s.rows, s.heads * s.sizeV})
			c.SetOutput(1, c.DType(0), tensor.Shape{s.batch, s.heads, s.past + s.keys, s.size})
			c.SetOutput(2, c.DType(0), tensor.Shape{s.batch, s.heads, s.past + s.keys, s.sizeV})
			c.SetOutput(3, c.DType(0), tensor.Shape{s.batch, s.heads, s.rows, s.past + s.keys})
			return nil
		},
		Prepare: multiHeadPrepare,
		Run:     multiHeadRun,
		DTypes:  op.Uniform(struct{}{}, floatTypes...),
		Also: map[int][]tensor.DType{
			1: floatTypes, 2: floatTypes, 3: floatTypes, 4: {tensor.I32}, 5: floatTypes, 6: floatTypes, 7: floatTypes, 8: {tensor.I32}, 9: {tensor.I32},
		},
	}
})

// multiHeadSize are the dimensions; the packed forms have K and V beside each
// other in the tensor of Q or of K.
type multiHeadSize struct {
	sizes
	packedQKV, packedKV, done bool // done: K and V are [B, H, L, d]
}

func multiHeadSizes(c shapes, a *op.Values) (s multiHeadSize, err error) {
	q, n := c.In(0), a.Int("num_heads")
	if n <= 0 {
		return s, errs.New(errs.Argument, "num_heads is %d: it must be positive", n)
	}
	s.heads, s.kvHeads = n, n
	if c.Has(8) || c.Has(9) {
		return s, errs.New(errs.Unsupported, "past_sequence_length and cache_indirection are not supported")
	}
	switch {
	case len(q) == 5 && q[2] == n && q[3] == 3 && !c.Has(1) && !c.Has(2):
		s.packedQKV = true
		s.batch, s.rows, s.keys, s.size, s.sizeV = q[0], q[1], q[1], q[4], q[4]
	case len(q) != 3 || q[2]%n != 0 || !c.Has(1):
		return s, errs.New(errs.Shape, "query has shape %v: [B, L, %d*d] with a key, or [B, L, %d, 3, d] expected", q, n, n)
	default:
		s.batch, s.rows, s.size = q[0], q[1], q[2]/n
		k := c.In(1)
		var v tensor.Shape
		if c.Has(2) {
			v = c.In(2)
		}
		switch {
		case len(k) == 5 && v == nil && k.Equal(tensor.Shape{s.batch, k[1], n, 2, s.size}):
			s.packedKV, s.keys, s.sizeV = true, k[1], s.size
		case len(k) == 4 && len(v) == 4 && k.Equal(tensor.Shape{s.batch, n, k[2], s.size}) && v[:3].Equal(k[:3]):
			s.done, s.keys, s.sizeV = true, k[2], v[3]
		case len(k) == 3 && len(v) == 3 && k.Equal(tensor.Shape{s.batch, k[1], q[2]}) && v[:2].Equal(k[:2]) && v[2]%n == 0:
			s.keys, s.sizeV = k[1], v[2]/n
		default:
			return s, errs.New(errs.Shape, "query has shape %v, key %v, value %v: [B, S, %d*d] each, [B, %d, S, d] each or a key [B, S, %d, 2, d] expected", q, k, v, n, n, n)
		}
	}
	if want := n * (2*s.size + s.sizeV); c.Has(3) && !c.In(3).Equal(tensor.Shape{want}) {
		return s, errs.New(errs.Shape, "the bias has shape %v, [%d] expected", c.In(3), want)
	}
	if c.Has(6) != c.Has(7) {
		return s, errs.New(errs.Shape, "past_key and past_value must be given together")
	}
	if c.Has(6) {
		pk, pv := c.In(6), c.In(7)
		if len(pk) != 4 || !pk.Equal(tensor.Shape{s.batch, n, pk[2], s.size}) || !pv.Equal(tensor.Shape{s.batch, n, pk[2], s.sizeV}) {
			return s, errs.New(errs.Shape, "past_key has shape %v, past_value %v: [%d, %d, P, %d] and [%d, %d, P, %d] expected", pk, pv, s.batch, n, s.size, s.batch, n, s.sizeV)
		}
		s.past = pk[2]
	}
	return s, checkPadding(c, 4, 5, s.sizes)
}

// checkPadding refuses a padding mask or an attention bias of another shape.
func checkPadding(c shapes, padding, bias int, s sizes) error {
	total := s.past + s.keys
	if c.Has(padding) {
		m := c.In(padding)
		if !m.Equal(tensor.Shape{s.batch}) && !m.Equal(tensor.Shape{2 * s.batch}) && !m.Equal(tensor.Shape{s.batch, total}) && !m.Equal(tensor.Shape{s.batch, s.rows, total}) {
			return errs.New(errs.Shape, "the padding mask has shape %v: [%d], [%d], [%d, %d] or [%d, %d, %d] expected", m, s.batch, 2*s.batch, s.batch, total, s.batch, s.rows, total)
		}
	}
	if c.Has(bias) {
		b := c.In(bias)
		if len(b) != 4 || b[0] != 1 && b[0] != s.batch || b[1] != 1 && b[1] != s.heads || b[2] != s.rows && b[2] != 1 || b[3] != total {
			return errs.New(errs.Shape, "attention_bias has shape %v, which does not broadcast to [%d, %d, %d, %d]", b, s.batch, s.heads, s.rows, total)
		}
	}
	return nil
}

// multiHead is the State of a MultiHeadAttention.
type multiHead struct {
	cached
	z      multiHeadSize
	at     [8]op.Part // of the inputs in f32
	atQK   op.Part
	pad    paddingMask
	masked bool
}

func multiHeadPrepare(c *op.Context) error {
	z, err := multiHeadSizes(shapesOf{c}, c.Attr)
	if err != nil {
		return err
	}
	s := &multiHead{z: z, pad: paddingMask{input: 4, bias: 5, filter: c.Attr.Float("mask_filter_value")}}
	s.core = core[float32]{
		batch: z.batch, count: z.heads, shared: 1, rows: z.rows, keys: z.past + z.keys, size: z.size, sizeV: z.sizeV,
		scale: float32(1 / math.Sqrt(float64(z.size))), causal: c.Attr.Bool("unidirectional"), left: -1, right: -1, kernel: singles,
	}
	if c.Attr.Has("scale") && c.Attr.Float("scale") != 0 {
		s.scale = c.Attr.Float("scale")
	}
	s.offset = make([]int, z.batch)
	for b := range s.offset {
		s.offset[b] = z.past
	}
	var r op.Room
	for i := range s.at {
		if i != 4 && i != 5 {
			s.at[i] = operand(c, &r, i)
		}
	}
	s.reserve(c, &r)
	if c.Wants(3) {
		s.atQK = single.space(&r, c.Out(3))
	}
	s.masked = s.pad.plan(c, &r, &s.cached)
	r.Need(c)
	c.State = s
	return nil
}

func multiHeadRun(c *op.Context) error {
	s := c.State.(*multiHead)
	z, n := &s.z, s.z.heads
	in := [8][]float32{}
	for i := range in {
		if i != 4 && i != 5 {
			in[i] = loaded(c, i, s.at[i])
		}
	}
	q, k, v := split(in[0], z.rows, n, z.size), split(in[1], z.keys, n, z.size), split(in[2], z.keys, n, z.sizeV)
	switch {
	case z.packedQKV:
		q = heads[float32]{in[0], z.rows * n * 3 * z.size, 3 * z.size, n * 3 * z.size}
		k, v = q, q
		k.data, v.data = beyond(in[0], z.size), beyond(in[0], 2*z.size)
	case z.packedKV:
		k = heads[float32]{in[1], z.keys * n * 2 * z.size, 2 * z.size, n * 2 * z.size}
		v = k
		v.data = beyond(in[1], z.size)
	case z.done:
		k, v = apart(in[1], z.keys, n, z.size), apart(in[2], z.keys, n, z.sizeV)
	}
	var biasQ, biasK, biasV []float32
	if b := in[3]; b != nil {
		biasQ, biasK, biasV = b[:n*z.size], b[n*z.size:2*n*z.size], b[2*n*z.size:]
	}
	s.q = q
	if biasQ != nil {
		s.q = split(s.atQuery.Floats(c), z.rows, n, z.size)
		s.gather(s.q, q, n, z.rows, 0, z.size, biasQ)
	}
	total := z.batch * n * s.keys
	s.k, s.v = apart(room(c, 1, 0, total*z.size, s.atAll), s.keys, n, z.size), apart(room(c, 2, 0, total*z.sizeV, s.atAllV), s.keys, n, z.sizeV)
	if z.past > 0 {
		s.gather(s.k, apart(in[6], z.past, n, z.size), n, z.past, 0, z.size, nil)
		s.gather(s.v, apart(in[7], z.past, n, z.sizeV), n, z.past, 0, z.sizeV, nil)
	}
	s.gather(s.k, k, n, z.keys, z.past, z.size, biasK)
	s.gather(s.v, v, n, z.keys, z.past, z.sizeV, biasV)
	keep(c, 1, 0, s.k.data)
	keep(c, 2, 0, s.v.data)
	s.mask = mask[float32]{}
	if s.masked {
		s.pad.fill(c, &s.cached)
	}
	s.qk = nil
	if c.Wants(3) {
		s.qk = single.target(c, c.Out(3), s.atQK)
	}
	s.finish(c)
	if c.Wants(3) {
		single.store(c.Out(3), s.qk)
	}
	return nil
}

// beyond returns what lies n numbers on, nothing where there is less.
func beyond(list []float32, n int) []float32 { return list[min(n, len(list)):] }
