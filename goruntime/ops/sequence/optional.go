package sequence

import (
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/values"
)

// Optional makes an optional of its input, an empty one where there is none.
// https://onnx.ai/onnx/operators/onnx__Optional.html   Departures: none.
var Optional = op.Declare("", "Optional", func() op.Def {
	return op.Def{
		Versions: op.Versions{15: "", 28: "more types"},
		Attrs:    op.Attrs(op.Optional("type", op.KindType)),
		Control:  true,
		Computes: true,
		Run:      optionalRun,
	}
})

func optionalRun(c *op.Context) error {
	if c.Inputs() == 0 || !c.Has(0) {
		return c.SetValue(0, values.New(values.Optional))
	}
	v, err := c.Keep(0)
	if err != nil {
		return err
	}
	return c.SetValue(0, values.New(values.Optional, v))
}
