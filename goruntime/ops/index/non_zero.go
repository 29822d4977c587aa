package index

import (
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// NonZero lists the coordinates of the elements that are not zero, one column
// each; a NaN is not zero, an empty string is.
// https://onnx.ai/onnx/operators/onnx__NonZero.html   Departures: none.
var NonZero = op.Declare("", "NonZero", func() op.Def {
	return op.Def{
		Versions: op.Versions{9: "", 13: "bfloat16"},
		Computes: true,
		Prepare: func(c *op.Context) error {
			c.State = new([2]int)
			return nil
		},
		Run: nonZeroRun,
		DTypes: op.ByType(map[tensor.DType]nonZeroKernel{
			tensor.Bool: nonZero[bool], tensor.Str: nonZero[string],
			tensor.I8: nonZero[int8], tensor.I16: nonZero[int16], tensor.I32: nonZero[int32], tensor.I64: nonZero[int64],
			tensor.U8: nonZero[uint8], tensor.U16: nonZero[uint16], tensor.U32: nonZero[uint32], tensor.U64: nonZero[uint64],
			tensor.F32: nonZero[float32], tensor.F64: nonZero[float64], tensor.C64: nonZero[complex64], tensor.C128: nonZero[complex128],
			tensor.F16: nonZeroHalf, tensor.BF16: nonZeroHalf,
		}),
	}
})

// nonZeroKernel appends the positions of the elements that are not zero to
// found, which has room for all, and returns how many there are.
type nonZeroKernel func(found []int, in *tensor.View) int

func nonZero[T comparable](found []int, in *tensor.View) int {
	var zero T
	n := 0
	for i, x := range tensor.Elems[T](in) {
		found[n] = i
		if x != zero {
			n++
		}
	}
	return n
}

// nonZeroHalf tests the bits but for the sign.
func nonZeroHalf(found []int, in *tensor.View) int {
	n := 0
	for i, x := range tensor.Elems[uint16](in) {
		found[n] = i
		if x&0x7fff != 0 {
			n++
		}
	}
	return n
}

func nonZeroRun(c *op.Context) error {
	in := c.In(0)
	found, err := op.Temporary[int](c, in.Elements())
	if err != nil {
		return err
	}
	n := op.Row[nonZeroKernel](c)(found, in)
	shape := c.State.(*[2]int) // kept, since a local one would be allocated
	*shape = [2]int{len(in.Shape), n}
	y, err := c.MakeOutputTensor(0, tensor.I64, shape[:])
	if err != nil {
		return err
	}
	out := tensor.Elems[int64](y)
	for k, at := range found[:n] {
		for a := len(in.Shape) - 1; a >= 0; a-- {
			d := in.Shape[a]
			out[a*n+k] = int64(at % d)
			at /= d
		}
	}
	return nil
}
