package op

import (
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Task is a loop that may be split: Chunk computes the iterations [lo, hi).
// Chunks of one loop run at the same time and write disjoint memory.
type Task interface{ Chunk(lo, hi int) }

// Runtime is what exec gives to kernels behind a Context.
type Runtime interface {
	// MakeOutput makes output slot of the node of c in the arena of its role.
	MakeOutput(c *Context, slot int, dtype tensor.DType, shape tensor.Shape) (*tensor.View, error)
	// Temporary returns n bytes of the execution arena that live until Run ends.
	Temporary(c *Context, n int) (unsafe.Pointer, error)
	// Pack returns packed constant memory, filled once a session.
	Pack(c *Context, input int, layout string, n int, fill func([]byte) error) ([]byte, error)
	// For runs task over [0, n) on the threads of the run.
	For(n, grain int, task Task)
	// Threads returns how many threads For may use.
	Threads() int
	// Branch runs the subgraph and moves its outputs to those of c's node.
	Branch(c *Context, attr string) error
	// Stopped returns the error of a canceled or timed-out run, or nil.
	Stopped() error
}

// Context is what Prepare and Run see of one node: its tensors, attributes, the
// kernel of its element type and the runtime's services.
//
// Ownership: everything in it is valid during the call only, but for State,
// which lives until the next Prepare. Inputs are never written.
// Concurrency: one goroutine at a time; chunks of For use only what their task
// captured.
type Context struct {
	Attr    *Values
	Version int // the since_version of the node's schema
	Opset   int // the opset that the model imports for the node's domain
	// State is what Prepare leaves for Run.
	State any

	rt        Runtime
	in        []*tensor.View
	out       []*tensor.View
	constant  []bool
	tail      *Tail
	row       any
	work      unsafe.Pointer
	workBytes int
	asked     bool
	scratch   scratch
	wide      []tensor.View  // see Unpacked
	narrow    []*tensor.View // the tensors that wide stands for
	wider     wider          // see Widened
}

// Inputs returns the number of inputs that the node lists, omitted ones too.
func (c *Context) Inputs() int { return len(c.in) }

// Outputs returns the number of outputs that the node lists.
func (c *Context) Outputs() int { return len(c.out) }

// Has reports whether input i is given.
func (c *Context) Has(i int) bool { return i < len(c.in) && c.in[i] != nil }

// Wants reports whether output i is named by the node.
func (c *Context) Wants(i int) bool { return i < len(c.out) && c.out[i] != nil }

// In returns input i, which must be given. In Prepare its shape is known and
// its value is not, unless Constant(i): use Value there.
func (c *Context) In(i int) *tensor.View { return c.in[i] }

// Out returns output i, already in its final place.
func (c *Context) Out(i int) *tensor.View { return c.out[i] }

// Constant reports whether input i has the same value in every run of the
// session.
func (c *Context) Constant(i int) bool { return i < len(c.constant) && c.constant[i] }

// Value returns input i with its value, for Prepare: what Prepare derives from
// an input that is not constant is derived again in each run.
//
// Errors: ErrNeedsValue before the run, where the input is not constant; a
// Prepare that gives it back is called again when the value is there.
func (c *Context) Value(i int) (*tensor.View, error) {
	v := c.in[i]
	if c.Constant(i) {
		return v, nil
	}
	c.asked = true
	if v.Data == nil && v.Elements() > 0 {
		return nil, ErrNeedsValue
	}
	return v, nil
}

// Ints returns the elements of the i32 or i64 input i as ints; the slice is
// valid until the next call for the same input. Errors are those of Value.
func (c *Context) Ints(i int) ([]int, error) {
	v, err := c.Value(i)
	if err != nil {
		return nil, err
	}
	return c.scratch.read(i, v, AppendInts)
}

// MakeOutputTensor makes output slot with this dtype and shape at its final
// place, in the arena of the slot's role. Operators with Computes call it;
// those with a shape rule find their outputs made.
//
// Errors: errs.Memory where a limit would be exceeded.
func (c *Context) MakeOutputTensor(slot int, dtype tensor.DType, shape tensor.Shape) (*tensor.View, error) {
	return c.rt.MakeOutput(c, slot, dtype, shape)
}

// MakeTemporaryTensor returns a tensor of the execution arena that lives until
// Run returns. Its memory is not cleared.
func (c *Context) MakeTemporaryTensor(dtype tensor.DType, shape tensor.Shape) (tensor.View, error) {
	n, err := shape.Check(dtype)
	if err != nil {
		return tensor.View{}, err
	}
	p, err := c.rt.Temporary(c, n)
	return tensor.View{DType: dtype, Shape: shape, Data: p}, err
}

// Temporary returns n elements of the execution arena that live until Run
// returns. T holds no pointers; the memory is not cleared.
func Temporary[T any](c *Context, n int) ([]T, error) {
	// SAFETY: only the size of T is taken.
	p, err := c.rt.Temporary(c, n*int(unsafe.Sizeof(*new(T))))
	if err != nil {
		return nil, err
	}
	// SAFETY: Temporary returns as many bytes, 64-byte aligned.
	return unsafe.Slice((*T)(p), n), nil
}

// NeedWorkspace asks, in Prepare, for n bytes that Run gets from Workspace. It
// is planned with the intermediates, so a run does not allocate it.
func (c *Context) NeedWorkspace(n int) { c.workBytes = n }

// Workspace returns the bytes asked for in Prepare, 64-byte aligned, not
// cleared.
func (c *Context) Workspace() []byte {
	// SAFETY: exec binds work to workBytes bytes before Run.
	return unsafe.Slice((*byte)(c.work), c.workBytes)
}

// WorkspaceOf returns the workspace as elements of T, which holds no pointers.
func WorkspaceOf[T any](c *Context) []T {
	// SAFETY: as Workspace; a 64-byte aligned block suits every element.
	return unsafe.Slice((*T)(c.work), c.workBytes/int(unsafe.Sizeof(*new(T))))
}

// Pack returns n bytes derived from the constant input i by fill, once a
// session for each layout name: weights in the order that a kernel reads.
//
// Ownership: the session's; 64-byte aligned, off-heap, read-only after fill.
func (c *Context) Pack(i int, layout string, n int, fill func([]byte) error) ([]byte, error) {
	return c.rt.Pack(c, i, layout, n, fill)
}

// For runs task over [0, n), split into chunks of at least grain iterations on
// the threads of the run. It returns when all is done and allocates nothing
// where task is a pointer.
func (c *Context) For(n, grain int, task Task) { c.rt.For(n, grain, task) }

// Threads returns how many threads For may use at once.
func (c *Context) Threads() int { return c.rt.Threads() }

// Branch runs the subgraph of attribute attr; its outputs become those of the
// node, moved by handle.
func (c *Context) Branch(attr string) error { return c.rt.Branch(c, attr) }

// Stopped returns an error when the run was canceled or its time limit passed:
// kernels that may take longer than some 20 ms ask between their chunks.
func (c *Context) Stopped() error { return c.rt.Stopped() }

// Scalar returns the single element of input i, whose element type must be T's.
// Errors are those of Value, and errs.Shape for another number of elements.
func Scalar[T any](c *Context, i int) (T, error) {
	var zero T
	v, err := c.Value(i)
	if err != nil {
		return zero, err
	}
	if n := v.Elements(); n != 1 {
		return zero, errs.New(errs.Shape, "input %d has shape %v with %d elements, one element expected", i, v.Shape, n)
	}
	return tensor.Elems[T](v)[0], nil
}
