package attention

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Attention weighs values by how well their keys match the queries.
// https://onnx.ai/onnx/operators/onnx__Attention.html
// Departures: none. Everything is computed in f32, in f64 for f64, whatever
// softmax_precision says; a row that sees no key is 0.
var Attention = op.Declare("", "Attention", func() op.Def {
	return op.Def{
		Versions: op.Versions{23: "", 24: "nonpad_kv_seqlen", 25: "windows"},
		Attrs: op.Attrs(op.Int("is_causal", 0), op.Int("kv_num_heads", 0), op.Int("q_num_heads", 0), op.Int("qk_matmul_output_mode", 0),
			op.Optional("scale", op.KindFloat), op.Float("softcap", 0), op.Optional("softmax_precision", op.KindInt),
			op.Int("left_window_size", -1), op.Int("right_window_size", -1)),
		Shape: func(c *op.Infer) error {
			s, err := sizesOf(c)
			if err != nil {
				return err
			}
			if s.apart {
				c.SetOutput(0, c.DType(0), tensor.Shape{s.batch, s.heads, s.rows, s.sizeV})
			} else {
				c.SetOutput(0, c.DType(0), tensor.Shape{s.batch, s.rows, s.heads * s.sizeV})
			}
			c.SetOutput(1, c.DType(1), tensor.Shape{s.batch, s.kvHeads, s.past + s.keys, s.size})
			c.SetOutput(2, c.DType(2), tensor.Shape{s.batch, s.kvHeads, s.past + s.keys, s.sizeV})
			c.SetOutput(3, c.DType(0), tensor.Shape{s.batch, s.heads, s.rows, s.past + s.keys})
			return nil
		},
		Prepare: func(c *op.Context) error { return op.Row[attentionKernel](c).prepare(c) },
		Run:     func(c *op.Context) error { return op.Row[attentionKernel](c).run(c) },
		DTypes: op.ByType(map[tensor.DType]attentionKernel{
			tensor.F32: attentionIn(single, &singles), tensor.F16: attentionIn(single, &singles), tensor.BF16: attentionIn(single, &singles),
			tensor.F64: attentionIn(double, &doubles),
		}),
		Also: map[int][]tensor.DType{
			2: {tensor.F32, tensor.F64, tensor.F16, tensor.BF16}, 5: {tensor.F32, tensor.F64, tensor.F16, tensor.BF16},
			3: {
				tensor.Bool, tensor.F32, tensor.F64, tensor.F16, tensor.BF16, tensor.I8, tensor.I16, tensor.I32, tensor.I64,
				tensor.U8, tensor.U16, tensor.U32, tensor.U64,
			},
			6: {tensor.I64},
		},
	}
})

type attentionKernel struct{ prepare, run func(c *op.Context) error }

// attention is the State of an Attention.
type attention[T real] struct {
	sizes
	core[T]
	f                                       *format[T]
	atQ, atK, atV, atPastK, atPastV, atMask op.Part
	atAllK, atAllV, atY, atQK               op.Part
	atScratch, atPacked                     op.Part
}

func attentionIn[T real](f *format[T], kernel *products[T]) attentionKernel {
	return attentionKernel{
		prepare: func(c *op.Context) error {
			z, err := readSizes(shapesOf{c}, c.Attr)
			if err != nil {
				return err
			}
			s := &attention[T]{sizes: z, f: f}
			if err := s.settle(c, kernel); err != nil {
				return err
			}
			var r op.Room
			s.reserve(c, &r)
			r.Need(c)
			c.State = s
			return nil
		},
		run: func(c *op.Context) error { return c.State.(*attention[T]).compute(c) },
	}
}

// settle fills the core from sizes and attributes.
func (s *attention[T]) settle(c *op.Context, kernel *products[T]) error {
	a, k := c.Attr, &s.core
	k.batch, k.count, k.shared = s.sizes.batch, s.heads, max(1, s.heads/s.kvHeads)
	k.rows, k.keys, k.size, k.sizeV = s.sizes.rows, s.past+s.sizes.keys, s.sizes.size, s.sizes.sizeV
	k.scale = T(1 / math.Sqrt(float64(k.size)))
	if a.Has("scale") {
		k.scale = T(a.Float("scale"))
	}
	k.softcap, k.causal = T(a.Float("softcap")), a.Bool("is_causal")
	k.left, k.right = a.Int("left_window_size"), a.Int("right_window_size")
	mode := a.Int("qk_matmul_output_mode")
	if mode < 0 || mode > 3 {
		return errs.New(errs.Argument, "qk_matmul_output_mode is %d: it must lie in [0, 3]", mode)
	}
	if k.left < -1 || k.right < -1 {
		return errs.New(errs.Argument, "left_window_size is %d, right_window_size %d: they must be -1 or more", k.left, k.right)
	}
	k.show, k.kernel = exposed(mode), *kernel
	k.offset = make([]int, k.batch)
	if c.Has(6) {
		k.limit = make([]int, k.batch)
	}
	for b := range k.offset {
		k.offset[b] = s.past
	}
	return nil
}

