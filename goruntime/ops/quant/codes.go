package quant

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// codeRanges are the codes of the types that f32 holds less any zero point, and those
// of biases.
var codeRanges = [tensor.NumDTypes][2]float32{
	tensor.U8: {0, math.MaxUint8}, tensor.I8: {math.MinInt8, math.MaxInt8},
	tensor.U16: {0, math.MaxUint16}, tensor.I16: {math.MinInt16, math.MaxInt16},
	tensor.I32: {math.MinInt32, math.MaxInt32},
}

// codesOf reads the scale and the zero point of a tensor of type d: inputs 1 and 2 of
// QuantizeLinear and DequantizeLinear.
func codesOf(c *op.Infer, d tensor.DType) (op.Codes, bool) {
	r := codeRanges[d]
	s, err := c.View(1)
	if err != nil || r[0] == r[1] || s.DType != tensor.F32 || len(s.Shape) > 1 || s.Elements() != 1 {
		return op.Codes{}, false
	}
	codes := op.Codes{Scale: tensor.Elems[float32](s)[0], Low: r[0], High: r[1], Read: readers[d]}
	if c.Has(2) {
		z, err := c.View(2)
		if err != nil || z.DType != d {
			return codes, false
		}
		codes.Zero = float32(readers[d](z, 0))
	}
	return codes, true
}
