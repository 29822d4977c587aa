package ml

import (
	"slices"
	"strconv"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// CastMap turns a map with integer keys into a row, ordered by key.
// https://onnx.ai/onnx/operators/onnx_aionnxml_CastMap.html   Departures: none.
// Where the specification is silent we do as onnxruntime: the row has shape
// [1, n], and what a sparse row has no key for is 0 or an empty string.
var CastMap = op.Declare("ai.onnx.ml", "CastMap", func() op.Def {
	return op.Def{
		Versions: op.Versions{1: ""},
		Attrs:    op.Attrs(op.String("cast_to", "TO_FLOAT"), op.String("map_form", "DENSE"), op.Int("max_map", 1)),
		Control:  true,
		Computes: true,
		Run:      castMapRun,
	}
})

var castMapTypes = map[string]tensor.DType{"TO_FLOAT": tensor.F32, "TO_STRING": tensor.Str, "TO_INT64": tensor.I64}

func castMapRun(c *op.Context) error {
	keys, vals, err := mapOf(c, tensor.I64)
	if err != nil {
		return err
	}
	to, known := castMapTypes[c.Attr.Str("cast_to")]
	if !known {
		return errs.New(errs.Model, "cast_to is %q: it must be TO_FLOAT, TO_STRING or TO_INT64", c.Attr.Str("cast_to"))
	}
	places, n, err := castMapPlaces(c, tensor.Elems[int64](keys))
	if err != nil {
		return err
	}
	out, err := c.MakeOutputTensor(0, to, tensor.Shape{1, n})
	if err != nil {
		return err
	}
	clear(out.Raw())
	if vals.DType == tensor.F32 && to == tensor.Str {
		return printed(c, out, places, tensor.Elems[float32](vals))
	}
	move := movers[[2]tensor.DType{vals.DType, to}]
	if move == nil {
		return errs.New(errs.Type, "the values of the map are %v: f32 or str expected", vals.DType)
	}
	for i, at := range places {
		if err := move(out, at, vals, i); err != nil {
			return err
		}
	}
	return nil
}

// castMapPlaces returns where each key's value goes in a row of n.
func castMapPlaces(c *op.Context, keys []int64) (places []int, n int, err error) {
	places = make([]int, len(keys))
	switch form := c.Attr.Str("map_form"); form {
	case "DENSE":
		sorted := slices.Sorted(slices.Values(keys))
		for i, k := range keys {
			places[i], _ = slices.BinarySearch(sorted, k)
		}
		return places, len(keys), nil
	case "SPARSE":
		n = c.Attr.Int("max_map")
		for i, k := range keys {
			if k < 0 || int(k) >= n {
				return nil, 0, errs.New(errs.Compute, "the key %d is out of range: with max_map %d it must lie in [0, %d]", k, n, n-1)
			}
			places[i] = int(k)
		}
		return places, n, nil
	default:
		return nil, 0, errs.New(errs.Model, "map_form is %q: it must be DENSE or SPARSE", form)
	}
}

// printed writes numbers as text with six digits behind the point, as C's %f.
func printed(c *op.Context, out *tensor.View, places []int, vals []float32) error {
	var text []byte
	ends := make([]int, len(vals))
	for i, x := range vals {
		text = strconv.AppendFloat(text, float64(x), 'f', 6, 32)
		ends[i] = len(text)
	}
	room, err := c.Text(0, len(text))
	if err != nil {
		return err
	}
	copy(room, text)
	start := 0
	for i, at := range places {
		tensor.Elems[tensor.Text](out)[at] = tensor.TextOf(room[start:ends[i]])
		start = ends[i]
	}
	return nil
}
