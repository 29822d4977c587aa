package index

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// ReverseSequence turns the first elements of each sequence of a batch around; its
// length says how many.
// https://onnx.ai/onnx/operators/onnx__ReverseSequence.html   Departures: none.
var ReverseSequence = op.Declare("", "ReverseSequence", func() op.Def {
	return op.Def{
		Versions: op.Versions{10: "", 28: "bfloat16"}, Attrs: op.Attrs(op.Int("batch_axis", 1), op.Int("time_axis", 0)),
		Shape: func(c *op.Infer) error {
			batch, time := c.Attr.Int("batch_axis"), c.Attr.Int("time_axis")
			if batch < 0 || batch > 1 || time < 0 || time > 1 || batch == time {
				return errs.New(errs.Argument, "batch_axis is %d and time_axis %d: one must be 0, the other 1", batch, time)
			}
			x, n := c.In(0), c.In(1)
			if len(x) < 2 || len(n) != 1 || n[0] != x[batch] {
				return errs.New(errs.Shape, "the input has shape %v, sequence_lens %v: at least two dimensions, and a length for each of dimension %d, are expected", x, n, batch)
			}
			return op.SameAsInput(c)
		},
		Prepare: func(c *op.Context) error {
			x := c.In(0).Shape
			s := &reversal{batch: x[1], time: x[0], batchStep: x[2:].Elements(), timeStep: x[1:].Elements(), inner: x[2:].Elements()}
			if c.Attr.Int("batch_axis") == 0 {
				s.batch, s.time, s.batchStep, s.timeStep = s.time, s.batch, s.timeStep, s.batchStep
			}
			c.State = s
			return nil
		},
		Run: func(c *op.Context) error {
			s := c.State.(*reversal)
			lengths, err := c.Ints(1)
			if err != nil {
				return err
			}
			for i, n := range lengths {
				if n < 0 || n > s.time {
					return errs.New(errs.Compute, "the length of sequence %d is %d: it must lie in [0, %d]", i, n, s.time)
				}
			}
			op.Row[reverseKernel](c)(s, lengths, c.Out(0), c.In(0))
			return nil
		},
		DTypes: op.ByWidth[reverseKernel](reverse[uint8], reverse[uint16], reverse[uint32], reverse[uint64], reverse[op.Bytes16], reverse[op.Bytes16]),
		Also:   map[int][]tensor.DType{1: {tensor.I64}},
	}
})

// reversal is the State: sizes and distances of the two axes, and the elements of
// one step of one sequence.
type reversal struct{ batch, time, batchStep, timeStep, inner int }

type reverseKernel func(s *reversal, lengths []int, out, in *tensor.View)

func reverse[T any](s *reversal, lengths []int, out, in *tensor.View) {
	dst, src := tensor.Elems[T](out), tensor.Elems[T](in)
	for b, n := range lengths {
		for t := range s.time {
			from := t
			if t < n {
				from = n - 1 - t
			}
			to, at := b*s.batchStep+t*s.timeStep, b*s.batchStep+from*s.timeStep
			copy(dst[to:to+s.inner], src[at:at+s.inner])
		}
	}
}
