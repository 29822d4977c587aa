package quant

import (
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// MatMulInteger multiplies matrices of bytes, less their zero points, into i32.
// https://onnx.ai/onnx/operators/onnx__MatMulInteger.html   Departures: none.
var MatMulInteger = op.Declare("", "MatMulInteger", func() op.Def {
	return op.Def{
		Versions: op.Versions{10: ""},
		Shape:    func(c *op.Infer) error { return productShape(c, c.In(0), c.In(1), tensor.I32) },
		Prepare: func(c *op.Context) error {
			var r op.Room
			p, err := newProduct(c, operands{a: 0, b: 1, zeroA: 2, zeroB: 3}, &r, false)
			c.State = p
			r.Need(c)
			return err
		},
		Run: func(c *op.Context) error {
			p := c.State.(*product)
			p.sums = tensor.Elems[int32](c.Out(0))
			p.run(c)
			return nil
		},
		DTypes: op.Uniform(struct{}{}, bytes...),
		Also:   map[int][]tensor.DType{1: bytes, 3: bytes},
	}
})

// bytes are the types that products take.
var bytes = []tensor.DType{tensor.I8, tensor.U8}
