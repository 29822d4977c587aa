package ml

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
	"github.com/goruntime/goruntime/goruntime/values"
)

// ZipMap turns each row of a matrix into a map from the labels to the row's
// values.
// https://onnx.ai/onnx/operators/onnx_aionnxml_ZipMap.html   Departures: none.
//
// All maps share one tensor of keys; their values are rows of one copy of the
// input.
var ZipMap = op.Declare("ai.onnx.ml", "ZipMap", func() op.Def {
	return op.Def{
		Versions: op.Versions{1: ""},
		Attrs:    op.Attrs(op.Ints("classlabels_int64s"), op.Strings("classlabels_strings")),
		Control:  true,
		Computes: true,
		Run:      zipMapRun,
	}
})

// zipMapRun: X [N, E] or [E] -> N maps.
func zipMapRun(c *op.Context) error {
	x := c.In(0)
	if x.DType != tensor.F32 {
		return errs.New(errs.Type, "input 0 is %v, an f32 tensor expected", x)
	}
	if len(x.Shape) < 1 || len(x.Shape) > 2 {
		return errs.New(errs.Shape, "X has shape %v, rank 1 or 2 expected", x.Shape)
	}
	keys, err := labelKeys(c, x.Shape[len(x.Shape)-1])
	if err != nil {
		return err
	}
	defer keys.Release()
	rows, err := c.Keep(0)
	if err != nil {
		return err
	}
	defer rows.Release()
	return c.SetValue(0, values.Maps(keys, rows))
}

// labelKeys returns the labels of the node, of which there must be n.
func labelKeys(c *op.Context, n int) (*values.Value, error) {
	ints, texts := c.Attr.Ints("classlabels_int64s"), c.Attr.Strs("classlabels_strings")
	if (len(ints) > 0) == (len(texts) > 0) {
		return nil, errs.New(errs.Model, "%d labels in classlabels_int64s and %d in classlabels_strings: one of them must be set", len(ints), len(texts))
	}
	if got := len(ints) + len(texts); got != n {
		return nil, errs.New(errs.Shape, "X has %d columns for %d labels: there must be as many", n, got)
	}
	if len(texts) > 0 {
		return textKeys(c, texts)
	}
	keys, err := c.Element(tensor.I64, tensor.Shape{n})
	if err != nil {
		return nil, err
	}
	to := tensor.Elems[int64](&keys.View)
	for i, label := range ints {
		to[i] = int64(label)
	}
	return keys, nil
}

// textKeys returns a tensor of strings whose bytes lie in its own memory.
func textKeys(c *op.Context, texts []string) (*values.Value, error) {
	const each = 16 // bytes of a string element
	size := each * len(texts)
	for _, t := range texts {
		size += len(t)
	}
	room, err := c.Element(tensor.U8, tensor.Shape{size})
	if err != nil {
		return nil, err
	}
	defer room.Release()
	view := tensor.View{DType: tensor.Str, Shape: tensor.Shape{len(texts)}, Data: room.View.Data}
	rest := room.View.Raw()[each*len(texts):]
	for i, t := range texts {
		n := copy(rest, t)
		tensor.Elems[tensor.Text](&view)[i] = tensor.TextOf(rest[:n])
		rest = rest[n:]
	}
	return room.Part(view), nil
}
