package arrowio

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/goruntime/goruntime/goruntime/tensor"
)

// numbers are the element types that Arrow has too, with memory alike.
var numbers = [...]tensor.DType{
	arrow.FLOAT16: tensor.F16, arrow.FLOAT32: tensor.F32, arrow.FLOAT64: tensor.F64,
	arrow.INT8: tensor.I8, arrow.INT16: tensor.I16, arrow.INT32: tensor.I32, arrow.INT64: tensor.I64,
	arrow.UINT8: tensor.U8, arrow.UINT16: tensor.U16, arrow.UINT32: tensor.U32, arrow.UINT64: tensor.U64,
}

var arrowTypes = map[tensor.DType]arrow.DataType{
	tensor.F16: arrow.FixedWidthTypes.Float16, tensor.F32: arrow.PrimitiveTypes.Float32, tensor.F64: arrow.PrimitiveTypes.Float64,
	tensor.I8: arrow.PrimitiveTypes.Int8, tensor.I16: arrow.PrimitiveTypes.Int16, tensor.I32: arrow.PrimitiveTypes.Int32, tensor.I64: arrow.PrimitiveTypes.Int64,
	tensor.U8: arrow.PrimitiveTypes.Uint8, tensor.U16: arrow.PrimitiveTypes.Uint16, tensor.U32: arrow.PrimitiveTypes.Uint32, tensor.U64: arrow.PrimitiveTypes.Uint64,
	tensor.Bool: arrow.FixedWidthTypes.Boolean, tensor.Str: arrow.BinaryTypes.LargeString,
}

// numberOf returns the element type of numbers of t, Undefined for others.
func numberOf(t arrow.DataType) tensor.DType {
	if id := int(t.ID()); id < len(numbers) {
		return numbers[id]
	}
	return tensor.Undefined
}

// isText reports whether values of t are strings.
func isText(t arrow.DataType) bool {
	switch t.ID() {
	case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW:
		return true
	}
	return false
}

// elementOf returns the element type that a column of this type feeds, Undefined
// where no tensor can hold it, and how many axes its lists add.
func elementOf(t arrow.DataType) (d tensor.DType, axes int) {
	for {
		switch list := t.(type) {
		case *arrow.FixedSizeListType:
			t = list.Elem()
		case *arrow.ListType:
			t = list.Elem()
		case *arrow.LargeListType:
			t = list.Elem()
		case arrow.ExtensionType:
			t = list.StorageType()
			continue
		case *arrow.DictionaryType:
			if isText(list.ValueType) {
				return tensor.Str, axes
			}
			return tensor.Undefined, axes
		default:
			switch {
			case isText(t):
				return tensor.Str, axes
			case t.ID() == arrow.BOOL:
				return tensor.Bool, axes
			}
			return numberOf(t), axes
		}
		axes++
	}
}
