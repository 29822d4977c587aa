package sequence

import (
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
	"github.com/goruntime/goruntime/goruntime/values"
)

// SequenceLength returns the number of elements of a sequence.
// https://onnx.ai/onnx/operators/onnx__SequenceLength.html   Departures: none.
var SequenceLength = op.Declare("", "SequenceLength", func() op.Def {
	return op.Def{
		Versions: op.Versions{11: ""},
		Control:  true,
		Computes: true,
		Run:      sequenceLengthRun,
	}
})

func sequenceLengthRun(c *op.Context) error {
	items, err := c.Items(0, values.Sequence)
	if err != nil {
		return err
	}
	out, err := c.MakeOutputTensor(0, tensor.I64, nil)
	if err == nil {
		tensor.Elems[int64](out)[0] = int64(len(items))
	}
	return err
}
