package nn

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// pattern is n numbers ((3i² + 5i) mod m - shift) * scale.
func pattern(n, m int, scale, shift float64) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = (float64((i*i*3+i*5)%m) - shift) * scale
	}
	return list
}

// weightCodes is n bytes that step through the range of a type.
func weightCodes(d tensor.DType, n, step, first int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = float64((i*step + first) % 256)
		if d == tensor.I8 {
			list[i] -= 128
		}
	}
	return list
}

// The expected numbers come from ONNX Runtime 1.32 on one thread: on several it
// quantizes the states of each sequence by themselves.
func TestDynamicQuantizeLSTM(t *testing.T) {
	const steps, batch, in, hidden = 3, 2, 3, 2
	f := func(values []float64, d ...int) *tensor.View {
		return optest.Filled(tensor.F32, optest.Dims(d...), values...)
	}
	w := func(d tensor.DType, dirs int) *tensor.View {
		return optest.Filled(d, optest.Dims(dirs, in, 4*hidden), weightCodes(d, dirs*in*4*hidden, 37, 11)...)
	}
	r := func(d tensor.DType, dirs int) *tensor.View {
		return optest.Filled(d, optest.Dims(dirs, hidden, 4*hidden), weightCodes(d, dirs*hidden*4*hidden, 53, 7)...)
	}
	i8 := func(n ...int) *tensor.View {
		return optest.Filled(tensor.I8, optest.Dims(n...), make([]float64, optest.Dims(n...).Elements())...)
	}
	x := f(pattern(steps*batch*in, 17, .125, 8), steps, batch, in)
	b := f(pattern(2*8*hidden, 13, .0625, 6), 2, 8*hidden)
	h0, c0 := f(pattern(2*batch*hidden, 7, .25, 3), 2, batch, hidden), f(pattern(2*batch*hidden, 5, .25, 2), 2, batch, hidden)
	ws, rs := optest.F32(optest.Dims(2), .01, .0075), optest.F32(optest.Dims(2), .005, .01)
	both := optest.Attrs("direction", "bidirectional", "hidden_size", hidden)
	optest.Run(t, DynamicQuantizeLSTM, []optest.Case{
		{
			Name: "signed weights, both directions, states", Attrs: both, Tol: 1e-5,
			In: optest.In(x, w(tensor.I8, 2), r(tensor.I8, 2), b, nil, h0, c0, nil, ws, i8(2), rs, i8(2)),
			Want: optest.Want(
				optest.F32(
					optest.Dims(steps, 2, batch, hidden), -0.394298, 0.2020779, 0.2117015, 0.1361687, -0.1115365, 0.1664279, -0.05127339, 0.3261001, -0.506176, 0.162993, 0.1625131, -0.03315247, -0.07540005, 0.1685367, -0.1522847, 0.3752702, -0.2678561, -0.02669011, -0.1837073, 0.03859163, -0.02459068, 0.3453369, 0.06217312, 0.1339522),
				optest.F32(optest.Dims(2, batch, hidden), -0.2678561, -0.02669011, -0.1837073, 0.03859163, -0.1115365, 0.1664279, -0.05127339, 0.3261001),
				optest.F32(optest.Dims(2, batch, hidden), -0.514968, -0.05729192, -0.304578, 0.1243734, -0.3192119, 0.4613346, -0.4163925, 0.5722989)),
		},
		{
			Name: "unsigned weights with zero points, sequences of several lengths", Attrs: both, Tol: 1e-5,
			In: optest.In(x, w(tensor.U8, 2), r(tensor.U8, 2), b, optest.I32(optest.Dims(2), 2, 3), nil, nil, nil, ws, optest.U8(optest.Dims(2), 128, 120), rs, optest.U8(optest.Dims(2), 128, 130)),
			Want: optest.Want(
				optest.F32(
					optest.Dims(steps, 2, batch, hidden), -0.2516515, 0.1642334, 0.2533389, 0.0649801, -0.06721499, 0.1211741, -0.05016005, 0.3076703, -0.459287, 0.1319686, 0.1956312, -0.06862316, -0.01560688, 0.1224327, -0.1642125, 0.320543, 0, 0, -0.1725493, 0.02162665, 0, 0, -0.1148069, 0.01731022),
				optest.F32(optest.Dims(2, batch, hidden), -0.459287, 0.1319686, -0.1725493, 0.02162665, -0.06721499, 0.1211741, -0.05016005, 0.3076703),
				optest.F32(optest.Dims(2, batch, hidden), -0.7545468, 0.2749462, -0.2832521, 0.06873995, -0.1928076, 0.3311386, -0.4081786, 0.5425069)),
		},
		{
			Name: "scales of gates, backwards", Attrs: optest.Attrs("direction", "reverse"), Tol: 1e-5,
			In:   optest.In(x, w(tensor.I8, 1), r(tensor.I8, 1), nil, nil, nil, nil, nil, f(pattern(4*hidden, 9, .001, -2), 1, 4*hidden), i8(1, 4*hidden), f(pattern(4*hidden, 7, .001, -3), 1, 4*hidden), i8(1, 4*hidden)),
			Want: optest.Want(optest.F32(optest.Dims(steps, 1, batch, hidden), -0.1475559, 0.1474029, 0.05955433, 0.04509714, -0.1848644, 0.01568216, 0.004403163, -0.04653715, 0.02607986, -0.09122653, -0.1227245, 0.0508656)),
		},
		{
			Name: "no steps", In: optest.In(f(nil, 0, batch, in), w(tensor.I8, 1), r(tensor.I8, 1), nil, nil, nil, nil, nil, optest.F32(optest.Dims(1), 1), i8(1), optest.F32(optest.Dims(1), 1), i8(1)),
			Want: optest.Want(f(nil, 0, 1, batch, hidden), f(make([]float64, 4), 1, batch, hidden), f(make([]float64, 4), 1, batch, hidden)),
		},
	})
}

func TestDynamicQuantizeLSTMErrors(t *testing.T) {
	one := optest.F32(optest.Dims(1), 1)
	zero := optest.U8(optest.Dims(1), 0)
	x, w := optest.F32(optest.Dims(1, 1, 1), 1), optest.U8(optest.Dims(1, 1, 4), 1, 2, 3, 4)
	optest.Run(t, DynamicQuantizeLSTM, []optest.Case{
		{Name: "ranks", In: optest.In(x, optest.U8(nil, 1), w, nil, nil, nil, nil, nil, one, zero, one, zero), Err: "W has shape [] and R [1, 1, 4]: each needs rank 3", Code: errs.Shape},
		{Name: "sizes", In: optest.In(x, optest.U8(optest.Dims(1, 4, 1), 1, 2, 3, 4), w, nil, nil, nil, nil, nil, one, zero, one, zero), Err: "X [T, B, I], W [D, I, 4*H] and R [D, H, 4*H] expected", Code: errs.Shape},
		{Name: "scales", In: optest.In(x, w, w, nil, nil, nil, nil, nil, optest.F32(optest.Dims(2), 1, 2), zero, one, zero), Err: "input 8 has shape [2]: one number for each direction", Code: errs.Shape},
		{Name: "weights", In: optest.In(x, optest.F32(optest.Dims(1, 1, 4), 1, 2, 3, 4), w, nil, nil, nil, nil, nil, one, zero, one, zero), Err: "input 1 is f32, one of [i8 u8] expected", Code: errs.Type},
		{Name: "direction", Attrs: optest.Attrs("direction", "up"), In: optest.In(x, w, w, nil, nil, nil, nil, nil, one, zero, one, zero), Err: `direction "up" is none of`, Code: errs.Argument},
	})
}
