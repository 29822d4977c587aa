package op

import "github.com/goruntime/goruntime/goruntime/tensor"

// Table holds the kernel of each element type, nil where there is none. All
// kernels of a table have one function type, which the operator's file fixes.
type Table [tensor.NumDTypes]any

// ByType is a table with one row a type, for arithmetic. F is the operator's
// kernel type.
func ByType[F any](rows map[tensor.DType]F) Table {
	var t Table
	for d, f := range rows {
		t[d] = f
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
	var t Table
	rows := map[int]F{1: w1, 2: w2, 4: w4, 8: w8, 16: w16}
	for d := tensor.F32; d < tensor.NumDTypes; d++ {
		if f, ok := rows[d.Width()]; ok {
			t[d] = f
		}
	}
	t[tensor.Str] = str
	return t
}

// Uniform is a table with the same kernel for every one of the given types.
func Uniform[F any](f F, types ...tensor.DType) Table {
	var t Table
	for _, d := range types {
		t[d] = f
	}
	return t
}

// And returns t with the rows of u added; a row of u wins.
func (t Table) And(u Table) Table {
	for d, f := range u {
		if f != nil {
			t[d] = f
		}
	}
	return t
}

// Types returns the element types that have a row.
func (t *Table) Types() []tensor.DType {
	var all []tensor.DType
	for d, f := range t {
		if f != nil {
			all = append(all, tensor.DType(d))
		}
	}
	return all
}

// Empty reports whether the table has no row: the operator then takes what its
// schema allows.
func (t *Table) Empty() bool { return len(t.Types()) == 0 }

// Row returns the kernel that exec picked for c's element type.
func Row[F any](c *Context) F { return c.row.(F) }
