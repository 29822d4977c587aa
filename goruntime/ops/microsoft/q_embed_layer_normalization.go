package microsoft

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/igemm"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// QEmbedLayerNormalization is EmbedLayerNormalization of tables, gamma and beta in bytes,
// each with a scale and a zero point.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QEmbedLayerNormalization
// Departures: none. Zero points may be left out: they are 0.
var QEmbedLayerNormalization = op.Declare(domain, "QEmbedLayerNormalization", func() op.Def {
	also := map[int][]tensor.DType{0: {tensor.I32}, 1: {tensor.I32}, 7: {tensor.I32}}
	for i := range quantizedInputs {
		also[2+i], also[firstScale+i], also[firstZero+i] = byteTypes, []tensor.DType{tensor.F32}, byteTypes
	}
	return op.Def{
		Versions: op.Versions{1: ""}, Needs: []int{0, 2, 3, 5, 6, 8, 9, 11, 12}, Attrs: op.Attrs(op.Float("epsilon", 1e-12)),
		Shape: func(c *op.Infer) error {
			for i := range quantizedInputs {
				if !c.Has(2 + i) {
					continue
				}
				if s := firstScale + i; !c.Has(s) || c.In(s).Elements() != 1 {
					return errs.New(errs.Shape, "input %d needs a scale of one number, input %d", 2+i, s)
				}
				if z := firstZero + i; c.Has(z) && (c.In(z).Elements() != 1 || c.DType(z) != c.DType(2+i)) {
					return errs.New(errs.Shape, "input %d has the zero point %v of %v: one number of %v expected", 2+i, c.In(z), c.DType(z), c.DType(2+i))
				}
			}
			return embedShape(c, tensor.F32)
		},
		Prepare: embedPrepare,
		Run: func(c *op.Context) error {
			s := c.State.(*embedding)
			s.bind(c)
			s.factors.View, s.offsets.View = c.In(5), c.In(6)
			for i, b := range [quantizedInputs]*codebook{&s.words, &s.places, &s.segments, &s.factors, &s.offsets} {
				if b.View == nil {
					continue
				}
				b.scale, b.zero = tensor.Elems[float32](c.In(firstScale + i))[0], 0
				if c.Has(firstZero + i) {
					b.zero = c.In(firstZero + i).Raw()[0]
				}
			}
			s.gamma, s.beta = s.factors.row(0, s.n, s.atGamma.Floats(c)), s.offsets.row(0, s.n, s.atBeta.Floats(c))
			return s.normalize(c)
		},
		DTypes: op.Uniform(struct{}{}, byteTypes...),
		Key:    2,
		Also:   also,
	}
})

// The inputs 2 to 6 are quantized; where their scales and zero points begin.
const (
	quantizedInputs = 5
	firstScale      = 8
	firstZero       = 13
)

var byteTypes = []tensor.DType{tensor.U8, tensor.I8}

// dequantizers, of the types of a byte, read numbers from code at on.
var dequantizers = [tensor.NumDTypes]func(dst []float32, v *tensor.View, at int, b *codebook){
	tensor.U8: dequantize[uint8], tensor.I8: dequantize[int8],
}

func dequantize[T uint8 | int8](dst []float32, v *tensor.View, at int, b *codebook) {
	igemm.Dequantize(dst, tensor.Elems[T](v)[at:at+len(dst)], b.scale, T(b.zero))
}
