package sequence

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/values"
)

// OptionalGetElement returns what an optional holds; a tensor or a sequence is
// returned as it is.
// https://onnx.ai/onnx/operators/onnx__OptionalGetElement.html   Departures: an
// empty optional is an error, where the specification leaves it open.
var OptionalGetElement = op.Declare("", "OptionalGetElement", func() op.Def {
	return op.Def{
		Versions: op.Versions{15: "", 18: "tensors and sequences as input", 28: "more types"},
		Control:  true,
		Computes: true,
		Run:      optionalGetElementRun,
	}
})

func optionalGetElementRun(c *op.Context) error {
	v := c.InValue(0)
	switch {
	case v == nil:
		kept, err := c.Keep(0)
		if err != nil {
			return err
		}
		return c.SetValue(0, kept)
	case v.Kind != values.Optional:
		return c.SetValue(0, v.Retain())
	case len(v.Items) == 0:
		return errs.New(errs.Compute, "the optional is empty, one with an element expected")
	}
	return c.SetValue(0, v.Items[0].Retain())
}
