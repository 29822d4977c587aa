package op

import (
	"errors"
	"unsafe" //lint:allow unsafe exec gives memory by address

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Bind is exec's side of a Context: the fields that operators must not set.
type Bind struct {
	Runtime  Runtime
	In       []*tensor.View
	Out      []*tensor.View
	Constant []bool
	Tail     *Tail // nil where no chain follows the node
}

// Bind points c at a node's tensors.
func (c *Context) Bind(b Bind) {
	c.rt, c.in, c.out, c.constant, c.tail = b.Runtime, b.In, b.Out, b.Constant, b.Tail
}

// BindWorkspace gives c the memory that Workspace returns.
func (c *Context) BindWorkspace(p unsafe.Pointer) { c.work = p }

// WorkspaceBytes returns what Prepare asked for.
func (c *Context) WorkspaceBytes() int { return c.workBytes }

// PickRow chooses the kernel of def for the bound tensors.
//
// Errors: errs.Unsupported where the table has no row for the element type,
// errs.Type where inputs are not of the types that the kernel takes them for.
func (c *Context) PickRow(def *Def) error {
	if err := c.checkTypes(def); err != nil {
		return err
	}
	if def.DTypes.Empty() {
		return nil
	}
	v := (*tensor.View)(nil)
	switch {
	case def.Key == KeyOutput && len(c.out) > 0:
		v = c.out[0]
	case def.Key >= 0 && def.Key < len(c.in):
		v = c.in[def.Key]
	}
	if v == nil {
		return errs.New(errs.Model, "the input that decides the element type is missing")
	}
	if c.row = def.DTypes.Row(v.DType); c.row == nil {
		return errs.New(errs.Unsupported, "element type %v is not supported by version %d", v.DType, c.Version)
	}
	return nil
}

// Prepare runs def's Prepare anew and reports whether the state it left depends
// on values that are not constant, so that it must be made again in each run.
func (c *Context) Prepare(def *Def) (volatile bool, err error) {
	c.State, c.workBytes, c.asked = nil, 0, false
	if def.Prepare == nil {
		return false, nil
	}
	err = def.Prepare(c)
	if errors.Is(err, ErrNeedsValue) {
		c.workBytes, err = 0, nil
	}
	return c.asked, err
}

// NewInfer returns an Infer for a node with these inputs (nil where omitted)
// and as many outputs. known tells whose values are known; nil says all are.
func NewInfer(attr *Values, version, opset int, in []*tensor.View, known []bool, out []tensor.View) *Infer {
	return &Infer{Attr: attr, Version: version, Opset: opset, in: in, known: known, out: out}
}

// Results returns the outputs that the rule set.
func (c *Infer) Results() []tensor.View { return c.out }
