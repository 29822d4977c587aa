package op

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// AppendWhole appends the elements of a tensor of any integer or floating-point
// type of 8 bits or more (float8 aside) to dst, fractions cut off: counts and
// indices that a schema allows to be of any number type.
//
// Errors: errs.Type for another element type.
func AppendWhole(dst []int, v *tensor.View) ([]int, error) {
	f := toWhole[v.DType]
	if f == nil {
		return dst, errs.New(errs.Type, "%v given, a number expected", v.DType)
	}
	return f(dst, v), nil
}

var toWhole = [tensor.NumDTypes]func([]int, *tensor.View) []int{
	tensor.I8: whole[int8], tensor.I16: whole[int16], tensor.I32: whole[int32], tensor.I64: whole[int64],
	tensor.U8: whole[uint8], tensor.U16: whole[uint16], tensor.U32: whole[uint32], tensor.U64: wholeU64,
	tensor.F32: whole[float32], tensor.F64: whole[float64],
	tensor.F16: wholeHalf[tensor.Half], tensor.BF16: wholeHalf[tensor.BFloat16],
}

func whole[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | float32 | float64](dst []int, v *tensor.View) []int {
	for _, x := range tensor.Elems[T](v) {
		dst = append(dst, int(x))
	}
	return dst
}

// wholeU64 gives the greatest int for what is beyond it: a count or an index of
// that size is out of any range.
func wholeU64(dst []int, v *tensor.View) []int {
	for _, x := range tensor.Elems[uint64](v) {
		dst = append(dst, int(min(x, math.MaxInt)))
	}
	return dst
}

func wholeHalf[T interface{ Float32() float32 }](dst []int, v *tensor.View) []int {
	for _, x := range tensor.Elems[T](v) {
		dst = append(dst, int(x.Float32()))
	}
	return dst
}

// Whole returns the elements of input i as AppendWhole does; the slice is valid
// until the next call for the same input. Errors are those of Value too.
func (c *Context) Whole(i int) ([]int, error) {
	v, err := c.Value(i)
	if err != nil {
		return nil, err
	}
	return c.scratch.read(i, v, AppendWhole)
}

// Whole returns the elements of input i as AppendWhole does, or ErrNeedsValue.
// The slice is valid during the rule.
func (c *Infer) Whole(i int) ([]int, error) {
	v, err := c.View(i)
	if err != nil {
		return nil, err
	}
	return c.scratch.read(i, v, AppendWhole)
}
