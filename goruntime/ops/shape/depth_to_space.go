package shape

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// DepthToSpace moves channels of X [N, C, H, W] into blocks of pixels.
// DepthToSpace1 is it before version 11, without mode.
// https://onnx.ai/onnx/operators/onnx__DepthToSpace.html   Departures: none.
var (
	DepthToSpace = op.Declare("", "DepthToSpace", func() op.Def {
		return depthToSpace(op.Versions{11: "mode", 13: "bfloat16", 28: ""}, op.String("mode", "DCR"))
	})
	DepthToSpace1 = op.Declare("", "DepthToSpace", func() op.Def {
		return depthToSpace(op.Versions{1: "DCR alone"})
	})
)

func depthToSpace(versions op.Versions, attrs ...op.Attr) op.Def {
	return op.Def{
		Halves:   op.KeptHalves,
		Versions: versions, Attrs: append(attrs, op.Required("blocksize", op.KindInt)),
		Shape: func(c *op.Infer) error {
			x, b, err := blockOf(c)
			if err != nil {
				return err
			}
			if x[1]%(b*b) != 0 {
				return errs.New(errs.Shape, "the %d channels are no multiple of blocksize %d squared", x[1], b)
			}
			out := c.Grow(0, c.DType(0), 4)
			out[0], out[1], out[2], out[3] = x[0], x[1]/(b*b), x[2]*b, x[3]*b
			return nil
		},
		Prepare: func(c *op.Context) error {
			x, b := c.In(0).Shape, c.Attr.Int("blocksize")
			if isCRD(c.Attr) {
				c.State = newPermuted([]int{x[0], x[1] / (b * b), b, b, x[2], x[3]}, []int{0, 1, 4, 2, 5, 3})
			} else {
				c.State = newPermuted([]int{x[0], b, b, x[1] / (b * b), x[2], x[3]}, []int{0, 3, 4, 1, 5, 2})
			}
			return nil
		},
		Run: op.Unpacked(runStrided), DTypes: packedCopies,
	}
}

// mostBlock is the greatest blocksize: its square and products with sizes are ints.
const mostBlock = 1 << 20

// blockOf returns the shape of the input and the block size.
func blockOf(c *op.Infer) ([]int, int, error) {
	x, b := c.In(0), c.Attr.Int("blocksize")
	if len(x) != 4 {
		return nil, 0, errs.New(errs.Shape, "the input has shape %v, rank 4 expected", x)
	}
	if b < 1 || b > mostBlock {
		return nil, 0, errs.New(errs.Argument, "blocksize is %d: it must lie in [1, 2^20]", b)
	}
	if c.Attr.Has("mode") {
		if m := c.Attr.Str("mode"); m != "DCR" && m != "CRD" {
			return nil, 0, errs.New(errs.Argument, "mode %q is none of DCR, CRD", m)
		}
	}
	return x, b, nil
}

// isCRD reports whether channels come in the order column, row, depth.
func isCRD(a *op.Values) bool { return a.Has("mode") && a.Str("mode") == "CRD" }

// newPermuted returns the copy of a dense tensor of these dimensions with them
// in the order perm.
func newPermuted(dims, perm []int) *strided {
	dense := tensor.Shape(dims).Strides(len(dims))
	out, strides := make([]int, len(dims)), make([]int, len(dims))
	for i, p := range perm {
		out[i], strides[i] = dims[p], dense[p]
	}
	return newStrided(out, strides, 0)
}