// reserve adds the workspace to the room.
func (s *attention[T]) reserve(c *op.Context, r *op.Room) {
	f := s.f
	s.atQ, s.atK, s.atV = f.space(r, c.In(0)), f.space(r, c.In(1)), f.space(r, c.In(2))
	if c.Has(3) {
		s.atMask = f.space(r, c.In(3))
	}
	if c.Has(4) {
		s.atPastK, s.atPastV = f.space(r, c.In(4)), f.space(r, c.In(5))
		count := s.core.batch * s.kvHeads * s.core.keys
		s.atAllK, s.atAllV = r.Add(f.bytes*count*s.core.size), r.Add(f.bytes*count*s.core.sizeV)
	}
	s.atY = f.space(r, c.Out(0))
	if c.Wants(3) {
		s.atQK = f.space(r, c.Out(3))
	}
	s.atScratch, s.atPacked = s.core.plan(c, r, f.bytes)
}

func (s *attention[T]) compute(c *op.Context) error {
	k, f := &s.core, s.f
	if err := s.lengths(c); err != nil {
		return err
	}
	k.q = s.view(f.load(c, c.In(0), s.atQ), k.rows, k.count, k.size)
	keys, values := f.load(c, c.In(1), s.atK), f.load(c, c.In(2), s.atV)
	k.k, k.v = s.view(keys, s.sizes.keys, s.kvHeads, k.size), s.view(values, s.sizes.keys, s.kvHeads, k.sizeV)
	if c.Has(4) {
		k.k = s.join(f.load(c, c.In(4), s.atPastK), k.k, op.PartOf[T](c, s.atAllK), k.size)
		k.v = s.join(f.load(c, c.In(5), s.atPastV), k.v, op.PartOf[T](c, s.atAllV), k.sizeV)
	}
	s.present(c, 1, k.k, k.size)
	s.present(c, 2, k.v, k.sizeV)
	s.bindMask(c)
	y := f.target(c, c.Out(0), s.atY)
	k.y = s.view(y, k.rows, k.count, k.sizeV)
	k.qk = nil
	if c.Wants(3) {
		k.qk = f.target(c, c.Out(3), s.atQK)
	}
	k.scratch, k.packed = op.PartOf[T](c, s.atScratch), op.PartOf[T](c, s.atPacked)
	k.run(c)
	f.store(c.Out(0), y)
	if c.Wants(3) {
		f.store(c.Out(3), k.qk)
	}
	return nil
}

// view returns the steps of an operand.
func (s *attention[T]) view(data []T, rows, count, size int) heads[T] {
	if s.apart {
		return apart(data, rows, count, size)
	}
	return split(data, rows, count, size)
}

// lengths reads nonpad_kv_seqlen.
func (s *attention[T]) lengths(c *op.Context) error {
	if s.limit == nil {
		return nil
	}
	for b, n := range tensor.Elems[int64](c.In(6)) {
		if n < 0 || int(n) > s.core.keys {
			return errs.New(errs.Compute, "nonpad_kv_seqlen is %d: it must lie in [0, %d]", n, s.core.keys)
		}
		s.limit[b], s.offset[b] = int(n), int(n)-s.core.rows
	}
	return nil
}

// join puts the past rows [B, G, P, d] and the new ones behind each other.
func (s *attention[T]) join(past []T, now heads[T], all []T, size int) heads[T] {
	out := apart(all, s.core.keys, s.kvHeads, size)
	for b := range s.core.batch {
		for h := range s.kvHeads {
			copy(out.at(b, h, 0), past[(b*s.kvHeads+h)*s.past*size:][:s.past*size])
			for i := range s.sizes.keys {
				copy(out.at(b, h, s.past+i)[:size], now.at(b, h, i))
			}
		}
	}
	return out
}

// present writes the keys or values of all positions to an output.
func (s *attention[T]) present(c *op.Context, slot int, all heads[T], size int) {
	if !c.Wants(slot) {
		return
	}
	out, narrow := c.Out(slot), s.f.narrow[c.Out(slot).DType]
	at := 0
	for b := range s.core.batch {
		for h := range s.kvHeads {
			for i := range s.core.keys {
				narrow(out, at, all.at(b, h, i)[:size])
				at += size
			}
		}
	}
}

// bindMask reads the mask.
func (s *attention[T]) bindMask(c *op.Context) {
	m := &s.core.mask
	m.data = nil
	if !c.Has(3) {
		return
	}
	shape := c.In(3).Shape
	m.data = s.f.load(c, c.In(3), s.atMask)
	m.keys = shape[len(shape)-1]
	m.one = m.keys == 1 && s.core.keys > 1 && c.Version == 23
	steps, step := [...]*int{&m.row, &m.head, &m.batch}, m.keys
	for i := range steps {
		*steps[i] = 0
		if d := len(shape) - 2 - i; d >= 0 {
			if shape[d] > 1 {
				*steps[i] = step
			}
			step *= shape[d]
		}
	}
}
