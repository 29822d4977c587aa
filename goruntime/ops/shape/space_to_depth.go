package shape

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
)

// SpaceToDepth moves blocks of pixels of X [N, C, H, W] into channels: the
// reverse of DepthToSpace. SpaceToDepth1 is it before version 28, without mode.
// https://onnx.ai/onnx/operators/onnx__SpaceToDepth.html   Departures: none.
var (
	SpaceToDepth = op.Declare("", "SpaceToDepth", func() op.Def {
		return spaceToDepth(op.Versions{28: "mode"}, op.String("mode", "DCR"))
	})
	SpaceToDepth1 = op.Declare("", "SpaceToDepth", func() op.Def {
		return spaceToDepth(op.Versions{1: "", 13: "bfloat16"})
	})
)

func spaceToDepth(versions op.Versions, attrs ...op.Attr) op.Def {
	return op.Def{
		Halves:   op.KeptHalves,
		Versions: versions, Attrs: append(attrs, op.Required("blocksize", op.KindInt)),
		Shape: func(c *op.Infer) error {
			x, b, err := blockOf(c)
			if err != nil {
				return err
			}
			if x[2]%b != 0 || x[3]%b != 0 {
				return errs.New(errs.Shape, "height %d and width %d are no multiples of blocksize %d", x[2], x[3], b)
			}
			out := c.Grow(0, c.DType(0), 4)
			out[0], out[1], out[2], out[3] = x[0], x[1]*b*b, x[2]/b, x[3]/b
			return nil
		},
		Prepare: func(c *op.Context) error {
			x, b := c.In(0).Shape, c.Attr.Int("blocksize")
			order := []int{0, 3, 5, 1, 2, 4}
			if isCRD(c.Attr) {
				order = []int{0, 1, 3, 5, 2, 4}
			}
			c.State = newPermuted([]int{x[0], x[1], x[2] / b, b, x[3] / b, b}, order)
			return nil
		},
		Run: op.Unpacked(runStrided), DTypes: packedCopies,
	}
}
