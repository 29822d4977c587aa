package index

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// ScatterND copies data and puts slices of updates at the places that tuples of
// coordinates name.
// https://onnx.ai/onnx/operators/onnx__ScatterND.html   Departures: none.
var ScatterND = op.Declare("", "ScatterND", func() op.Def {
	return op.Def{
		Versions: op.Versions{16: "reduction", 18: "max and min"},
		Attrs:    op.Attrs(op.String("reduction", "none")),
		InPlace:  op.FirstOnly,
		Shape:    scatterNDShape,
		Prepare:  func(c *op.Context) error { return scatterNDPrepare(c, c.Attr.Str("reduction")) },
		Run:      scatterRun,
		DTypes:   putRows,
		Also:     map[int][]tensor.DType{1: {tensor.I64}},
	}
})

// ScatterND11 is ScatterND without reductions.
var ScatterND11 = op.Declare("", "ScatterND", func() op.Def {
	return op.Def{
		Versions: op.Versions{11: "", 13: "bfloat16"},
		InPlace:  op.FirstOnly,
		Shape:    scatterNDShape,
		Prepare:  func(c *op.Context) error { return scatterNDPrepare(c, "none") },
		Run:      scatterRun,
		DTypes:   putRows,
		Also:     map[int][]tensor.DType{1: {tensor.I64}},
	}
})

// scatterNDShape: data [D...], indices [K..., k], updates [K..., D[k:]...] -> [D...].
func scatterNDShape(c *op.Infer) error {
	data, indices, updates := c.In(0), c.In(1), c.In(2)
	if len(data) == 0 || len(indices) == 0 {
		return errs.New(errs.Shape, "data has shape %v and indices %v: neither may be a scalar", data, indices)
	}
	last := len(indices) - 1
	k := indices[last]
	if k > len(data) {
		return errs.New(errs.Shape, "indices has shape %v with tuples of %d: data has %d dimensions", indices, k, len(data))
	}
	if n := last + len(data) - k; len(updates) != n || !updates[:last].Equal(indices[:last]) || !updates[last:].Equal(data[k:]) {
		return errs.New(errs.Shape, "updates has shape %v: data of shape %v and indices of shape %v need the dimensions %v, then %v",
			updates, data, indices, indices[:last], data[k:])
	}
	c.SetOutput(0, c.DType(0), data)
	return sameTypes(c)
}

func scatterNDPrepare(c *op.Context, reduction string) error {
	s, err := newScatter(newTuples(c.In(0), c.In(1), 0), reduction, c.In(0).DType, c.Version)
	c.State = s
	return err
}
