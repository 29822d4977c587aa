package tensor

import (
	"math/bits"
	"strconv"
	"strings"

	"github.com/goruntime/goruntime/goruntime/errs"
)

// Unknown marks a dimension whose size is not known before a run.
const Unknown = -1

// Shape is the list of a tensor's dimensions, outermost first. A nil or empty
// Shape is a scalar. In shape inference a dimension may be Unknown; the shape
// of a tensor that has data never has one.
type Shape []int

// String returns the dimensions as "[2, ?, 4]".
func (s Shape) String() string {
	var b strings.Builder
	b.WriteByte('[')
	for i, d := range s {
		if i > 0 {
			b.WriteString(", ")
		}
		if d == Unknown {
			b.WriteByte('?')
		} else {
			b.WriteString(strconv.Itoa(d))
		}
	}
	b.WriteByte(']')
	return b.String()
}

// Known reports whether no dimension is Unknown.
func (s Shape) Known() bool {
	for _, d := range s {
		if d < 0 {
			return false
		}
	}
	return true
}

// Elements returns the product of the dimensions: 1 for a scalar. The shape
// must be known and its product must not overflow (see Check).
func (s Shape) Elements() int {
	n := 1
	for _, d := range s {
		n *= d
	}
	return n
}

// Equal reports whether both shapes have the same dimensions.
func (s Shape) Equal(t Shape) bool {
	if len(s) != len(t) {
		return false
	}
	for i, d := range s {
		if d != t[i] {
			return false
		}
	}
	return true
}

// Strides returns the distances, in elements, between neighbours of a dense tensor of
// shape s along the dimensions of a broadcast one of the given rank, which is at least
// that of s; 0 where s is repeated or has one element.
func (s Shape) Strides(rank int) []int {
	list, step := make([]int, rank), 1
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] != 1 {
			list[rank-len(s)+i] = step
		}
		step *= s[i]
	}
	return list
}

// Clone returns a copy that shares nothing with s.
func (s Shape) Clone() Shape { return append(Shape(nil), s...) }

// Check returns the number of bytes that a tensor of this shape and dtype
// takes, or an errs.Shape error for a negative dimension or a size above 2^56
// bytes.
func (s Shape) Check(dtype DType) (int, error) {
	const limit = 1 << 56
	n, zero := uint64(1), false // without the zeros, as NumPy bounds it
	for i, d := range s {
		if d < 0 {
			return 0, errs.New(errs.Shape, "dimension %d of shape %v is %d: a dimension must not be negative", i, s, d)
		}
		if d == 0 {
			zero = true
			continue
		}
		hi, lo := bits.Mul64(n, uint64(d))
		if hi != 0 || lo > limit {
			n = limit + 1
			continue
		}
		n = lo
	}
	if n > limit/uint64(max(dtype.Bits()/8, 1)) {
		return 0, errs.New(errs.Shape, "shape %v of %v takes more than 2^56 bytes", s, dtype)
	}
	if zero {
		return 0, nil
	}
	return dtype.Bytes(int(n)), nil
}

// Around returns the dimension of an axis of s, and how many elements those before and
// behind it have.
func (s Shape) Around(axis int) (before, n, behind int) {
	return s[:axis].Elements(), s[axis], s[axis+1:].Elements()
}

// Axis returns axis made non-negative for a tensor of this rank.
func Axis(axis, rank int) (int, error) {
	if axis < -rank || axis >= rank {
		return 0, errs.New(errs.Shape, "axis %d is out of range for rank %d: it must lie in [%d, %d]", axis, rank, -rank, rank-1)
	}
	if axis < 0 {
		axis += rank
	}
	return axis, nil
}
