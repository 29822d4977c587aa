package op

import (
	"math/bits"
	"slices"

	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Table holds the kernel of each element type that an operator has one for. All
// kernels of a table have one function type, which the operator's file fixes.
type Table struct {
	at      [tensor.NumDTypes]uint8 // where the type's kernel is in kernels, counted from 1; 0 is none
	kernels []any
}

// ByType is a table with one row a type, for arithmetic. F is the operator's
// kernel type.
func ByType[F any](rows map[tensor.DType]F) Table {
	t := Table{kernels: make([]any, 0, len(rows))}
	for d, f := range rows {
		t.add(f, d)
	}
	return t
}

// Bytes16 is the element that ByWidth uses for complex128: 16 bytes that are
// only moved.
type Bytes16 [2]uint64

// ByWidth is the table of an operator that only moves elements: one kernel a
// width, and strings, whose row is that of Bytes16 where they are moved as
// {address, length} (as []string the collector would look at memory that is not
// its own). Types below a byte are packed and have no row: see Packed, Unpacked.
func ByWidth[F any](w1, w2, w4, w8, w16, str F) Table {
	t := Table{kernels: []any{w1, w2, w4, w8, w16, str}}
	for d := tensor.F32; d < tensor.NumDTypes; d++ {
		if w := d.Width(); w > 0 {
			t.at[d] = uint8(bits.Len(uint(w)))
		}
	}
	t.at[tensor.Str] = 6
	return t
}

// Uniform is a table with the same kernel for every one of the given types.
func Uniform[F any](f F, types ...tensor.DType) Table {
	var t Table
	t.add(f, types...)
	return t
}

func (t *Table) add(kernel any, types ...tensor.DType) {
	t.kernels = append(t.kernels, kernel)
	for _, d := range types {
		t.at[d] = uint8(len(t.kernels))
	}
}

// And returns t with the rows of u added; a row of u wins.
func (t Table) And(u Table) Table {
	t.kernels = slices.Clip(t.kernels) // those of other tables stay
	for _, d := range u.Types() {
		t.add(u.Row(d), d)
	}
	return t
}

// Row returns the kernel of an element type, nil where there is none.
func (t *Table) Row(d tensor.DType) any {
	if k := t.at[d]; k > 0 {
		return t.kernels[k-1]
	}
	return nil
}

// Types returns the element types that have a row.
func (t *Table) Types() []tensor.DType {
	var all []tensor.DType
	for d, k := range t.at {
		if k > 0 {
			all = append(all, tensor.DType(d))
		}
	}
	return all
}

// Empty reports whether the table has no row: the operator then takes what its
// schema allows.
func (t *Table) Empty() bool { return len(t.kernels) == 0 }

// Row returns the kernel that exec picked for c's element type.
func Row[F any](c *Context) F { return c.row.(F) }
