package elementwise

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// BitCast sees the bits of the elements as another type of the same width.
// https://onnx.ai/onnx/operators/onnx__BitCast.html   Departures: none.
var BitCast = op.Declare("", "BitCast", func() op.Def {
	return op.Def{
		Versions: op.Versions{26: ""}, Attrs: op.Attrs(op.Required("to", op.KindInt)), InPlace: op.FirstOnly,
		Shape: func(c *op.Infer) error {
			to := c.Attr.Int("to")
			if to <= 0 || to >= tensor.NumDTypes || tensor.DType(to) == tensor.Str {
				return errs.New(errs.Argument, "to is %d, which is no element type with bits of its own", to)
			}
			from, dtype := c.DType(0), tensor.DType(to)
			if from.Bits() != dtype.Bits() {
				return errs.New(errs.Argument, "an element of %v has %d bits, one of %v has %d: they must be as many", from, from.Bits(), dtype, dtype.Bits())
			}
			c.SetOutput(0, dtype, c.In(0))
			return nil
		},
		Run: func(c *op.Context) error {
			if out, in := c.Out(0), c.In(0); out.Data != in.Data {
				copy(out.Raw(), in.Raw())
			}
			return nil
		},
		DTypes: op.Uniform(struct{}{}, bitTypes...),
	}
})

// bitTypes are all element types but strings.
var bitTypes = []tensor.DType{
	tensor.F32, tensor.U8, tensor.I8, tensor.U16, tensor.I16, tensor.I32, tensor.I64, tensor.Bool, tensor.F16, tensor.F64, tensor.U32, tensor.U64, tensor.C64, tensor.C128,
	tensor.BF16, tensor.F8E4M3FN, tensor.F8E4M3UZ, tensor.F8E5M2, tensor.F8E5M2UZ, tensor.U4, tensor.I4, tensor.F4E2M1, tensor.F8E8M0, tensor.U2, tensor.I2,
}
