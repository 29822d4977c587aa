package arrowio

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// texts is an array of strings, however it keeps them.
type texts interface {
	Value(int) string
	Len() int
}

// views writes the strings of a column to dst, views of the bytes that the batch
// holds; fill stands for nulls, where it is given.
func views(dst []string, column arrow.Array, fill string, given bool) error {
	data := column.Data()
	valid := []byte(nil)
	if data.NullN() != 0 && data.Buffers()[0] != nil { // as many as -1: a slice was not counted
		valid = data.Buffers()[0].Bytes()
	}
	words, index := column, func(i int) int { return i }
	if d, ok := column.(*array.Dictionary); ok {
		words, index = d.Dictionary(), d.GetValueIndex
	}
	from, ok := words.(texts)
	if !ok {
		return errs.New(errs.Type, "a column of %v holds no strings", column.DataType())
	}
	for i := range dst {
		if valid != nil && !bitutil.BitIsSet(valid, data.Offset()+i) {
			dst[i] = fill
			continue
		}
		at := index(i)
		if at < 0 || at >= from.Len() {
			return errs.New(errs.Argument, "row %d has the index %d into a dictionary of %d", i, at, from.Len())
		}
		if words.IsNull(at) { // of a dictionary
			if !given {
				return noFill(i)
			}
			dst[i] = fill
			continue
		}
		dst[i] = from.Value(at)
	}
	return nil
}

// textView returns strings as a tensor; list must stay reachable while it is used.
func textView(list []string, shape tensor.Shape) (tensor.View, error) {
	return tensor.ViewOf(tensor.Str, shape, list)
}
