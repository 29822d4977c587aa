package sequence

import (
	"slices"

	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/values"
)

// SequenceInsert returns a sequence with one more element.
// https://onnx.ai/onnx/operators/onnx__SequenceInsert.html   Departures: none.
var SequenceInsert = op.Declare("", "SequenceInsert", func() op.Def {
	return op.Def{
		Versions: op.Versions{11: ""},
		Control:  true,
		Computes: true,
		Run:      sequenceInsertRun,
	}
})

func sequenceInsertRun(c *op.Context) error {
	items, err := c.Items(0, values.Sequence)
	if err != nil {
		return err
	}
	at, err := position(c, 2, len(items), len(items), len(items))
	if err != nil {
		return err
	}
	v, err := c.Keep(1)
	if err != nil {
		return err
	}
	if err := alike(items, v); err != nil {
		v.Release()
		return err
	}
	return c.SetValue(0, values.New(values.Sequence, slices.Insert(retained(items), at, v)...))
}
