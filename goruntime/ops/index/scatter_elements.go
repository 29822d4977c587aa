package index

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// ScatterElements copies data and puts updates at single places of it:
// output[indices[i][j]][j] = updates[i][j] for axis 0.
// https://onnx.ai/onnx/operators/onnx__ScatterElements.html   Departures: none.
var ScatterElements = op.Declare("", "ScatterElements", func() op.Def {
	return op.Def{
		Versions: op.Versions{16: "reduction", 18: "max and min"},
		Attrs:    op.Attrs(op.Int("axis", 0), op.String("reduction", "none")),
		InPlace:  op.FirstOnly,
		Shape:    scatterElementsShape,
		Prepare:  func(c *op.Context) error { return scatterElementsPrepare(c, c.Attr.Str("reduction")) },
		Run:      scatterRun,
		DTypes:   putRows,
		Also:     map[int][]tensor.DType{1: {tensor.I32, tensor.I64}},
	}
})

// ScatterElements11 is ScatterElements without reductions, and Scatter its first
// name.
var (
	ScatterElements11 = op.Declare("", "ScatterElements", func() op.Def {
		return plainScatter(op.Versions{11: "", 13: "bfloat16"})
	})
	Scatter = op.Declare("", "Scatter", func() op.Def {
		return plainScatter(op.Versions{9: "", 11: "deprecated"})
	})
)

func plainScatter(versions op.Versions) op.Def {
	return op.Def{
		Versions: versions, Attrs: op.Attrs(op.Int("axis", 0)), InPlace: op.FirstOnly,
		Shape:   scatterElementsShape,
		Prepare: func(c *op.Context) error { return scatterElementsPrepare(c, "none") },
		Run:     scatterRun, DTypes: putRows, Also: map[int][]tensor.DType{1: {tensor.I32, tensor.I64}},
	}
}

func scatterElementsShape(c *op.Infer) error {
	if err := elementsFit(c, c.In(1), "indices"); err != nil {
		return err
	}
	if !c.In(1).Equal(c.In(2)) {
		return errs.New(errs.Shape, "indices has shape %v, updates has shape %v: they must be equal", c.In(1), c.In(2))
	}
	c.SetOutput(0, c.DType(0), c.In(0))
	return sameTypes(c)
}

func scatterElementsPrepare(c *op.Context, reduction string) error {
	axis, err := tensor.Axis(c.Attr.Int("axis"), len(c.In(0).Shape))
	if err != nil {
		return err
	}
	s, err := newScatter(newElements(c.In(0), c.In(1), axis), reduction, c.In(0).DType, c.Version)
	c.State = s
	return err
}
