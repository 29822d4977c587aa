// Package sequence holds the operators on sequences and optionals. A sequence
// made from another shares its elements; a tensor that is put into one is copied
// once.
package sequence

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/values"
)

// position returns input i as an index into n elements, def where it is omitted;
// last is the highest one allowed.
//
// Errors: errs.Compute where it is out of range, errs.Shape where it is no scalar.
func position(c *op.Context, i, n, last, def int) (int, error) {
	if !c.Has(i) {
		return def, nil
	}
	list, err := c.Ints(i)
	if err != nil {
		return 0, err
	}
	if len(list) != 1 {
		return 0, errs.New(errs.Shape, "the position has shape %v, a scalar expected", c.In(i).Shape)
	}
	at := list[0]
	if at < -n || at > last {
		return 0, errs.New(errs.Compute, "position %d is out of range for a sequence of %d: it must lie in [%d, %d]", at, n, -n, last)
	}
	if at < 0 {
		at += n
	}
	return at, nil
}

// alike refuses a value that a sequence of these items cannot take.
func alike(items []*values.Value, v *values.Value) error {
	if len(items) == 0 {
		return nil
	}
	if first := items[0]; first.Kind != v.Kind || first.View.DType != v.View.DType {
		return errs.New(errs.Type, "an element %v given to a sequence of %v: all elements must be of one type", v, first)
	}
	return nil
}

// retained returns references to items, with room for one more.
func retained(items []*values.Value) []*values.Value {
	list := make([]*values.Value, len(items), len(items)+1)
	for i, v := range items {
		list[i] = v.Retain()
	}
	return list
}
