package elementwise

import (
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// comparison declares a test of two broadcast inputs; the version numbers
// differ, the forms before version 7 need the attribute broadcast.
func comparison(name string, versions op.Versions, table op.Table) (now, legacy *op.Def) {
	def := op.Def{
		Name: name, Versions: versions, Shape: broadcastAs(tensor.Bool), Prepare: preparePair, Run: runPair, DTypes: table,
	}
	old := def
	old.Versions, old.Attrs = op.Versions{1: "broadcast attribute"}, legacyAttrs
	old.Shape, old.Prepare = legacyAs(tensor.Bool), prepareLegacy
	return op.Declare(def), op.Declare(old)
}

// Equal, Greater and Less compare two tensors element by element. NaN equals
// nothing.
// https://onnx.ai/onnx/operators/onnx__Equal.html (Greater, Less)   Departures: none.
var (
	Equal, Equal1 = comparison("Equal", op.Versions{7: "", 11: "all numbers", 13: "bfloat16", 19: "strings"},
		tests(rowOf(same[int8]), rowOf(same[int16]), rowOf(same[int32]), rowOf(same[int64]), rowOf(same[uint8]), rowOf(same[uint16]),
			rowOf(same[uint32]), rowOf(same[uint64]), rowOf(same[float32]), rowOf(same[float64]), same[float32]).
			And(op.ByType(map[tensor.DType]row{tensor.Bool: rowOf(same[bool]), tensor.Str: rowOf(same[string])})))
	Greater, Greater1 = comparison("Greater", op.Versions{7: "", 9: "all numbers", 13: "bfloat16"},
		tests(rowOf(more[int8]), rowOf(more[int16]), rowOf(more[int32]), rowOf(more[int64]), rowOf(more[uint8]), rowOf(more[uint16]),
			rowOf(more[uint32]), rowOf(more[uint64]), rowOf(more[float32]), rowOf(more[float64]), more[float32]))
	Less, Less1 = comparison("Less", op.Versions{7: "", 9: "all numbers", 13: "bfloat16"},
		tests(rowOf(less[int8]), rowOf(less[int16]), rowOf(less[int32]), rowOf(less[int64]), rowOf(less[uint8]), rowOf(less[uint16]),
			rowOf(less[uint32]), rowOf(less[uint64]), rowOf(less[float32]), rowOf(less[float64]), less[float32]))
)

func same[T comparable](a, b T) bool { return a == b }
func more[T number](a, b T) bool     { return a > b }
func less[T number](a, b T) bool     { return a < b }

// tests is a table of tests for all numbers.
func tests(i8, i16, i32, i64, u8, u16, u32, u64, f32, f64 row, wide func(a, b float32) bool) op.Table {
	return op.ByType(map[tensor.DType]row{
		tensor.I8: i8, tensor.I16: i16, tensor.I32: i32, tensor.I64: i64,
		tensor.U8: u8, tensor.U16: u16, tensor.U32: u32, tensor.U64: u64,
		tensor.F32: f32, tensor.F64: f64, tensor.F16: halfTest[tensor.Half](wide), tensor.BF16: halfTest[tensor.BFloat16](wide),
	})
}
