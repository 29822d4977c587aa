package ml

import (
	"math"
	"slices"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// FeatureVectorizer puts the columns of all inputs beside each other, each cut or
// filled with zeros to its entry in inputdimensions.
// https://onnx.ai/onnx/operators/onnx_aionnxml_FeatureVectorizer.html
// Departures: none.
var FeatureVectorizer = op.Declare(Domain, "FeatureVectorizer", func() op.Def {
	return op.Def{
		Versions: op.Versions{1: ""}, Attrs: op.Attrs(op.Ints("inputdimensions")),
		Shape: func(c *op.Infer) error {
			sizes := c.Attr.Ints("inputdimensions")
			if len(sizes) != 0 && len(sizes) != c.Inputs() {
				return errs.New(errs.Model, "%d inputdimensions given for %d inputs", len(sizes), c.Inputs())
			}
			rows, total := 0, 0
			for i := range c.Inputs() {
				x := c.In(i)
				if err := matrixShape(x); err != nil {
					return err
				}
				if i > 0 && rowsOf(x) != rows {
					return errs.New(errs.Shape, "input %d has shape %v with %d rows, input 0 has %d", i, x, rowsOf(x), rows)
				}
				rows = rowsOf(x)
				w := wideAs(sizes, i, x)
				if w < 0 || w > math.MaxInt32 {
					return errs.New(errs.Model, "inputdimensions has %d for input %d: it must lie in [0, %d]", w, i, math.MaxInt32)
				}
				total += w
			}
			out := c.Grow(0, tensor.F32, 2)
			out[0], out[1] = rows, total
			_, err := out.Check(tensor.F32)
			return err
		},
		Prepare: func(c *op.Context) error {
			c.State = c.Attr.Ints("inputdimensions")
			return nil
		},
		Run: func(c *op.Context) error {
			sizes := c.State.([]int)
			clear(c.Out(0).Raw())
			at := 0
			for i := range c.Inputs() {
				x := c.In(i)
				w := wideAs(sizes, i, x.Shape)
				op.Row[columnsKernel](c)(c.Out(0), x, at, min(w, featuresOf(x.Shape)))
				at += w
			}
			return nil
		},
		Joins: func(c *op.Infer) bool {
			return c.DType(0) == tensor.F32 && op.JoinsColumns(c) && !slices.ContainsFunc(c.Attr.Ints("inputdimensions"), func(n int) bool { return n != 1 })
		},
		DTypes: op.ByType(map[tensor.DType]columnsKernel{
			tensor.F32: columns[float32], tensor.F64: columns[float64], tensor.I64: columns[int64], tensor.I32: columns[int32],
		}),
	}
})

// wideAs is how many columns input i takes in the output.
func wideAs(sizes []int, i int, x tensor.Shape) int {
	if len(sizes) == 0 {
		return featuresOf(x)
	}
	return sizes[i]
}

// columnsKernel copies the first n columns of in to those of out from at on.
type columnsKernel func(out, in *tensor.View, at, n int)

func columns[T float32 | float64 | int64 | int32](out, in *tensor.View, at, n int) {
	dst, src := tensor.Elems[float32](out), tensor.Elems[T](in)
	wide, own := featuresOf(out.Shape), featuresOf(in.Shape)
	for r := range rowsOf(in.Shape) {
		row := dst[r*wide+at : r*wide+at+n]
		for i, x := range src[r*own : r*own+n] {
			row[i] = float32(x)
		}
	}
}
