package quant

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// QLinearConcat joins quantized tensors along an axis, each brought to the scale
// and the zero point of the output. The inputs are those of Y, then tensor,
// scale and zero point of each.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QLinearConcat
// Departures: none.
var QLinearConcat = op.Declare(microsoft, "QLinearConcat", func() op.Def {
	return op.Def{
		Versions: op.Versions{1: ""}, Needs: []int{0, 1, 2, 3},
		Attrs: op.Attrs(op.Required("axis", op.KindInt)),
		Shape: func(c *op.Infer) error {
			if c.Inputs() < 5 || c.Inputs()%3 != 2 {
				return errs.New(errs.Model, "%d inputs given: two and three for each tensor expected", c.Inputs())
			}
			for k := range c.Inputs() {
				if !c.Has(k) {
					return errs.New(errs.Model, "the input number %d is required and missing", k)
				}
			}
			first := c.In(2)
			axis, err := c.Axis("axis", len(first))
			if err != nil {
				return err
			}
			out := c.Grow(0, c.DType(1), len(first))
			copy(out, first)
			for k := 2; k < c.Inputs(); k += 3 {
				s := c.In(k)
				if c.DType(k) != c.DType(1) || c.DType(k+1) != tensor.F32 || c.DType(k+2) != c.DType(1) {
					return errs.New(errs.Type, "inputs %d to %d are %v, %v and %v: %v, f32 and %v expected", k, k+2, c.DType(k), c.DType(k+1), c.DType(k+2), c.DType(1), c.DType(1))
				}
				if err := singleScalings(c, k+1, k+2); err != nil {
					return err
				}
				if len(s) != len(first) || !s[:axis].Equal(first[:axis]) || !s[axis+1:].Equal(first[axis+1:]) {
					return errs.New(errs.Shape, "input %d has shape %v, input 2 has shape %v: they may differ in axis %d only", k, s, first, axis)
				}
				if k > 2 {
					out[axis] += s[axis]
				}
			}
			return singleScalings(c, 0, 1)
		},
		Prepare: func(c *op.Context) error {
			out := c.Out(0).Shape
			axis, err := tensor.Axis(c.Attr.Int("axis"), len(out))
			if err != nil {
				return err
			}
			s := &joining{rows: out[:axis].Elements(), step: out[axis:].Elements(), parts: make([]joined, c.Inputs()/3)}
			at := 0
			for k := range s.parts {
				n := c.In(2 + 3*k).Shape[axis:].Elements()
				s.parts[k].at, s.parts[k].n = at, n
				at += n
			}
			c.State = s
			return nil
		},
		Run: func(c *op.Context) error {
			s := c.State.(*joining)
			out := scalingOf(c, c.In(1).DType, 0, 1)
			for k := range s.parts {
				p := &s.parts[k]
				in := scalingOf(c, c.In(2+3*k).DType, 3+3*k, 4+3*k)
				for i := range p.table {
					p.table[i] = out.code(in.value(uint8(i)) / out.scale)
				}
				p.same, p.data = in == out, c.In(2+3*k).Raw()
			}
			s.y = c.Out(0).Raw()
			c.For(s.rows, max(1, 64<<10/max(1, s.step)), s)
			return nil
		},
		DTypes: op.Uniform(struct{}{}, bytes...),
		Key:    1,
		Also:   map[int][]tensor.DType{0: {tensor.F32}},
	}
})

// joining is the State of a QLinearConcat: rows of step bytes, made of parts.
type joining struct {
	rows, step int
	parts      []joined
	y          []uint8
}

// joined is n bytes of each row from at on, mapped unless same is set.
type joined struct {
	at, n int
	same  bool
	table [256]uint8
	data  []uint8
}

// Chunk implements op.Task over rows.
func (s *joining) Chunk(lo, hi int) {
	for k := range s.parts {
		p := &s.parts[k]
		for r := lo; r < hi; r++ {
			dst, src := s.y[r*s.step+p.at:][:p.n], p.data[r*p.n:(r+1)*p.n]
			if p.same {
				copy(dst, src)
				continue
			}
			for i, v := range src {
				dst[i] = p.table[v]
			}
		}
	}
}
