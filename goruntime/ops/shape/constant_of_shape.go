package shape

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// ConstantOfShape gives a tensor of a given shape filled with one value.
// https://onnx.ai/onnx/operators/onnx__ConstantOfShape.html   Departures: none.
var ConstantOfShape = op.Declare("", "ConstantOfShape", func() op.Def {
	return op.Def{
		Versions: op.Versions{
			9: "", 20: "bfloat16, float8", 21: "4-bit types", 23: "float4e2m1", 24: "float8e8m0", 25: "2-bit types",
		},
		Attrs: op.Attrs(op.Tensor("value")),
		Shape: func(c *op.Infer) error {
			want, err := c.Ints(0)
			if err != nil {
				return err
			}
			dtype := tensor.F32
			if v := c.Attr.Tensor("value"); v != nil {
				if v.Elements() != 1 {
					return errs.New(errs.Shape, "value has %d elements, one expected", v.Elements())
				}
				dtype = v.DType
			}
			c.SetOutput(0, dtype, want)
			_, err = tensor.Shape(want).Check(dtype)
			return err
		},
		Run: func(c *op.Context) error {
			op.Row[func(out, v *tensor.View)](c)(c.Out(0), c.Attr.Tensor("value"))
			return nil
		},
		Key: op.KeyOutput,
		DTypes: op.ByWidth(fillWith[uint8], fillWith[uint16], fillWith[uint32], fillWith[uint64], fillWith[op.Bytes16], fillWith[op.Bytes16]).
			And(op.Packed(fillPacked)),
		Also: map[int][]tensor.DType{0: {tensor.I64}},
	}
})

// fillPacked fills whole bytes with the code of v and clears the bits after the
// last element.
func fillPacked(out, v *tensor.View) {
	bits := v.DType.Bits()
	code := v.Raw()[0] & (1<<bits - 1)
	whole := byte(0)
	for k := 0; k < 8; k += bits {
		whole |= code << k
	}
	raw := out.Raw()
	fill(raw, whole)
	if used := out.Elements() * bits % 8; used != 0 {
		raw[len(raw)-1] &= 1<<used - 1
	}
}

func fillWith[T any](out, v *tensor.View) {
	var x T
	if v != nil {
		x = tensor.Elems[T](v)[0]
	}
	fill(tensor.Elems[T](out), x)
}
