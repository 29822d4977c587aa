package sequence

import (
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/values"
)

// SequenceConstruct makes a sequence of its inputs.
// https://onnx.ai/onnx/operators/onnx__SequenceConstruct.html   Departures: none.
var SequenceConstruct = op.Declare("", "SequenceConstruct", func() op.Def {
	return op.Def{
		Versions: op.Versions{11: ""},
		Control:  true,
		Computes: true,
		Run:      sequenceConstructRun,
	}
})

func sequenceConstructRun(c *op.Context) error {
	s := values.New(values.Sequence)
	for i := range c.Inputs() {
		v, err := c.Keep(i)
		if err == nil {
			if err = alike(s.Items, v); err != nil {
				v.Release()
			}
		}
		if err != nil {
			s.Release()
			return err
		}
		s.Items = append(s.Items, v)
	}
	return c.SetValue(0, s)
}
