package shape

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// EyeLike is a matrix of the input's shape with ones on the k-th diagonal and zeros
// elsewhere.
// https://onnx.ai/onnx/operators/onnx__EyeLike.html   Departures: none.
var EyeLike = op.Declare("", "EyeLike", func() op.Def {
	return op.Def{
		Versions: op.Versions{9: "", 22: "bfloat16"}, Attrs: op.Attrs(op.Optional("dtype", op.KindInt), op.Int("k", 0)),
		FromShape: true,
		Shape: func(c *op.Infer) error {
			if x := c.In(0); len(x) != 2 {
				return errs.New(errs.Shape, "the input has shape %v, two dimensions expected", x)
			}
			dtype := c.DType(0)
			if c.Attr.Has("dtype") {
				d := c.Attr.Int("dtype")
				if d <= 0 || d >= tensor.NumDTypes {
					return errs.New(errs.Argument, "dtype is %d, which is no element type", d)
				}
				dtype = tensor.DType(d)
			}
			c.SetOutput(0, dtype, c.In(0))
			return nil
		},
		Run: func(c *op.Context) error {
			op.Row[eyeKernel](c)(c.Out(0), c.Attr.Int("k"))
			return nil
		},
		Key: op.KeyOutput,
		DTypes: op.ByType(map[tensor.DType]eyeKernel{
			tensor.F32: eye[float32](1), tensor.F64: eye[float64](1), tensor.F16: eye(tensor.HalfOf(1)), tensor.BF16: eye(tensor.BFloat16Of(1)), tensor.Bool: eye(true),
			tensor.I8: eye[int8](1), tensor.I16: eye[int16](1), tensor.I32: eye[int32](1), tensor.I64: eye[int64](1),
			tensor.U8: eye[uint8](1), tensor.U16: eye[uint16](1), tensor.U32: eye[uint32](1), tensor.U64: eye[uint64](1),
		}),
	}
})

type eyeKernel func(out *tensor.View, k int)

func eye[T any](one T) eyeKernel {
	return func(out *tensor.View, k int) {
		dst, rows, columns := tensor.Elems[T](out), out.Shape[0], out.Shape[1]
		clear(dst)
		if k <= -rows || k >= columns {
			return
		}
		for r := max(0, -k); r < rows && r+k < columns; r++ {
			dst[r*columns+r+k] = one
		}
	}
}
