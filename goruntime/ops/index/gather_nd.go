package index

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// GatherND picks slices of data by tuples of coordinates, the last dimension of
// indices.
// https://onnx.ai/onnx/operators/onnx__GatherND.html   Departures: none.
var GatherND = op.Declare("", "GatherND", func() op.Def {
	return op.Def{
		Versions: op.Versions{11: "", 12: "batch_dims", 13: "bfloat16"},
		Attrs:    op.Attrs(op.Int("batch_dims", 0)),
		Shape:    gatherNDShape,
		Prepare: func(c *op.Context) error {
			c.State = newTuples(c.In(0), c.In(1), c.Attr.Int("batch_dims"))
			return nil
		},
		Run:    takeRun,
		DTypes: takeRows,
		Also:   map[int][]tensor.DType{1: {tensor.I64}},
	}
})

// gatherNDShape: data [B..., D...], indices [B..., K..., k] -> [B..., K..., D[k:]...].
func gatherNDShape(c *op.Infer) error {
	data, indices, batch := c.In(0), c.In(1), c.Attr.Int("batch_dims")
	if len(data) == 0 || len(indices) == 0 {
		return errs.New(errs.Shape, "data has shape %v and indices %v: neither may be a scalar", data, indices)
	}
	last := len(indices) - 1
	if batch < 0 || batch > last || batch >= len(data) {
		return errs.New(errs.Shape, "batch_dims is %d: it must be less than the ranks %d of data and %d of indices", batch, len(data), len(indices))
	}
	if !data[:batch].Equal(indices[:batch]) {
		return errs.New(errs.Shape, "data has shape %v and indices %v: the first %d dimensions must be equal", data, indices, batch)
	}
	k := indices[last]
	if batch+k > len(data) {
		return errs.New(errs.Shape, "indices has shape %v with tuples of %d: data of shape %v has %d dimensions for them", indices, k, data, len(data)-batch)
	}
	out := c.Grow(0, c.DType(0), last+len(data)-batch-k)
	copy(out, indices[:last])
	copy(out[last:], data[batch+k:])
	_, err := out.Check(c.DType(0))
	return err
}
