package elementwise

import (
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// And, Or and Xor combine two tensors of truth values.
// https://onnx.ai/onnx/operators/onnx__And.html (Or, Xor)   Departures: none.
var (
	And, And1 = op.DeclareTwo("", "And", func() (now, legacy op.Def) {
		return comparison(op.Versions{7: ""}, truths(vec.BitAnd, func(a, b bool) bool { return a && b }))
	})
	Or, Or1 = op.DeclareTwo("", "Or", func() (now, legacy op.Def) {
		return comparison(op.Versions{7: ""}, truths(vec.BitOr, func(a, b bool) bool { return a || b }))
	})
	Xor, Xor1 = op.DeclareTwo("", "Xor", func() (now, legacy op.Def) {
		return comparison(op.Versions{7: ""}, truths(vec.BitXor, func(a, b bool) bool { return a != b }))
	})
)

func truths(o vec.Bitwise, f func(a, b bool) bool) op.Table {
	return op.ByType(map[tensor.DType]row{tensor.Bool: rowOfBits(o, rowOf(f))})
}

// GreaterOrEqual and LessOrEqual compare two tensors element by element. NaN is
// neither.
// https://onnx.ai/onnx/operators/onnx__GreaterOrEqual.html (LessOrEqual)   Departures: none.
var (
	GreaterOrEqual = op.Declare("", "GreaterOrEqual", func() op.Def {
		return ordering(relations(notLess))
	})
	LessOrEqual = op.Declare("", "LessOrEqual", func() op.Def {
		return ordering(relations(notMore))
	})
)

func ordering(table op.Table) op.Def {
	return op.Def{
		Versions: op.Versions{12: "", 16: "bfloat16"},
		Shape:    broadcastAs(tensor.Bool), Prepare: preparePair, Run: runPair, DTypes: table,
	}
}
