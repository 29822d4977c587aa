package nn

import "github.com/goruntime/goruntime/goruntime/op"

// LayerNormalizationEarly is LayerNormalization as ONNX Runtime emits it for
// opsets below 17, which have none: in the default domain, from version 1 on.
// LayerNormalizationMS is the same in the domain com.microsoft.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
// Departures: none.
var (
	LayerNormalizationEarly = op.Declare("", "LayerNormalization", earlyNormalization)
	LayerNormalizationMS    = op.Declare("com.microsoft", "LayerNormalization", earlyNormalization)
)

func earlyNormalization() op.Def {
	return op.Def{
		Versions: op.Versions{1: "before the official operator"}, Needs: []int{0, 1},
		Attrs: LayerNormalization.Def().Attrs,
		Shape: func(c *op.Infer) error {
			if err := c.Alike(0, 1, 2); err != nil {
				return err
			}
			return LayerNormalization.Def().Shape(c)
		},
		Prepare: LayerNormalization.Def().Prepare, Run: LayerNormalization.Def().Run, DTypes: LayerNormalization.Def().DTypes,
	}
}
