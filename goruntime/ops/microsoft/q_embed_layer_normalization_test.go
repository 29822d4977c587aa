package microsoft

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// quantizedTable is a table of n codes from a seed, its scale and zero point, and the
// numbers that they stand for.
func quantizedTable(d tensor.DType, seed, n int, zeroed bool) (codes []float64, scale, zero float64, values []float64) {
	low := 0
	if d == tensor.I8 {
		low = -128
	}
	if scale = float64(seed) / 64; zeroed {
		zero = float64(low + 40*seed)
	}
	for i := range n {
		code := float64(low + (i*i*seed+7*i)%256)
		codes, values = append(codes, code), append(values, (code-zero)*scale)
	}
	return codes, scale, zero, values
}

func TestQEmbedLayerNormalization(t *testing.T) {
	const n = 37
	ids, sides := []int32{0, 4, 2, 1, 1, 3}, []int32{0, 1, 1, 0, 0, 1}
	var cases []optest.Case
	for _, d := range byteTypes {
		for form := range 4 {
			segmented, zeroed := form%2 > 0, form/2 > 0
			in := make([]*tensor.View, 18)
			in[0] = optest.I32(optest.Dims(2, 3), ids...)
			var tables [5][]float64
			for i, shape := range [5]tensor.Shape{{5, n}, {4, n}, {2, n}, {n}, {n}} {
				if i == 2 && !segmented {
					continue
				}
				codes, scale, zero, values := quantizedTable(d, i+1, shape.Elements(), zeroed)
				in[2+i], in[8+i], tables[i] = optest.Filled(d, shape, codes...), optest.F32(nil, float32(scale)), values
				if zeroed {
					in[13+i] = optest.Filled(d, optest.Dims(1), zero)
				}
			}
			counts := []int32{0, 0}
			if segmented {
				in[1], in[7] = optest.I32(optest.Dims(2, 3), sides...), optest.I32(optest.Dims(2, 3), 1, 1, 0, 1, 1, 1)
				counts = []int32{2, 3}
			}
			var sum []float64
			for r, id := range ids {
				for k := range n {
					v := tables[0][int(id)*n+k] + tables[1][r%3*n+k]
					if segmented {
						v += tables[2][int(sides[r])*n+k]
					}
					sum = append(sum, v)
				}
			}
			y, _, _ := normalized(sum, tables[3], tables[4], 1e-3, false)
			cases = append(cases, optest.Case{
				Name: d.String(), Attrs: optest.Attrs("epsilon", 1e-3), In: in, Tol: tolerance[tensor.F32],
				Want: optest.Want(optest.Filled(tensor.F32, optest.Dims(2, 3, n), y...), optest.I32(optest.Dims(2), counts...)),
			})
		}
	}
	optest.Run(t, QEmbedLayerNormalization, cases)
}

func TestQEmbedLayerNormalizationErrors(t *testing.T) {
	one := optest.F32(nil, 1)
	in := func(change func(in []*tensor.View)) []*tensor.View {
		u := func(dims ...int) *tensor.View {
			return optest.Filled(tensor.U8, dims, optest.Counting(tensor.Shape(dims).Elements())...)
		}
		list := []*tensor.View{
			optest.I32(optest.Dims(1, 2), 0, 4), nil, u(5, 3), u(2, 3), nil, u(3), u(3), nil, one, one, nil, one, one,
			u(1), u(1), nil, u(1), u(1),
		}
		change(list)
		return list
	}
	optest.Run(t, QEmbedLayerNormalization, []optest.Case{
		{Name: "an index", In: in(func(in []*tensor.View) { in[0] = optest.I32(optest.Dims(1, 2), 0, 5) }), Err: "index 5 is out of range for an embedding of 5 rows", Code: errs.Compute},
		{Name: "scales", In: in(func(in []*tensor.View) { in[9] = optest.F32(optest.Dims(2), 1, 1) }), Err: "input 3 needs a scale of one number, input 9", Code: errs.Shape},
		{Name: "zero points", In: in(func(in []*tensor.View) { in[14] = optest.Filled(tensor.I8, optest.Dims(1), 1) }), Err: "input 3 has the zero point [1] of i8: one number of u8 expected", Code: errs.Shape},
		{Name: "segments without a scale", In: in(func(in []*tensor.View) { in[1], in[4] = in[0], in[3] }), Err: "input 4 needs a scale of one number, input 10", Code: errs.Shape},
	})
}
