package quant

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/igemm"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// What the elementwise operators on quantized bytes share. Bytes are looked up
// by their bits, signed ones too: a table has the numbers of all 256 codes.

const microsoft = "com.microsoft"

// scaling is the scale and the zero point of a tensor of bytes.
type scaling struct {
	scale, zero float32
	signed      bool
}

// scalingOf reads a scale and a zero point, 0 where it is omitted, of a tensor of
// type d.
func scalingOf(c *op.Context, d tensor.DType, scale, zero int) scaling {
	s := scaling{scale: tensor.Elems[float32](c.In(scale))[0], signed: d == tensor.I8}
	if c.Has(zero) {
		s.zero = float32(readers[c.In(zero).DType](c.In(zero), 0))
	}
	return s
}

// value is the number that a code stands for.
func (s scaling) value(code uint8) float32 {
	if s.signed {
		return (float32(int8(code)) - s.zero) * s.scale
	}
	return (float32(code) - s.zero) * s.scale
}

// code is the code nearest to q times the scale.
func (s scaling) code(q float32) uint8 {
	if s.signed {
		return uint8(int8(igemm.Saturate(q, -128-s.zero, 127-s.zero) + s.zero))
	}
	return uint8(igemm.Saturate(q, -s.zero, 255-s.zero) + s.zero)
}

// numbers writes what codes that lie step apart stand for, and returns those behind them.
func (s scaling) numbers(dst []float32, from []uint8, step int) []uint8 {
	if step != 1 {
		for i := range dst {
			dst[i] = s.value(from[i*step])
		}
		return from[min(len(from), step*len(dst)):]
	}
	if from := from[:len(dst)]; s.signed {
		igemm.Dequantize(dst, igemm.Int8s(from), s.scale, int8(s.zero))
	} else {
		igemm.Dequantize(dst, from, s.scale, uint8(s.zero))
	}
	return from[len(dst):]
}

// codes writes the codes nearest to multiples of the scale.
func (s scaling) codes(dst []uint8, x []float32) {
	if s.signed {
		igemm.Quantize(igemm.Int8s(dst), x, 1, int8(s.zero))
	} else {
		igemm.Quantize(dst, x, 1, uint8(s.zero))
	}
}

// singleScalings refuses scales and zero points of more than one number.
func singleScalings(c *op.Infer, inputs ...int) error {
	for _, i := range inputs {
		if c.Has(i) && c.In(i).Elements() != 1 {
			return errs.New(errs.Shape, "input %d has shape %v: one number expected", i, c.In(i))
		}
	}
	return nil
}

// alsoScaled lists the types of the inputs of an operator on bytes: those that
// are scales, and others.
func alsoScaled(others []int, scales ...int) map[int][]tensor.DType {
	m := map[int][]tensor.DType{}
	for _, i := range scales {
		m[i] = []tensor.DType{tensor.F32}
	}
	for _, i := range others {
		m[i] = bytes
	}
	return m
}

// curve declares an operator that maps each byte by a function of its number;
// its inputs are X, its scale and zero point, and those of Y.
func curve(f func(x, alpha float32) float32, attrs ...op.Attr) op.Def {
	return op.Def{
		Versions: op.Versions{1: ""}, Needs: []int{0, 1, 3}, Attrs: attrs, InPlace: op.FirstOnly,
		Shape: func(c *op.Infer) error {
			if err := singleScalings(c, 1, 2, 3, 4); err != nil {
				return err
			}
			return op.SameAsInput(c)
		},
		Prepare: func(c *op.Context) error {
			s := &mapped{f: f}
			if len(attrs) > 0 {
				s.alpha = c.Attr.Float(attrs[0].Name)
			}
			c.State = s
			return nil
		},
		Run: func(c *op.Context) error {
			s := c.State.(*mapped)
			x, y := scalingOf(c, c.In(0).DType, 1, 2), scalingOf(c, c.In(0).DType, 3, 4)
			for i := range s.table {
				s.table[i] = y.code(s.f(x.value(uint8(i)), s.alpha) / y.scale)
			}
			s.x, s.y = c.In(0).Raw(), c.Out(0).Raw()
			c.For(len(s.x), 64<<10, s)
			return nil
		},
		DTypes: op.Uniform(struct{}{}, bytes...),
		Also:   alsoScaled([]int{2, 4}, 1, 3),
	}
}

// mapped is the State of an operator that maps bytes.
type mapped struct {
	f     func(x, alpha float32) float32
	alpha float32
	table [256]uint8
	x, y  []uint8
}

// Chunk implements op.Task over the elements.
func (s *mapped) Chunk(lo, hi int) {
	for i, v := range s.x[lo:hi] {
		s.y[lo+i] = s.table[v]
	}
}
