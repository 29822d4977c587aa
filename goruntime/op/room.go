package op

import "unsafe"

// Room divides the workspace of an operator into parts, each 64-byte aligned:
// Prepare adds the parts and asks for Size bytes.
type Room struct{ size int }

// Part is a range of the workspace.
type Part struct{ from, n int }

// Add reserves n bytes.
func (r *Room) Add(n int) Part {
	p := Part{r.size, n}
	r.size += (n + 63) / 64 * 64
	return p
}

// Need asks for the workspace that holds all parts.
func (r *Room) Need(c *Context) { c.NeedWorkspace(r.size) }

// Bytes returns the part as bytes.
func (p Part) Bytes(c *Context) []byte { return c.Workspace()[p.from : p.from+p.n] }

// Ints returns the part as int32s.
func (p Part) Ints(c *Context) []int32 { return PartOf[int32](c, p) }

// Floats returns the part as float32s.
func (p Part) Floats(c *Context) []float32 { return PartOf[float32](c, p) }

// PartOf returns a part as elements of T, which holds no pointers and whose size
// divides 64.
func PartOf[T any](c *Context, p Part) []T {
	// SAFETY: only the size of T is taken.
	size := int(unsafe.Sizeof(*new(T)))
	return WorkspaceOf[T](c)[p.from/size : (p.from+p.n)/size]
}
