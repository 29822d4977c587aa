// Package training holds the operators of the ai.onnx.preview.training domain that
// improve parameters by their gradients.
package training

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Domain is the domain of the operators in this package.
const Domain = "ai.onnx.preview.training"

// number is what parameters are.
type number interface{ float32 | float64 }

// optimizer is the State: parameters are improved one tensor after the other, each
// with its gradient and one or two states.
type optimizer[T number] struct {
	rule             rule[T]
	settings         settings
	r                T // the rate of this run
	x, g, v, h       []T
	newX, newV, newH []T // nil where the node has none
}

// settings are the attributes that the rules read, the learning rate and the number
// of updates so far.
type settings struct {
	alpha, beta, epsilon, norm, post, decay float32
	nesterov                                bool
	rate                                    float64
	count                                   int64
}

// rule is an optimizer: it reads its attributes, sets the rate of a run and computes
// the elements [lo, hi) of new parameters and states.
type rule[T number] struct {
	read  func(s *settings, a *op.Values) error
	begin func(o *optimizer[T])
	step  func(o *optimizer[T], lo, hi int)
}

// Chunk implements op.Task over the elements of a parameter.
func (o *optimizer[T]) Chunk(lo, hi int) { o.rule.step(o, lo, hi) }

// improver prepares and runs for one element type.
type improver struct {
	prepare func(c *op.Context) error
	run     func(c *op.Context, states int) error
}

// declare declares an optimizer whose inputs are R, T, then for n parameters the
// parameters, their gradients and so many lists of states; its outputs are the new
// parameters and states.
func declare(states int, attrs []op.Attr, single rule[float32], double rule[float64]) op.Def {
	return op.Def{
		Versions: op.Versions{1: ""}, Attrs: attrs, Key: 2,
		Shape:   func(c *op.Infer) error { return improvedShape(c, states) },
		Prepare: func(c *op.Context) error { return op.Row[improver](c).prepare(c) },
		Run:     func(c *op.Context) error { return op.Row[improver](c).run(c, states) },
		DTypes:  op.ByType(map[tensor.DType]improver{tensor.F32: improverOf(single), tensor.F64: improverOf(double)}),
		Also:    map[int][]tensor.DType{0: {tensor.F32, tensor.F64}, 1: {tensor.I64}},
	}
}

func improvedShape(c *op.Infer, states int) error {
	lists := states + 2
	n := (c.Inputs() - 2) / lists
	if c.Inputs() != 2+n*lists || n == 0 || c.Outputs() > n*(states+1) {
		return errs.New(errs.Model, "%d inputs and %d outputs given: a rate, a count, and for each parameter %d inputs and up to %d outputs are expected", c.Inputs(), c.Outputs(), lists, states+1)
	}
	for i := range n {
		for k := range lists {
			at := 2 + k*n + i
			if !c.Has(at) || !c.In(at).Equal(c.In(2+i)) || c.DType(at) != c.DType(2+i) {
				return errs.New(errs.Shape, "input %d is missing or not like parameter %d, which has shape %v", at, i, c.In(2+i))
			}
		}
		for k := range states + 1 {
			c.SetOutput(k*n+i, c.DType(2), c.In(2+i))
		}
	}
	return nil
}

func improverOf[T number](r rule[T]) improver {
	return improver{
		prepare: func(c *op.Context) error {
			o := &optimizer[T]{rule: r}
			c.State = o
			return r.read(&o.settings, c.Attr)
		},
		run: func(c *op.Context, states int) error { return c.State.(*optimizer[T]).run(c, states) },
	}
}

// rates read R.
var rates = [tensor.NumDTypes]func(*tensor.View) float64{
	tensor.F32: func(v *tensor.View) float64 { return float64(tensor.Elems[float32](v)[0]) },
	tensor.F64: func(v *tensor.View) float64 { return tensor.Elems[float64](v)[0] },
}

func (o *optimizer[T]) run(c *op.Context, states int) error {
	for i := range 2 {
		if n := c.In(i).Elements(); n != 1 {
			return errs.New(errs.Shape, "input %d has %d elements, one expected", i, n)
		}
	}
	o.settings.rate, o.settings.count = rates[c.In(0).DType](c.In(0)), tensor.Elems[int64](c.In(1))[0]
	o.rule.begin(o)
	n := (c.Inputs() - 2) / (states + 2)
	for i := range n {
		o.x, o.g, o.v = tensor.Elems[T](c.In(2+i)), tensor.Elems[T](c.In(2+n+i)), tensor.Elems[T](c.In(2+2*n+i))
		o.newX, o.newV, o.newH = wanted[T](c, i), wanted[T](c, n+i), nil
		if states == 2 {
			o.h, o.newH = tensor.Elems[T](c.In(2+3*n+i)), wanted[T](c, 2*n+i)
		}
		c.For(len(o.x), 8<<10, o)
	}
	return nil
}

// wanted returns the elements of an output, nil where the node has none.
func wanted[T any](c *op.Context, i int) []T {
	if !c.Wants(i) {
		return nil
	}
	return tensor.Elems[T](c.Out(i))
}

// put writes an element of an output that is wanted.
func put[T number](out []T, i int, x T) {
	if out != nil {
		out[i] = x
	}
}
