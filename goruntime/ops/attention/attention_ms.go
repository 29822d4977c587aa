package attention

import (
	"math"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/gemm"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// AttentionMS is Attention of the domain com.microsoft: it projects its input to
// queries, keys and values itself.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.Attention
// Departures: no past_sequence_length (a buffer shared between past and present),
// no do_rotary, no mask of four dimensions.
var AttentionMS = op.Declare(microsoft, "Attention", func() op.Def {
	return op.Def{
		Versions: op.Versions{1: ""}, Needs: []int{0, 1},
		Attrs: op.Attrs(op.Required("num_heads", op.KindInt), op.Float("mask_filter_value", -10000), op.Optional("scale", op.KindFloat), op.Int("unidirectional", 0),
			op.Ints("qkv_hidden_sizes"), op.Int("do_rotary", 0), op.Int("rotary_embedding_dim", 0), op.Int("past_present_share_buffer", 0)),
		Shape: func(c *op.Infer) error {
			s, err := projectedSizes(c, c.Attr)
			if err != nil {
				return err
			}
			c.SetOutput(0, c.DType(0), tensor.Shape{s.batch, s.rows, s.heads * s.sizeV})
			c.SetOutput(1, c.DType(0), tensor.Shape{2, s.batch, s.heads, s.past + s.keys, s.size})
			return nil
		},
		Prepare: projectedPrepare,
		Run:     projectedRun,
		DTypes:  op.Uniform(struct{}{}, floatTypes...),
		Also:    map[int][]tensor.DType{1: floatTypes, 2: floatTypes, 3: {tensor.I32}, 4: floatTypes, 5: floatTypes, 6: {tensor.I32}},
	}
})

func projectedSizes(c shapes, a *op.Values) (s sizes, err error) {
	x, w, n := c.In(0), c.In(1), a.Int("num_heads")
	if c.Has(6) || a.Bool("do_rotary") || a.Bool("past_present_share_buffer") {
		return s, errs.New(errs.Unsupported, "past_sequence_length, do_rotary and past_present_share_buffer are not supported")
	}
	if len(x) != 3 || len(w) != 2 || w[0] != x[2] {
		return s, errs.New(errs.Shape, "input has shape %v, weights %v: [B, L, D] and [D, ...] expected", x, w)
	}
	hidden := a.Ints("qkv_hidden_sizes")
	if hidden == nil {
		hidden = []int{w[1] / 3, w[1] / 3, w[1] / 3}
	}
	if n <= 0 || len(hidden) != 3 || hidden[0] != hidden[1] || hidden[0]%n != 0 || hidden[2]%n != 0 || hidden[0]+hidden[1]+hidden[2] != w[1] {
		return s, errs.New(errs.Shape, "weights have shape %v, num_heads is %d, qkv_hidden_sizes %v: multiples of num_heads that add up to %d expected", w, n, hidden, w[1])
	}
	s.batch, s.rows, s.keys, s.heads, s.kvHeads, s.size, s.sizeV = x[0], x[1], x[1], n, n, hidden[0]/n, hidden[2]/n
	if c.Has(2) && !c.In(2).Equal(w[1:]) {
		return s, errs.New(errs.Shape, "the bias has shape %v, [%d] expected", c.In(2), w[1])
	}
	if c.Has(4) {
		p := c.In(4)
		if len(p) != 5 || s.size != s.sizeV || !p.Equal(tensor.Shape{2, s.batch, n, p[3], s.size}) {
			return s, errs.New(errs.Shape, "past has shape %v: [2, %d, %d, P, %d] expected", p, s.batch, n, s.size)
		}
		s.past = p[3]
	}
	return s, checkPadding(c, 3, 5, s)
}

// projected is the State of an AttentionMS.
type projected struct {
	cached
	z       sizes
	at      [6]op.Part
	atQKV   op.Part
	pad     paddingMask
	masked  bool
	project projection
	panels  unsafe.Pointer
}

// projection is the product of the input with the weights; it implements
// op.Task over panels of columns.
type projection struct{ args gemm.Args }

// Chunk computes panels of columns.
func (p *projection) Chunk(lo, hi int) {
	gemm.Run(&p.args, 0, p.args.M, lo*gemm.Panel, min(p.args.N, hi*gemm.Panel))
}

func projectedPrepare(c *op.Context) error {
	z, err := projectedSizes(shapesOf{c}, c.Attr)
	if err != nil {
		return err
	}
	s := &projected{z: z, pad: paddingMask{input: 3, bias: 5, filter: c.Attr.Float("mask_filter_value")}}
	s.core = core[float32]{
		batch: z.batch, count: z.heads, shared: 1, rows: z.rows, keys: z.past + z.keys, size: z.size, sizeV: z.sizeV,
		scale: float32(1 / math.Sqrt(float64(z.size))), causal: c.Attr.Bool("unidirectional"), left: -1, right: -1, kernel: singles,
		offset: make([]int, z.batch),
	}
	if v := c.Attr.Float("scale"); c.Attr.Has("scale") && v != 0 {
		s.scale = v
	}
	for b := range s.offset {
		s.offset[b] = z.past
	}
	var r op.Room
	for i := range s.at {
		if i != 3 && i != 5 {
			s.at[i] = operand(c, &r, i)
		}
	}
	w := c.In(1).Shape
	s.atQKV = r.Add(4 * z.batch * z.rows * w[1])
	s.reserve(c, &r)
	s.masked = s.pad.plan(c, &r, &s.cached)
	r.Need(c)
	c.State = s
	s.project.args = gemm.Args{M: z.batch * z.rows, N: w[1], K: w[0], LDA: w[0], LDB: w[1], LDC: w[1]}
	if c.Constant(1) && c.In(1).DType == tensor.F32 && w[1] > 1 {
		return s.pack(c)
	}
	return nil
}

// pack puts constant weights into panels, once a session.
func (s *projected) pack(c *op.Context) error {
	v, err := c.Value(1)
	if err != nil {
		return err
	}
	g := &s.project.args
	n := gemm.PackedSize(g.K, g.N)
	mem, err := c.Pack(1, "gemm.panels", 4*n, func(dst []byte) error {
		// SAFETY: dst is 64-byte aligned and holds n float32s.
		gemm.PackB(unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(dst))), n), tensor.Elems[float32](v), g.K, g.N, g.N, 1)
		return nil
	})
	s.panels = unsafe.Pointer(unsafe.SliceData(mem))
	return err
}

