package sequence

import (
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/values"
)

// SequenceEmpty makes a sequence without elements.
// https://onnx.ai/onnx/operators/onnx__SequenceEmpty.html   Departures: the dtype
// attribute binds nothing: the first element decides.
var SequenceEmpty = op.Declare("", "SequenceEmpty", func() op.Def {
	return op.Def{
		Versions: op.Versions{11: ""},
		Attrs:    op.Attrs(op.Int("dtype", 1)),
		Control:  true,
		Computes: true,
		Run:      func(c *op.Context) error { return c.SetValue(0, values.New(values.Sequence)) },
	}
})
