package op

import (
	"errors"
	"fmt"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// ErrNeedsValue is what a shape rule returns where the value of an input that
// it needs is not known before the run. exec then asks again during the run.
var ErrNeedsValue = errors.New("the shape depends on a value that is not known yet")

// Infer is what a shape rule sees: the complete dtypes and shapes of the
// inputs, the values of those inputs that are known, and the attributes.
//
// Ownership: valid during the call of the rule. Shapes returned by In are
// borrowed and not to be written.
type Infer struct {
	Attr    *Values
	Version int // the since_version of the node's schema
	Opset   int // the opset that the model imports for the node's domain
	in      []*tensor.View
	known   []bool // nil: all values are known
	out     []tensor.View
	scratch scratch
	asked   bool // the rule asked for the value of an input
}

// Inputs returns the number of inputs that the node lists, omitted ones too.
func (c *Infer) Inputs() int { return len(c.in) }

// Outputs returns the number of outputs that the node lists.
func (c *Infer) Outputs() int { return len(c.out) }

// Has reports whether input i is given.
func (c *Infer) Has(i int) bool { return i < len(c.in) && c.in[i] != nil }

// In returns the shape of input i, which must be given (see Has).
func (c *Infer) In(i int) tensor.Shape { return c.in[i].Shape }

// DType returns the element type of input i, which must be given.
func (c *Infer) DType(i int) tensor.DType { return c.in[i].DType }

// View returns input i with its value, or ErrNeedsValue.
func (c *Infer) View(i int) (*tensor.View, error) {
	c.asked = true
	if c.known != nil && !c.known[i] {
		return nil, ErrNeedsValue
	}
	return c.in[i], nil
}

// Ints returns the elements of the integer input i as ints, or ErrNeedsValue.
// The slice is valid during the rule.
func (c *Infer) Ints(i int) ([]int, error) {
	v, err := c.View(i)
	if err != nil {
		return nil, err
	}
	s, err := c.scratch.read(i, v, AppendInts)
	if err != nil {
		return nil, errs.At(err, "", "", fmt.Sprintf("input %d", i))
	}
	return s, nil
}

// SetOutput fixes output i, if the node has one: its dtype and its shape, of
// which a copy is taken.
func (c *Infer) SetOutput(i int, dtype tensor.DType, shape tensor.Shape) {
	if i < len(c.out) {
		o := &c.out[i]
		o.DType = dtype
		o.Shape = append(o.Shape[:0], shape...)
	}
}

// Grow returns output i's own shape memory with length n, to fill in place:
// a rule that uses it allocates nothing from its second call on.
func (c *Infer) Grow(i int, dtype tensor.DType, n int) tensor.Shape {
	o := &c.out[i]
	o.DType = dtype
	if cap(o.Shape) < n {
		o.Shape = make(tensor.Shape, n)
	}
	o.Shape = o.Shape[:n]
	return o.Shape
}

// Axis returns the attribute name made non-negative for a tensor of this rank.
func (c *Infer) Axis(name string, rank int) (int, error) {
	return tensor.Axis(c.Attr.Int(name), rank)
}

// SameAsInput is the shape rule of operators whose output 0 has the dtype and
// shape of input 0.
func SameAsInput(c *Infer) error {
	c.SetOutput(0, c.DType(0), c.In(0))
	return nil
}

// BroadcastShape appends to dst the shape that a and b broadcast to
// multidirectionally (ONNX "Broadcasting", the rule of NumPy).
func BroadcastShape(dst, a, b tensor.Shape) (tensor.Shape, error) {
	if len(a) < len(b) {
		a, b = b, a
	}
	lead := len(a) - len(b)
	dst = append(dst, a...)
	for i, d := range b {
		switch e := &dst[len(dst)-len(b)+i]; {
		case *e == d || d == 1:
		case *e == 1:
			*e = d
		default:
			return dst, errs.New(errs.Shape, "shapes %v and %v do not broadcast: dimension %d is %d and %d; they must be equal or one of them 1",
				a, b, lead+i, *e, d)
		}
	}
	return dst, nil
}
