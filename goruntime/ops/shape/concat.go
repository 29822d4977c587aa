package shape

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Concat joins tensors along one axis.
// https://onnx.ai/onnx/operators/onnx__Concat.html   Departures: none.
var Concat = op.Declare(op.Def{
	Name:     "Concat",
	Versions: op.Versions{4: "axis is required", 11: "negative axes", 13: "bfloat16"},
	Attrs:    op.Attrs(op.Required("axis", op.KindInt)),
	Shape:    concatShape,
	Run:      concatRun,
	DTypes:   concatRows,
})

// Concat1 is Concat before version 4, whose axis has a default.
var Concat1 = op.Declare(op.Def{
	Name:     "Concat",
	Versions: op.Versions{1: "axis has a default"},
	Attrs:    op.Attrs(op.Int("axis", 1)),
	Shape:    concatShape,
	Run:      concatRun,
	DTypes:   concatRows,
})

func concatShape(c *op.Infer) error {
	first := c.In(0)
	axis, err := c.Axis("axis", len(first))
	if err != nil {
		return err
	}
	out := c.Grow(0, c.DType(0), len(first))
	copy(out, first)
	for k := 1; k < c.Inputs(); k++ {
		s := c.In(k)
		if c.DType(k) != c.DType(0) {
			return errs.New(errs.Type, "input %d is %v, input 0 is %v: all must be alike", k, c.DType(k), c.DType(0))
		}
		if len(s) != len(first) {
			return errs.New(errs.Shape, "input %d has shape %v, input 0 has shape %v: the ranks must be equal", k, s, first)
		}
		for i, d := range s {
			if i != axis && d != first[i] {
				return errs.New(errs.Shape, "input %d has shape %v, input 0 has shape %v: they may differ in axis %d only", k, s, first, axis)
			}
		}
		out[axis] += s[axis]
	}
	return nil
}

type concatKernel func(c *op.Context, axis int)

var concatRows = op.ByWidth[concatKernel](concat[uint8], concat[uint16], concat[uint32], concat[uint64], concat[op.Bytes16], concat[string])

func concatRun(c *op.Context) error {
	axis, err := tensor.Axis(c.Attr.Int("axis"), len(c.Out(0).Shape))
	if err != nil {
		return err
	}
	op.Row[concatKernel](c)(c, axis)
	return nil
}

// concat copies, for each input, its blocks of dims [axis...] into the blocks
// of the output.
func concat[T any](c *op.Context, axis int) {
	shape := c.Out(0).Shape
	outer, block := shape[:axis].Elements(), shape[axis:].Elements()
	out := tensor.Elems[T](c.Out(0))
	at := 0
	for k := range c.Inputs() {
		in := c.In(k)
		n := in.Shape[axis:].Elements()
		src := tensor.Elems[T](in)
		for o := range outer {
			copy(out[o*block+at:], src[o*n:(o+1)*n])
		}
		at += n
	}
}
