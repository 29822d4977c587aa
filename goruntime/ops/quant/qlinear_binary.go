package quant

import (
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// QLinearAdd and QLinearMul compute with two quantized tensors that broadcast.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
// Departures: none. Numbers are added and multiplied in f32.
var (
	QLinearAdd = op.Declare(microsoft, "QLinearAdd", func() op.Def { return pairwise(vec.Plus) })
	QLinearMul = op.Declare(microsoft, "QLinearMul", func() op.Def { return pairwise(vec.Times) })
)

// paired is the State of an operator on two tensors. The numbers of a's codes (and for
// sums of b's too) are divided by the scale of the output.
type paired struct {
	dims            tensor.Shape // of the output; the last one is a row
	stepsA, stepsB  []int
	op              vec.Operation
	a, b, out       scaling
	dst, srcA, srcB []uint8
}

func pairwise(o vec.Operation) op.Def {
	return op.Def{
		Versions: op.Versions{1: ""}, Needs: []int{0, 1, 3, 4, 6},
		Shape: func(c *op.Infer) error {
			if err := singleScalings(c, 1, 2, 4, 5, 6, 7); err != nil {
				return err
			}
			out, err := op.BroadcastShape(c.Grow(0, c.DType(0), 0), c.In(0), c.In(3))
			if err != nil {
				return err
			}
			c.SetOutput(0, c.DType(0), out)
			return nil
		},
		Prepare: func(c *op.Context) error {
			s := &paired{op: o, dims: c.Out(0).Shape.Clone()}
			a, b := c.In(0).Shape, c.In(3).Shape
			if a.Equal(b) { // rows of any length will do
				n := a.Elements()
				s.dims = tensor.Shape{(n + unitLength - 1) / unitLength, unitLength}
				s.stepsA, s.stepsB = []int{unitLength, 1}, []int{unitLength, 1}
			} else {
				s.stepsA, s.stepsB = a.Strides(len(s.dims)), b.Strides(len(s.dims))
			}
			c.State = s
			return nil
		},
		Run: func(c *op.Context) error {
			s, d := c.State.(*paired), c.In(0).DType
			s.a, s.b, s.out = scalingOf(c, d, 1, 2), scalingOf(c, c.In(3).DType, 4, 5), scalingOf(c, d, 6, 7)
			s.a.scale /= s.out.scale
			if o == vec.Plus {
				s.b.scale /= s.out.scale
			}
			s.dst, s.srcA, s.srcB = c.Out(0).Raw(), c.In(0).Raw(), c.In(3).Raw()
			if len(s.dst) > 0 {
				rows := s.dims[:max(0, len(s.dims)-1)].Elements()
				c.For(rows, max(1, 32<<10/max(1, len(s.dst)/rows)), s)
			}
			return nil
		},
		DTypes: op.Uniform(struct{}{}, bytes...),
		Also:   alsoScaled([]int{2, 3, 5, 7}, 1, 4, 6),
	}
}

// Chunk implements op.Task over rows of the last dimension.
func (s *paired) Chunk(lo, hi int) {
	last := len(s.dims) - 1
	if last < 0 {
		s.row(s.dst, s.srcA, s.srcB, 0, 0)
		return
	}
	n := s.dims[last]
	for r := lo; r < hi; r++ {
		atA, atB, rest := 0, 0, r
		for d := last - 1; d >= 0; d-- {
			i := rest % s.dims[d]
			atA += i * s.stepsA[d]
			atB += i * s.stepsB[d]
			rest /= s.dims[d]
		}
		dst := s.dst[r*n : min(len(s.dst), (r+1)*n)]
		s.row(dst, s.srcA[atA:], s.srcB[atB:], s.stepsA[last], s.stepsB[last])
	}
}

// pairBlock is how many elements are numbers at a time.
const pairBlock = 512

// row computes elements side by side of a and b that lie so, or repeat.
func (s *paired) row(dst, a, b []uint8, stepA, stepB int) {
	var left, right [pairBlock]float32
	for len(dst) > 0 {
		n := min(pairBlock, len(dst))
		x, y := left[:n], right[:n]
		a = s.a.numbers(x, a, stepA)
		b = s.b.numbers(y, b, stepB)
		vec.Combine(s.op, x, x, y)
		s.out.codes(dst[:n], x)
		dst = dst[n:]
	}
}