func projectedRun(c *op.Context) error {
	s := c.State.(*projected)
	z, g, n := &s.z, &s.project.args, s.z.heads
	qkv := s.atQKV.Floats(c)
	g.A, g.C, g.Start = first(loaded(c, 0, s.at[0])), first(qkv), gemm.Zero
	if c.Has(2) {
		g.Start, g.Bias = gemm.Columns, first(loaded(c, 2, s.at[2]))
	}
	if g.B, g.LDB = s.panels, 0; s.panels == nil {
		g.B, g.LDB = first(loaded(c, 1, s.at[1])), g.N
	}
	if g.M > 0 && g.N > 0 {
		c.For((g.N+gemm.Panel-1)/gemm.Panel, max(1, 1<<20/max(1, g.M*g.K*gemm.Panel)), &s.project)
	}
	view := func(at, size int) heads[float32] { return heads[float32]{beyond(qkv, at), z.rows * g.N, size, g.N} }
	s.q = view(0, z.size)
	if c.Wants(1) && z.size != z.sizeV {
		return errs.New(errs.Shape, "keys have %d numbers a head, values %d: present needs as many", z.size, z.sizeV)
	}
	all := z.batch * n * s.keys * z.size
	s.k, s.v = apart(room(c, 1, 0, all, s.atAll), s.keys, n, z.size), apart(s.atAllV.Floats(c), s.keys, n, z.sizeV)
	if c.Wants(1) {
		s.v.data = room(c, 1, all, all, s.atAllV)
	}
	if z.past > 0 {
		past := loaded(c, 4, s.at[4])
		s.gather(s.k, apart(past, z.past, n, z.size), n, z.past, 0, z.size, nil)
		s.gather(s.v, apart(past[len(past)/2:], z.past, n, z.sizeV), n, z.past, 0, z.sizeV, nil)
	}
	s.gather(s.k, view(n*z.size, z.size), n, z.keys, z.past, z.size, nil)
	s.gather(s.v, view(2*n*z.size, z.sizeV), n, z.keys, z.past, z.sizeV, nil)
	keep(c, 1, 0, s.k.data)
	keep(c, 1, all, s.v.data)
	s.mask = mask[float32]{}
	if s.masked {
		s.pad.fill(c, &s.cached)
	}
	s.finish(c)
	return nil
}
