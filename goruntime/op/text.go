package op

import "github.com/goruntime/goruntime/goruntime/errs"

// TextMaker is the part of a Runtime that holds the bytes of strings.
type TextMaker interface {
	// Text returns n bytes that live as long as output slot of the node of c:
	// the strings of that output may point into them.
	Text(c *Context, slot, n int) ([]byte, error)
}

// Text returns n bytes for the strings that Run makes in output slot; an
// operator asks once a run. Strings that are only moved need none: they point to
// where those of the input do.
//
// Ownership: the output's; off-heap, not cleared.
// Errors: errs.Memory where a limit would be exceeded, errs.Unsupported where
// the runtime holds no strings.
func (c *Context) Text(slot, n int) ([]byte, error) {
	if m, ok := c.rt.(TextMaker); ok {
		return m.Text(c, slot, n)
	}
	return nil, errs.New(errs.Unsupported, "strings cannot be made here")
}
