package elementwise

import (
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// comparison declares a test of two broadcast inputs; the version numbers
// differ, the forms before version 7 need the attribute broadcast.
func comparison(versions op.Versions, table op.Table) (now, legacy op.Def) {
	def := op.Def{
		Versions: versions, Shape: broadcastAs(tensor.Bool), Prepare: preparePair, Run: runPair, DTypes: table,
	}
	old := def
	old.Versions, old.Attrs = op.Versions{1: "broadcast attribute"}, legacyAttrs
	old.Shape, old.Prepare = legacyAs(tensor.Bool), prepareLegacy
	return def, old
}

// Equal, Greater and Less compare two tensors element by element. NaN equals
// nothing.
// https://onnx.ai/onnx/operators/onnx__Equal.html (Greater, Less)   Departures: none.
var (
	Equal, Equal1 = op.DeclareTwo("", "Equal", func() (now, legacy op.Def) {
		return comparison(op.Versions{7: "", 11: "all numbers", 13: "bfloat16", 19: "strings"},
			relations(equal).And(op.ByType(map[tensor.DType]row{tensor.Bool: rowOf(alike[bool]), tensor.Str: rowOf(alike[string])})))
	})
	Greater, Greater1 = op.DeclareTwo("", "Greater", func() (now, legacy op.Def) {
		return comparison(op.Versions{7: "", 9: "all numbers", 13: "bfloat16"}, relations(more))
	})
	Less, Less1 = op.DeclareTwo("", "Less", func() (now, legacy op.Def) {
		return comparison(op.Versions{7: "", 9: "all numbers", 13: "bfloat16"}, relations(less))
	})
)

func alike[T bool | string](a, b T) bool { return a == b }
