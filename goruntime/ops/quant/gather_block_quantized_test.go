package quant

import (
	"fmt"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// blockCase gathers of a matrix [rows, columns] of codes, which are row + 3 column wrapped
// into the range of the type, and are scaled by the number of their block, from 1 on.
func blockCase(d, out tensor.DType, bits, rows, columns, gather, quantize int, zeros bool, indices ...int64) optest.Case {
	const size = 16
	codes := 1
	if d == tensor.U8 {
		codes = 8 / bits
	}
	low := 0
	if d == tensor.I4 {
		low = 8
	}
	code := func(r, c int) int { return (r+3*c)%(1<<bits) - low }
	blocks := optest.Dims(rows, columns)
	blocks[quantize] = (blocks[quantize] + size - 1) / size
	of := func(r, c int) (scale, zero float64) {
		at := [2]int{r, c}
		at[quantize] /= size
		n := at[0]*blocks[1] + at[1]
		if !zeros && d == tensor.U8 {
			return float64(n + 1), float64(int(1) << (bits - 1))
		} else if !zeros {
			return float64(n + 1), 0
		}
		return float64(n + 1), float64(n%(1<<bits) - low)
	}
	// pack stores numbers of two dimensions as the type does; rows of bytes begin with one.
	pack := func(shape tensor.Shape, at func(r, c int) int) *tensor.View {
		row := (shape[1] + codes - 1) / codes
		if d != tensor.U8 {
			list := []float64{}
			for i := range shape.Elements() {
				list = append(list, float64(at(i/shape[1], i%shape[1])))
			}
			return optest.Filled(d, shape, list...)
		}
		list := make([]byte, shape[0]*row)
		for i := range shape.Elements() {
			r, c := i/shape[1], i%shape[1]
			list[r*row+c/codes] |= byte(at(r, c) << (c % codes * bits))
		}
		return optest.U8(optest.Dims(shape[0], row), list...)
	}
	scales, want := []float64{}, []float64{}
	for i := range blocks.Elements() {
		scales = append(scales, float64(i+1))
	}
	in := optest.In(pack(optest.Dims(rows, columns), code), optest.Ints(indices...), optest.Filled(out, blocks, scales...), nil)
	if zeros {
		in[3] = pack(blocks, func(r, c int) int { return (r*blocks[1]+c)%(1<<bits) - low })
	}
	shape := optest.Dims(rows, columns)
	n := shape[gather]
	shape[gather] = len(indices)
	for i := range shape.Elements() {
		at := [2]int{i / shape[1], i % shape[1]}
		k := int(indices[at[gather]])
		if k < -n || k >= n {
			want = append(want, 0)
			continue
		}
		at[gather] = (k + n) % n
		scale, zero := of(at[0], at[1])
		want = append(want, (float64(code(at[0], at[1]))-zero)*scale)
	}
	return optest.Case{
		Name:  fmt.Sprintf("%v of %d bits [%d, %d] along %d, blocks along %d, zeros %t, %v", d, bits, rows, columns, gather, quantize, zeros, out),
		Attrs: optest.Attrs("gather_axis", gather, "quantize_axis", quantize, "block_size", size, "bits", bits), In: in,
		Want: optest.Want(optest.Filled(out, shape, want...)),
	}
}

func TestGatherBlockQuantized(t *testing.T) {
	var cases []optest.Case
	for _, zeros := range []bool{false, true} {
		for _, out := range []tensor.DType{tensor.F32, tensor.F16} {
			for _, bits := range []int{2, 4, 8} {
				cases = append(cases, blockCase(tensor.U8, out, bits, 5, 40, 0, 1, zeros, 3, 0, -1, 3, 5, -6),
					blockCase(tensor.U8, out, bits, 3, 256, 0, 1, zeros, 2), blockCase(tensor.U8, out, bits, 1, 4, 0, 1, zeros, 0))
			}
			for _, d := range []tensor.DType{tensor.U4, tensor.I4} {
				for axes := range 4 {
					cases = append(cases, blockCase(d, out, 4, 7, 35, axes/2, axes%2, zeros, 3, -7, 6, 9), blockCase(d, out, 4, 33, 1, axes/2, axes%2, zeros, 0, 0))
				}
				cases = append(cases, blockCase(d, out, 4, 3, 300, 0, 1, zeros, 1), blockCase(d, out, 4, 3, 300, 0, 0, zeros, 1))
			}
		}
	}
	optest.Run(t, GatherBlockQuantized, cases)
}

func TestGatherBlockQuantizedErrors(t *testing.T) {
	bytes := optest.U8(optest.Dims(2, 8), 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8)
	scales, index := optest.F32(optest.Dims(2, 1), 1, 1), optest.Ints(0)
	optest.Run(t, GatherBlockQuantized, []optest.Case{
		{Name: "block_size", Attrs: optest.Attrs("block_size", 24), In: optest.In(bytes, index, scales), Err: "block_size is 24: a power of two from 16 on expected", Code: errs.Argument},
		{Name: "bits", Attrs: optest.Attrs("bits", 3), In: optest.In(bytes, index, scales), Err: "bits is 3: 2, 4 or 8 expected", Code: errs.Argument},
		{Name: "bits of a type", Attrs: optest.Attrs("bits", 8), In: optest.In(optest.Filled(tensor.U4, optest.Dims(1, 2), 1, 2), index, scales), Err: "bits is 8: 4 expected for data of u4", Code: errs.Argument},
		{Name: "axes of bytes", Attrs: optest.Attrs("gather_axis", 1), In: optest.In(bytes, index, scales), Err: "is gathered along axis 1 and quantized along axis 1: the first and the last expected", Code: errs.Argument},
		{Name: "scales", In: optest.In(bytes, index, optest.F32(optest.Dims(2, 2), 1, 1, 1, 1)), Err: "the scales have shape [2, 2], [2, 1] expected", Code: errs.Shape},
		{Name: "zero points", In: optest.In(bytes, index, scales, optest.U8(optest.Dims(2, 2), 1, 1, 1, 1)), Err: "the zero points have shape [2, 2] of u8, [2, 1] of u8 expected", Code: errs.Shape},
	})
}
