package arrowio

import (
	"encoding/json"
	"slices"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/bitutil"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// leaf is what a column is under its lists.
type leaf struct {
	data   arrow.ArrayData
	offset int // of the first value
	shape  tensor.Shape
	gaps   []gap // from the outer lists to the values
}

// gap is a level of a column, of lists or of values, where some are null.
type gap struct {
	valid         []byte // a bit for each, from offset on
	offset, items int
	first         int // that is null
}

// gap notes the level at which the leaf is, if some of its items are null.
func (l *leaf) gap(items int) {
	if at := firstNull(l.data, l.offset, items); at >= 0 {
		l.gaps = append(l.gaps, gap{l.data.Buffers()[0].Bytes(), l.offset, items, at})
	}
}

// descend walks through the lists of a column of rows rows, whose data was validated,
// down to its values.
func descend(data arrow.ArrayData, rows int) (leaf, error) {
	l := leaf{data: data, offset: data.Offset(), shape: tensor.Shape{rows}}
	count := rows
	for {
		t := l.data.DataType()
		if ext, ok := t.(arrow.ExtensionType); ok {
			t = ext.StorageType()
		}
		k, start := 0, 0
		switch list := t.(type) {
		case *arrow.FixedSizeListType:
			k = int(list.Len())
			start = l.offset * k
		case *arrow.ListType:
			k, start = stride[int32](l.data, l.offset, count)
		case *arrow.LargeListType:
			k, start = stride[int64](l.data, l.offset, count)
		default:
			l.gap(count)
			return l, nil
		}
		l.gap(count)
		if at := firstNull(l.data, l.offset, count); k < 0 && at >= 0 {
			return l, errs.New(errs.Argument, "a list of row %d is null and has no values: a fill can stand for those of a fixed_size_list", at/(count/rows))
		}
		if k < 0 {
			return l, errs.New(errs.Argument, "the lists have different lengths: all must be equally long")
		}
		child := l.data.Children()[0]
		if start+count*k > child.Len() {
			return l, errs.New(errs.Argument, "the lists end behind their values: %d values, %d needed", child.Len(), start+count*k)
		}
		l.data, l.offset = child, child.Offset()+start
		l.shape = append(l.shape, k)
		count *= k
	}
}

// stride returns the length that all n lists from offset on have and where the first
// starts; -1 where they differ.
func stride[T int32 | int64](data arrow.ArrayData, offset, n int) (k, start int) {
	if n == 0 || len(data.Buffers()) < 2 || data.Buffers()[1] == nil {
		return 0, 0
	}
	offsets := values[T](data.Buffers()[1].Bytes())[offset:]
	k = int(offsets[1] - offsets[0])
	for i := range n {
		if int(offsets[i+1]-offsets[i]) != k {
			return -1, 0
		}
	}
	return k, int(offsets[0])
}

// values returns bytes as elements of T, which need not be aligned.
func values[T any](b []byte) []T {
	// SAFETY: the slice covers the whole elements of b; amd64 and arm64 read unaligned.
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(*new(T))))
}

// firstNull returns the first of n values from offset on that is null, or -1.
func firstNull(data arrow.ArrayData, offset, n int) int {
	if data.NullN() == 0 || len(data.Buffers()) == 0 || data.Buffers()[0] == nil {
		return -1
	}
	valid := data.Buffers()[0].Bytes()
	for i := range n {
		if !bitutil.BitIsSet(valid, offset+i) {
			return i
		}
	}
	return -1
}

// view returns the values of a leaf of numbers in place.
func (l *leaf) view(d tensor.DType) (tensor.View, error) {
	v := tensor.View{DType: d, Shape: l.shape}
	n := v.Elements()
	if n == 0 {
		return v, nil
	}
	buffer := l.data.Buffers()[1]
	width := d.Width()
	if buffer == nil || (l.offset+n)*width > buffer.Len() {
		return v, errs.New(errs.Argument, "the column has %d values, its memory fewer", n)
	}
	v.Data = unsafe.Pointer(&buffer.Bytes()[l.offset*width])
	return v, nil
}

// tensorShape returns the shape of the rows of an arrow.fixed_shape_tensor, nil for
// another field. The type of one that no program registered is its storage, and the
// field's metadata tell.
//
// Errors: errs.Argument for a shape that does not take the values of a row's list, which
// readers of Arrow do not compare; errs.Unsupported for a permutation.
func tensorShape(f arrow.Field) ([]int, error) {
	name, text, storage := "", "", f.Type
	if ext, ok := f.Type.(arrow.ExtensionType); ok {
		name, text, storage = ext.ExtensionName(), ext.Serialize(), ext.StorageType()
	} else if f.HasMetadata() {
		name, _ = f.Metadata.GetValue("ARROW:extension:name")
		text, _ = f.Metadata.GetValue("ARROW:extension:metadata")
	}
	if name != "arrow.fixed_shape_tensor" {
		return nil, nil
	}
	var form struct {
		Shape       []int `json:"shape"`
		Permutation []int `json:"permutation"`
	}
	if err := json.Unmarshal([]byte(text), &form); err != nil {
		return nil, errs.New(errs.Argument, "the metadata of a fixed_shape_tensor: %w", err)
	}
	if !slices.IsSorted(form.Permutation) {
		return nil, errs.New(errs.Unsupported, "a fixed_shape_tensor with the permutation %v is not in the order of its memory", form.Permutation)
	}
	list, ok := storage.(*arrow.FixedSizeListType)
	if !ok || !takes(form.Shape, int(list.Len())) {
		return nil, errs.New(errs.Argument, "the column %q is %v, its metadata say tensors of shape %v: a fixed_size_list of as many values expected", f.Name, storage, form.Shape)
	}
	return form.Shape, nil
}

// takes reports whether a shape has so many elements.
func takes(shape []int, n int) bool {
	count := 1
	for _, d := range shape {
		if d < 0 || d > 0 && count > n/d {
			return false
		}
		count *= d
	}
	return count == n
}
