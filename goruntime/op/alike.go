package op

import "github.com/goruntime/goruntime/goruntime/errs"

// Alike refuses inputs of other element types than the first one listed; omitted
// ones pass. It is for operators outside the official schemas, which say
// themselves what must be alike.
//
// Errors: errs.Type.
func (c *Infer) Alike(first int, others ...int) error {
	for _, i := range others {
		if c.Has(i) && c.DType(i) != c.DType(first) {
			return errs.New(errs.Type, "input %d is %v, input %d is %v: they must be alike", i, c.DType(i), first, c.DType(first))
		}
	}
	return nil
}
