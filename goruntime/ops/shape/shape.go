package shape

import (
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Shape gives the dimensions of a tensor, or those from start to end.
// https://onnx.ai/onnx/operators/onnx__Shape.html   Departures: none.
var Shape = op.Declare("", "Shape", func() op.Def {
	return op.Def{
		Versions: op.Versions{
			1: "", 13: "bfloat16", 15: "start and end", 19: "float8", 21: "4-bit types",
			23: "float4e2m1", 24: "float8e8m0", 25: "2-bit types",
		},
		Attrs:     op.Attrs(op.Int("start", 0), op.Optional("end", op.KindInt)),
		FromShape: true,
		Shape: func(c *op.Infer) error {
			from, to := shapeRange(c.Attr, len(c.In(0)))
			c.Grow(0, tensor.I64, 1)[0] = max(0, to-from)
			return nil
		},
		Run: func(c *op.Context) error {
			in := c.In(0).Shape
			from, _ := shapeRange(c.Attr, len(in))
			out := tensor.Elems[int64](c.Out(0))
			for i := range out {
				out[i] = int64(in[from+i])
			}
			return nil
		},
	}
})

// shapeRange returns start and end clamped to [0, rank].
func shapeRange(a *op.Values, rank int) (from, to int) {
	clamp := func(i int) int {
		if i < 0 {
			i += rank
		}
		return min(max(i, 0), rank)
	}
	to = rank
	if a.Has("end") {
		to = clamp(a.Int("end"))
	}
	return clamp(a.Int("start")), to
}
