package nn

import "github.com/goruntime/goruntime/goruntime/op"

// LayerNormalizationEarly is LayerNormalization as ONNX Runtime emits it for
// opsets below 17, which have none: in the default domain, from version 1 on.
// LayerNormalizationMS is the same in the domain com.microsoft.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
// Departures: none.
var (
	LayerNormalizationEarly = op.Declare(earlyNormalization(""))
	LayerNormalizationMS    = op.Declare(earlyNormalization("com.microsoft"))
)

func earlyNormalization(domain string) op.Def {
	return op.Def{
		Name: LayerNormalization.Name, Domain: domain, Versions: op.Versions{1: "before the official operator"},
		Attrs: LayerNormalization.Attrs,
		Shape: func(c *op.Infer) error {
			if err := c.Alike(0, 1, 2); err != nil {
				return err
			}
			return LayerNormalization.Shape(c)
		},
		Prepare: LayerNormalization.Prepare, Run: LayerNormalization.Run, DTypes: LayerNormalization.DTypes,
	}
}
