package text

import (
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// StringConcat joins the strings of two broadcast tensors, one by one.
// https://onnx.ai/onnx/operators/onnx__StringConcat.html   Departures: none.
var StringConcat = op.Declare("", "StringConcat", func() op.Def {
	return op.Def{
		Versions: op.Versions{20: ""},
		Shape: func(c *op.Infer) error {
			out, err := op.BroadcastShape(c.Grow(0, tensor.Str, 0), c.In(0), c.In(1))
			c.SetOutput(0, tensor.Str, out)
			return err
		},
		Prepare: func(c *op.Context) error {
			out := c.Out(0).Shape
			c.State = &joining{dims: out, left: c.In(0).Shape.Strides(len(out)), right: c.In(1).Shape.Strides(len(out))}
			return nil
		},
		Run:    func(c *op.Context) error { return c.State.(*joining).run(c) },
		DTypes: op.Uniform(struct{}{}, tensor.Str),
	}
})

// joining is the State: the output's dimensions and the distances of the inputs'
// elements along them.
type joining struct {
	dims        tensor.Shape
	left, right []int
}

// at returns where the elements of output i lie in the inputs.
func (j *joining) at(i int) (left, right int) {
	for k := len(j.dims) - 1; k >= 0; k-- {
		x := i % j.dims[k]
		i /= j.dims[k]
		left += x * j.left[k]
		right += x * j.right[k]
	}
	return left, right
}

func (j *joining) run(c *op.Context) error {
	a, b, out := tensor.Elems[string](c.In(0)), tensor.Elems[string](c.In(1)), tensor.Elems[tensor.Text](c.Out(0))
	total := 0
	for i := range out {
		x, y := j.at(i)
		total += len(a[x]) + len(b[y])
	}
	room, err := c.Text(0, total)
	if err != nil {
		return err
	}
	for i := range out {
		x, y := j.at(i)
		n := copy(room, a[x])
		n += copy(room[n:], b[y])
		out[i] = tensor.TextOf(room[:n])
		room = room[n:]
	}
	return nil
}
