package sequence

import (
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/values"
)

// SequenceAt returns one element of a sequence.
// https://onnx.ai/onnx/operators/onnx__SequenceAt.html   Departures: none.
var SequenceAt = op.Declare("", "SequenceAt", func() op.Def {
	return op.Def{
		Versions: op.Versions{11: ""},
		Control:  true,
		Computes: true,
		Run:      sequenceAtRun,
	}
})

func sequenceAtRun(c *op.Context) error {
	items, err := c.Items(0, values.Sequence)
	if err != nil {
		return err
	}
	at, err := position(c, 1, len(items), len(items)-1, 0)
	if err != nil {
		return err
	}
	return c.SetValue(0, items[at].Retain())
}
