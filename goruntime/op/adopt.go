package op

import (
	"unsafe" //lint:allow unsafe memory that a kernel brings is named by its address

	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Adopter is the part of a Runtime that takes memory from a kernel.
type Adopter interface {
	// Adopt makes output slot of the node of c out of memory that the kernel owns;
	// false where the output needs a place of the runtime's own.
	Adopt(c *Context, slot int, dtype tensor.DType, shape tensor.Shape, p unsafe.Pointer, release func()) (bool, error)
}

// Adopt makes output slot out of memory at p that the caller alone owns, uncopied,
// where the output leaves the run; else it reports false, and the caller makes the
// output and copies.
//
// Ownership: taken where it reports true or an error: release is called once, when
// the last holder of the output has let go, on any goroutine.
// Errors: errs.Memory where a limit would be exceeded.
func (c *Context) Adopt(slot int, dtype tensor.DType, shape tensor.Shape, p unsafe.Pointer, release func()) (bool, error) {
	if a, ok := c.rt.(Adopter); ok {
		return a.Adopt(c, slot, dtype, shape, p, release)
	}
	return false, nil
}
