// Package shape holds the operators that change or tell the shape of a tensor
// and those that copy its elements to other places by position.
package shape

import "github.com/goruntime/goruntime/goruntime/op"

// copyBytes is Run of operators whose output is their input under another
// shape, for the cases where exec wants a copy.
func copyBytes(c *op.Context) error {
	copy(c.Out(0).Raw(), c.In(0).Raw())
	return nil
}

// intReader is what shape rules and Prepare have alike: Infer and Context.
type intReader interface {
	Has(i int) bool
	Ints(i int) ([]int, error)
}

// optionalInts returns the elements of the integer input i, nil where it is not
// given. Errors are those of Ints.
func optionalInts(c intReader, i int) ([]int, error) {
	if !c.Has(i) {
		return nil, nil
	}
	return c.Ints(i)
}
