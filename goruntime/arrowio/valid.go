package arrowio

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"

	"github.com/goruntime/goruntime/goruntime/errs"
)

// validate refuses a batch whose columns contradict themselves: neither Arrow's readers
// nor Flight look inside, and a pointer that is lent is believed. Columns that obviously
// are sound cost no more than the look; all others are for Arrow's own validation.
func validate(b arrow.RecordBatch) error {
	for i, c := range b.Columns() {
		if sound(c.Data()) {
			continue
		}
		if err := array.ValidateFull(c); err != nil {
			return errs.New(errs.Argument, "the batch is not valid: column %d (%s): %w", i, b.ColumnName(i), err)
		}
	}
	return nil
}

// sound reports whether data is numbers, or fixed-size lists of them, whose buffers cover
// what their offset and length say, and whose nulls are as many as are counted. What it
// does not report may be sound too.
func sound(data arrow.ArrayData) bool {
	for {
		t, buffers, children := data.DataType(), data.Buffers(), data.Children()
		end := data.Offset() + data.Len()
		if data.Offset() < 0 || data.Len() < 0 || end < 0 || len(buffers) == 0 || !counted(data) {
			return false
		}
		list, ok := t.(*arrow.FixedSizeListType)
		if !ok {
			width := numberOf(t).Width()
			return width > 0 && len(buffers) == 2 && len(children) == 0 && (buffers[1] == nil && data.Len() == 0 || buffers[1] != nil && end <= buffers[1].Len()/width)
		}
		k := int(list.Len())
		if len(buffers) != 1 || len(children) != 1 || k <= 0 || end > children[0].Len()/k {
			return false
		}
		if elem := children[0].DataType(); list.Elem() != elem && !arrow.TypeEqual(list.Elem(), elem) {
			return false
		}
		data = children[0]
	}
}

// counted reports whether the nulls of data, which may have a bitmap of them, are as many
// as it says.
func counted(data arrow.ArrayData) bool {
	valid := data.Buffers()[0]
	if valid == nil {
		return data.NullN() == 0
	}
	if int64(valid.Len()) < bitutil.BytesForBits(int64(data.Offset()+data.Len())) {
		return false
	}
	return data.NullN() == data.Len()-bitutil.CountSetBits(valid.Bytes(), data.Offset(), data.Len())
}
