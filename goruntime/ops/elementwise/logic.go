package elementwise

import (
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// And, Or and Xor combine two tensors of truth values.
// https://onnx.ai/onnx/operators/onnx__And.html (Or, Xor)   Departures: none.
var (
	And, And1 = comparison("And", op.Versions{7: ""}, truths(func(a, b bool) bool { return a && b }))
	Or, Or1   = comparison("Or", op.Versions{7: ""}, truths(func(a, b bool) bool { return a || b }))
	Xor, Xor1 = comparison("Xor", op.Versions{7: ""}, truths(func(a, b bool) bool { return a != b }))
)

func truths(f func(a, b bool) bool) op.Table {
	return op.ByType(map[tensor.DType]row{tensor.Bool: rowOf(f)})
}

// GreaterOrEqual and LessOrEqual compare two tensors element by element. NaN is
// neither.
// https://onnx.ai/onnx/operators/onnx__GreaterOrEqual.html (LessOrEqual)   Departures: none.
var (
	GreaterOrEqual = ordering("GreaterOrEqual", relations(notLess))
	LessOrEqual    = ordering("LessOrEqual", relations(notMore))
)

func ordering(name string, table op.Table) *op.Def {
	return op.Declare(op.Def{
		Name: name, Versions: op.Versions{12: "", 16: "bfloat16"},
		Shape: broadcastAs(tensor.Bool), Prepare: preparePair, Run: runPair, DTypes: table,
	})
}
