package control

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Loop runs its body a number of times, or while a condition holds.
// https://onnx.ai/onnx/operators/onnx__Loop.html   Departures: none.
//
// An omitted condition is true throughout: what the body says of it is then
// ignored. Values that the body carries move from one iteration to the next by
// handle.
var Loop = op.Declare("", "Loop", func() op.Def {
	return op.Def{
		Versions: op.Versions{
			1: "", 11: "the shapes of carried values may change", 13: "sequences", 16: "optionals",
			19: "float8", 21: "4-bit types", 23: "float4e2m1", 24: "float8e8m0", 25: "2-bit types",
		},
		Attrs:    op.Attrs(op.Graph("body")),
		Control:  true,
		Computes: true,
		Run:      loopRun,
	}
})

// loop is what a Loop keeps from run to run: memory for its lists.
type loop struct {
	in, out []op.Held // of the body: iteration, condition, carried; condition, carried, scans
	keep    []int
	scans   []stack
}

func loopRun(c *op.Context) error {
	l, ok := c.State.(*loop)
	if !ok {
		l = &loop{}
		c.State = l
	}
	defer l.drop()
	if err := l.start(c); err != nil {
		return err
	}
	trips, more, err := l.limits(c)
	if err != nil {
		return err
	}
	for i := 0; i < trips && more; i++ {
		if more, err = l.iterate(c, i); err != nil {
			return err
		}
	}
	return l.finish(c)
}

// start holds the initial values of what is carried.
func (l *loop) start(c *op.Context) error {
	carried := max(0, c.Inputs()-2)
	inputs, outputs, err := c.Body("body")
	if err != nil {
		return err
	}
	if inputs != carried+2 || len(outputs) < carried+1 {
		return errs.New(errs.Model, "the body has %d inputs and %d outputs, the loop carries %d values: %d inputs and at least %d outputs expected",
			inputs, len(outputs), carried, carried+2, carried+1)
	}
	if l.in == nil {
		l.in, l.out = make([]op.Held, inputs), make([]op.Held, len(outputs))
		l.keep, l.scans = make([]int, len(outputs)), make([]stack, len(outputs)-carried-1)
		for k := range l.keep {
			l.keep[k] = -1
			if slot := k - 1; slot >= 0 && slot < carried && slot < c.Outputs() {
				l.keep[k] = slot
			}
		}
	}
	for k := range carried {
		if c.Has(k + 2) {
			c.HoldInput(k+2, &l.in[k+2])
		}
	}
	return nil
}

// limits returns the trip count and the initial condition.
func (l *loop) limits(c *op.Context) (trips int, more bool, err error) {
	trips, more = math.MaxInt, true
	if c.Has(0) {
		m, err := op.Scalar[int64](c, 0)
		if err != nil {
			return 0, false, err
		}
		trips = int(m)
	}
	if c.Has(1) {
		if more, err = op.Scalar[bool](c, 1); err != nil {
			return 0, false, err
		}
	}
	return trips, more, nil
}

// iterate runs the body once and reports whether the loop goes on.
func (l *loop) iterate(c *op.Context, i int) (bool, error) {
	if err := c.Stopped(); err != nil {
		return false, err
	}
	if err := scalar(c, &l.in[0], tensor.I64, int64(i)); err != nil {
		return false, err
	}
	if err := scalar(c, &l.in[1], tensor.Bool, true); err != nil {
		return false, err
	}
	if err := c.Call("body", l.in, l.out, l.keep); err != nil {
		return false, err
	}
	carried := len(l.in) - 2
	for k := range carried {
		l.in[k+2].Move(&l.out[k+1])
	}
	for k := range l.scans {
		if err := l.scans[k].push(c, &l.out[carried+1+k]); err != nil {
			return false, err
		}
	}
	if !c.Has(1) {
		return true, nil
	}
	if l.out[0].DType != tensor.Bool || l.out[0].Elements() != 1 {
		return false, errs.New(errs.Shape, "the body's condition is %v, a bool tensor with one element expected", &l.out[0].View)
	}
	return tensor.Elems[bool](&l.out[0].View)[0], nil
}

// scalar makes h a tensor of rank 0 with this value, in new memory where the body
// kept the last one.
func scalar[T any](c *op.Context, h *op.Held, dtype tensor.DType, x T) error {
	if h.Value == nil || !h.Value.Sole() {
		e, err := c.Element(dtype, nil)
		if err != nil {
			return err
		}
		h.Drop()
		h.View, h.Value = e.View, e
	}
	tensor.Elems[T](&h.View)[0] = x
	return nil
}

// finish makes what is carried, and what was collected, the outputs of the node.
func (l *loop) finish(c *op.Context) error {
	carried := len(l.in) - 2
	for k := range carried {
		if k < c.Outputs() {
			if err := c.Put(k, &l.in[k+2]); err != nil {
				return err
			}
		}
	}
	_, types, err := c.Body("body")
	if err != nil {
		return err
	}
	for k := range l.scans {
		if slot := carried + k; slot < c.Outputs() {
			if err := l.scans[k].put(c, slot, types[carried+1+k]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *loop) drop() {
	for i := range l.in {
		l.in[i].Drop()
	}
	for i := range l.out {
		l.out[i].Drop()
	}
	for i := range l.scans {
		l.scans[i].drop()
	}
}
