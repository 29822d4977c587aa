package random

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// draw is the State of an operator whose elements are drawn one by one.
type draw struct {
	stream stream
	a, b   float32 // low and high, or mean and scale
	kernel drawKernel
	out    *tensor.View
}

// drawKernel draws the elements [lo, hi).
type drawKernel func(d *draw, lo, hi int)

// drawGrain is how many elements make a chunk worth handing out.
const drawGrain = 4096

// Chunk implements op.Task over the elements.
func (d *draw) Chunk(lo, hi int) { d.kernel(d, lo, hi) }

// drawing declares an operator that draws each element by two parameters, of a
// shape of its own or, for the operators called Like, of the input's.
func drawing(like bool, first, second op.Attr, table op.Table) op.Def {
	def := op.Def{
		Versions: op.Versions{1: "", 22: "bfloat16"}, Random: true, Key: op.KeyOutput, DTypes: table,
		Attrs: op.Attrs(first, second, op.Optional("seed", op.KindFloat)),
		Prepare: func(c *op.Context) error {
			c.State = &draw{a: c.Attr.Float(first.Name), b: c.Attr.Float(second.Name)}
			return nil
		},
		Run: func(c *op.Context) error {
			d := c.State.(*draw)
			d.stream, d.kernel, d.out = streamOf(c.Attr), op.Row[drawKernel](c), c.Out(0)
			c.For(d.out.Elements(), drawGrain, d)
			return nil
		},
	}
	if like {
		def.Attrs = append(def.Attrs, op.Optional("dtype", op.KindInt))
		def.Shape = likeShape
	} else {
		def.Attrs = append(def.Attrs, op.Int("dtype", int(tensor.F32)), op.Required("shape", op.KindInts))
		def.Shape = func(c *op.Infer) error {
			d, err := dtypeOf(c.Attr, tensor.F32)
			if err != nil {
				return err
			}
			c.SetOutput(0, d, c.Attr.Ints("shape"))
			_, err = tensor.Shape(c.Attr.Ints("shape")).Check(d)
			return err
		}
	}
	return def
}

// likeShape is the shape of the input, with its type or that of the attribute.
func likeShape(c *op.Infer) error {
	d, err := dtypeOf(c.Attr, c.DType(0))
	c.SetOutput(0, d, c.In(0))
	return err
}

// dtypeOf returns the type that the attribute names, or another where it is not
// set.
func dtypeOf(a *op.Values, or tensor.DType) (tensor.DType, error) {
	if !a.Has("dtype") {
		return or, nil
	}
	d := a.Int("dtype")
	if d <= 0 || d >= tensor.NumDTypes {
		return or, errs.New(errs.Argument, "dtype is %d, which is no element type", d)
	}
	return tensor.DType(d), nil
}
