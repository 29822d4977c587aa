package sequence

import (
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
	"github.com/goruntime/goruntime/goruntime/values"
)

// OptionalHasElement tells whether an optional holds anything; a tensor or a
// sequence does, an omitted input does not.
// https://onnx.ai/onnx/operators/onnx__OptionalHasElement.html   Departures: none.
var OptionalHasElement = op.Declare("", "OptionalHasElement", func() op.Def {
	return op.Def{
		Versions: op.Versions{15: "", 18: "tensors, sequences and no input", 28: "more types"},
		Control:  true,
		Computes: true,
		Run:      optionalHasElementRun,
	}
})

func optionalHasElementRun(c *op.Context) error {
	has := c.Inputs() > 0 && c.Has(0)
	if v := c.InValue(0); v != nil && v.Kind == values.Optional {
		has = len(v.Items) > 0
	}
	out, err := c.MakeOutputTensor(0, tensor.Bool, nil)
	if err == nil {
		tensor.Elems[bool](out)[0] = has
	}
	return err
}
