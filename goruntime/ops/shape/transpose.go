package shape

import (
	"slices"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Transpose permutes the dimensions of a tensor; without perm it reverses them.
// https://onnx.ai/onnx/operators/onnx__Transpose.html   Departures: none.
var Transpose = op.Declare("", "Transpose", func() op.Def {
	return op.Def{
		Halves: op.KeptHalves,
		Versions: op.Versions{
			1: "", 13: "bfloat16", 21: "float8, 4-bit types", 23: "float4e2m1", 24: "float8e8m0", 25: "2-bit types",
		},
		Attrs: op.Attrs(op.Ints("perm")),
		Shape: func(c *op.Infer) error {
			in, perm := c.In(0), c.Attr.Ints("perm")
			if perm != nil && len(perm) != len(in) {
				return errs.New(errs.Shape, "perm %v has %d entries, the input has rank %d", perm, len(perm), len(in))
			}
			out := c.Grow(0, c.DType(0), len(in))
			for i := range out {
				p := permuted(perm, i, len(in))
				if p < 0 || p >= len(in) || slices.Contains(perm[:min(i, len(perm))], p) {
					return errs.New(errs.Shape, "perm %v is not a permutation of the %d dimensions", perm, len(in))
				}
				out[i] = in[p]
			}
			return nil
		},
		Prepare: func(c *op.Context) error {
			c.State = transposed(c.In(0).Shape, c.Attr.Ints("perm"))
			return nil
		},
		Cuts: func(c *op.Infer) ([]int, bool) {
			return transposed(c.In(0), c.Attr.Ints("perm")).cuts(nil)
		},
		Run:    op.Unpacked(runStrided),
		DTypes: packedCopies,
	}
})

// transposed returns the copy that permutes the dimensions of a tensor of this shape.
func transposed(in tensor.Shape, perm []int) *strided {
	dense := in.Strides(len(in))
	out, strides := make(tensor.Shape, len(in)), make([]int, len(in))
	for i := range strides {
		k := permuted(perm, i, len(in))
		out[i], strides[i] = in[k], dense[k]
	}
	return newStrided(out, strides, 0)
}

func permuted(perm []int, i, rank int) int {
	if perm == nil {
		return rank - 1 - i
	}
	return perm[i]
}
