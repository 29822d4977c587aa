package sequence

import (
	"slices"

	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/values"
)

// SequenceErase returns a sequence without one of its elements.
// https://onnx.ai/onnx/operators/onnx__SequenceErase.html   Departures: none.
var SequenceErase = op.Declare("", "SequenceErase", func() op.Def {
	return op.Def{
		Versions: op.Versions{11: ""},
		Control:  true,
		Computes: true,
		Run:      sequenceEraseRun,
	}
})

func sequenceEraseRun(c *op.Context) error {
	items, err := c.Items(0, values.Sequence)
	if err != nil {
		return err
	}
	at, err := position(c, 1, len(items), len(items)-1, len(items)-1)
	if err != nil {
		return err
	}
	if len(items) == 0 {
		return errEmpty()
	}
	rest := slices.Concat(items[:at], items[at+1:])
	return c.SetValue(0, values.New(values.Sequence, retained(rest)...))
}
