package op

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// scratch holds the elements that were read of each input, from one call to the next.
type scratch [][]int

// read returns the elements of v, input i, as appended by one of the functions below; the
// slice is valid until the next call for the same input.
func (s *scratch) read(i int, v *tensor.View, elements func([]int, *tensor.View) ([]int, error)) (list []int, err error) {
	for len(*s) <= i {
		*s = append(*s, nil)
	}
	(*s)[i], err = elements((*s)[i][:0], v)
	return (*s)[i], err
}

// AppendInts appends the elements of an i32 or i64 tensor to dst.
func AppendInts(dst []int, v *tensor.View) ([]int, error) {
	f := toInts[v.DType]
	if f == nil {
		return dst, errs.New(errs.Type, "%v given, i32 or i64 expected", v.DType)
	}
	return f(dst, v), nil
}

var toInts = [tensor.NumDTypes]func([]int, *tensor.View) []int{
	tensor.I32: appendInts[int32], tensor.I64: appendInts[int64],
}

func appendInts[T int32 | int64](dst []int, v *tensor.View) []int {
	for _, x := range tensor.Elems[T](v) {
		dst = append(dst, int(x))
	}
	return dst
}
