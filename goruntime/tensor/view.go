package tensor

import (
	"fmt"
	"sort"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/errs"
)

// View is a tensor whose element memory belongs to somebody else: an input of
// the caller, an initializer in a mapped file, a planned range of a run's slab.
// It is dense, row-major and in native byte order; its address need not be a
// multiple of the element size. A matrix may lie as columns instead, and rows of any shape
// in parts: only what feeds a run and the operators that declare it ever see such a View.
//
// Ownership: a View owns nothing and is good until its owner says otherwise;
// inputs and constants seen through a View are never written.
type View struct {
	DType DType
	Shape Shape
	Data  unsafe.Pointer // first element; may be nil where there are no elements
	// Columns, where not nil, are the addresses of the columns of a matrix [N, K], each
	// of which has its N elements side by side. Data is nil then.
	Columns []unsafe.Pointer
	// Parts, where not nil, have the rows, those of the first axis, one after the other.
	// Data and Columns are nil then.
	Parts []Part
}

// Part is the rows [First, End), dense or, of a matrix, as columns.
type Part struct {
	First, End int
	Data       unsafe.Pointer
	Columns    []unsafe.Pointer
}

// Dense reports whether the elements lie side by side from Data on.
func (v *View) Dense() bool { return v.Columns == nil && v.Parts == nil }

// PartOf returns which of the parts has a row.
func (v *View) PartOf(row int) int {
	return sort.Search(len(v.Parts), func(i int) bool { return row < v.Parts[i].End })
}

// RowElements returns the number of elements of a row.
func (v *View) RowElements() int { return v.Shape[1:].Elements() }

// Elements returns the number of elements.
func (v *View) Elements() int { return v.Shape.Elements() }

// Bytes returns the number of bytes that the elements take.
func (v *View) Bytes() int { return v.DType.Bytes(v.Shape.Elements()) }

// Raw returns the element memory as bytes.
func (v *View) Raw() []byte {
	// SAFETY: a View's Data covers Bytes() bytes by its contract.
	return unsafe.Slice((*byte)(v.Data), v.Bytes())
}

// String returns dtype and shape: "f32[2, 3]".
func (v *View) String() string { return fmt.Sprintf("%v%v", v.DType, v.Shape) }

// Elems returns the elements of v as a slice of T, which must have the size of
// v's element type: use a table row chosen by v.DType. For types below a byte T
// is uint8 and the slice holds the packed bytes.
func Elems[T any](v *View) []T {
	n := v.Shape.Elements()
	if b := v.DType.Bits(); b < 8 {
		n = v.DType.Bytes(n)
	}
	// SAFETY: a View's Data covers its elements, and T is of their size by contract.
	return unsafe.Slice((*T)(v.Data), n)
}

// ViewOf returns a View over the elements of s, which must stay reachable for
// as long as the View is used. The length of s must fit the shape.
func ViewOf[T any](dtype DType, shape Shape, s []T) (View, error) {
	want, err := shape.Check(dtype)
	if err != nil {
		return View{}, err
	}
	// SAFETY: only the size of T is taken.
	if got := len(s) * int(unsafe.Sizeof(*new(T))); got != want {
		return View{}, errs.New(errs.Shape, "%d bytes given, shape %v of %v takes %d", got, shape, dtype, want)
	}
	// SAFETY: the length was checked against the shape above.
	return View{DType: dtype, Shape: shape, Data: unsafe.Pointer(unsafe.SliceData(s))}, nil
}

// Width returns the bytes of an element, 0 for types below a byte. Operators that only
// move elements key their tables by it.
func (d DType) Width() int {
	if b := dtypes[d].bits; b >= 8 {
		return b / 8
	}
	return 0
}

// At returns the address of element i, which lies in v or behind its end. The
// elements have whole bytes.
func (v *View) At(i int) unsafe.Pointer {
	// SAFETY: i lies inside v, or at its end, by contract.
	return unsafe.Add(v.Data, i*v.DType.Width())
}

// Slice returns n elements of v from element lo on, as a tensor of rank 1. For
// types below a byte lo must be the first element of a byte.
func (v *View) Slice(lo, n int) View {
	//lint:allow unsafe an address inside the view
	// SAFETY: lo and n lie inside v by contract; an empty slice may start at its end.
	return View{DType: v.DType, Shape: Shape{n}, Data: unsafe.Add(v.Data, lo*v.DType.Bits()/8)}
}
