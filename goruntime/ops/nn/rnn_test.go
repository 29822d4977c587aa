package nn

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The values are those of ONNX Runtime.
func TestRNN(t *testing.T) {
	for _, d := range RNN.Def().DTypes.Types() {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, RNN, []optest.Case{
			{
				Name: d.String() + " forward", Version: 22,
				In:   optest.In(of(optest.Dims(3, 2, 2), series(12, 7, 11, 5, 4)...), of(optest.Dims(1, 2, 2), series(4, 5, 13, 6, 8)...), of(optest.Dims(1, 2, 2), series(4, 3, 7, 3, 8)...), of(optest.Dims(1, 4), series(4, 5, 9, 4, 8)...)),
				Want: optest.Want(of(optest.Dims(3, 1, 2, 2), 0, -0.4621171, -0.5758624, -0.4621171, -0.7481545, 0.7318803, -0.8872926, 0.6149334, 0.06172931, -0.7024106, -0.1959481, 0.434474), of(optest.Dims(1, 2, 2), 0.06172931, -0.7024106, -0.1959481, 0.434474)), Tol: max(tolerance(d), 4e-6),
			},
			{
				Name: d.String() + " without bias", Version: 7,
				In:   optest.In(of(optest.Dims(3, 2, 2), series(12, 7, 11, 5, 4)...), of(optest.Dims(1, 2, 2), series(4, 5, 13, 6, 8)...), of(optest.Dims(1, 2, 2), series(4, 3, 7, 3, 8)...)),
				Want: optest.Want(of(optest.Dims(3, 1, 2, 2), 0.7039055, -0.7039056, 0.2153264, -0.7039056, -0.3431993, 0.6920882, -0.6808771, 0.5841476, 0.6555386, -0.796955, 0.5363938, 0.1699864), of(optest.Dims(1, 2, 2), 0.6555386, -0.796955, 0.5363938, 0.1699864)), Tol: max(tolerance(d), 4e-6),
			},
			{
				Name: d.String() + " a first state, the last state alone", Version: 22,
				In:   optest.In(of(optest.Dims(3, 2, 2), series(12, 7, 11, 5, 4)...), of(optest.Dims(1, 2, 2), series(4, 5, 13, 6, 8)...), of(optest.Dims(1, 2, 2), series(4, 3, 7, 3, 8)...), of(optest.Dims(1, 4), series(4, 5, 9, 4, 8)...), nil, of(optest.Dims(1, 2, 2), series(4, 3, 5, 2, 4)...)),
				Want: optest.Want(nil, of(optest.Dims(1, 2, 2), 0.0725708, -0.7102851, -0.1940891, 0.4304987)), Tol: max(tolerance(d), 4e-6),
			},
			{
				Name: d.String() + " reverse, sequences of different lengths", Version: 22, Attrs: optest.Attrs("direction", "reverse"),
				In:   optest.In(of(optest.Dims(3, 2, 2), series(12, 7, 11, 5, 4)...), of(optest.Dims(1, 2, 2), series(4, 5, 13, 6, 8)...), of(optest.Dims(1, 2, 2), series(4, 3, 7, 3, 8)...), of(optest.Dims(1, 4), series(4, 5, 9, 4, 8)...), optest.I32(optest.Dims(2), 3, 1)),
				Want: optest.Want(of(optest.Dims(3, 1, 2, 2), 0.2602739, -0.6925906, -0.5758624, -0.4621171, -0.7104058, 0.6921219, 0, 0, -0.2153263, -0.4621171, 0, 0), of(optest.Dims(1, 2, 2), 0.2602739, -0.6925906, -0.5758624, -0.4621171)), Tol: max(tolerance(d), 4e-6),
			},
			{
				Name: d.String() + " bidirectional with everything", Version: 14, Attrs: optest.Attrs("direction", "bidirectional"),
				In:   optest.In(of(optest.Dims(3, 2, 2), series(12, 7, 11, 5, 4)...), of(optest.Dims(2, 2, 2), series(8, 5, 13, 6, 8)...), of(optest.Dims(2, 2, 2), series(8, 3, 7, 3, 8)...), of(optest.Dims(2, 4), series(8, 5, 9, 4, 8)...), optest.I32(optest.Dims(2), 2, 3), of(optest.Dims(2, 2, 2), series(8, 3, 5, 2, 4)...)),
				Want: optest.Want(of(optest.Dims(3, 2, 2, 2), 0.1853333, -0.6161344, -0.50983, -0.5758624, -0.4411352, 0.7865317, 0.281705, 0.8580902, -0.777196, 0.7704836, -0.8924455, 0.6385944, -0.6534236, 0.6161344, -0.5320269, 0.3098407, 0, 0, -0.1940891, 0.4304987, 0, 0, -0.8392851, 0.5325873), of(optest.Dims(2, 2, 2), -0.777196, 0.7704836, -0.1940891, 0.4304987, -0.4411352, 0.7865317, 0.281705, 0.8580902)), Tol: max(tolerance(d), 4e-6),
			},
			{
				Name: d.String() + " clip", Version: 22, Attrs: optest.Attrs("clip", 0.25),
				In:   optest.In(of(optest.Dims(3, 2, 2), series(12, 7, 11, 5, 4)...), of(optest.Dims(1, 2, 2), series(4, 5, 13, 6, 8)...), of(optest.Dims(1, 2, 2), series(4, 3, 7, 3, 8)...), of(optest.Dims(1, 4), series(4, 5, 9, 4, 8)...), nil, of(optest.Dims(1, 2, 2), series(4, 3, 5, 2, 4)...)),
				Want: optest.Want(of(optest.Dims(3, 1, 2, 2), 0.1853333, -0.2449186, -0.2449186, -0.2449186, -0.2449186, 0.2449187, -0.2449186, 0.2449187, -0.1262286, -0.2449186, -0.2449186, 0.2449187), of(optest.Dims(1, 2, 2), -0.1262286, -0.2449186, -0.2449186, 0.2449187)), Tol: max(tolerance(d), 4e-6),
			},
			{
				Name: d.String() + " other activations", Version: 22, Attrs: optest.Attrs("activations", []string{"HardSigmoid"}, "activation_alpha", []float32{0.25}, "activation_beta", []float32{0.4}),
				In:   optest.In(of(optest.Dims(3, 2, 2), series(12, 7, 11, 5, 4)...), of(optest.Dims(1, 2, 2), series(4, 5, 13, 6, 8)...), of(optest.Dims(1, 2, 2), series(4, 3, 7, 3, 8)...), of(optest.Dims(1, 4), series(4, 5, 9, 4, 8)...), nil, of(optest.Dims(1, 2, 2), series(4, 3, 5, 2, 4)...)),
				Want: optest.Want(of(optest.Dims(3, 1, 2, 2), 0.446875, 0.2203125, 0.259375, 0.2359375, 0.115918, 0.6537598, 0, 0.6356934, 0.3344452, 0.2654373, 0.2671875, 0.5988846), of(optest.Dims(1, 2, 2), 0.3344452, 0.2654373, 0.2671875, 0.5988846)), Tol: max(tolerance(d), 4e-6),
			},
			{
				Name: d.String() + " batch first", Version: 22, Attrs: optest.Attrs("direction", "bidirectional", "layout", 1),
				In:   optest.In(of(optest.Dims(2, 3, 2), series(12, 7, 11, 5, 4)...), of(optest.Dims(2, 2, 2), series(8, 5, 13, 6, 8)...), of(optest.Dims(2, 2, 2), series(8, 3, 7, 3, 8)...), of(optest.Dims(2, 4), series(8, 5, 9, 4, 8)...), optest.I32(optest.Dims(2), 3, 2), of(optest.Dims(2, 2, 2), series(8, 3, 5, 2, 4)...)),
				Want: optest.Want(of(optest.Dims(2, 3, 2, 2), 0.1853333, -0.6161344, -0.303562, 0.794661, -0.6204584, -0.339461, 0.2210519, 0.849806, -0.6267698, 0.5946057, -0.7982427, 0.3027098, -0.9253463, 0.7340715, -0.4064291, 0.2974113, 0.1275562, -0.7346537, 0.1853333, 0.9106383, 0, 0, 0, 0), of(optest.Dims(2, 2, 2), -0.6267698, 0.5946057, -0.303562, 0.794661, 0.1275562, -0.7346537, -0.4064291, 0.2974113)), Tol: max(tolerance(d), 4e-6),
			},
		})
	}
}

// The values are those of ONNX Runtime.
func TestRNN1(t *testing.T) {
	for _, d := range []tensor.DType{tensor.F32} {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, RNN1, []optest.Case{
			{
				Name: d.String() + " output_sequence", Version: 1, Attrs: optest.Attrs("output_sequence", 1),
				In:   optest.In(of(optest.Dims(3, 2, 2), series(12, 7, 11, 5, 4)...), of(optest.Dims(1, 2, 2), series(4, 5, 13, 6, 8)...), of(optest.Dims(1, 2, 2), series(4, 3, 7, 3, 8)...), of(optest.Dims(1, 4), series(4, 5, 9, 4, 8)...)),
				Want: optest.Want(of(optest.Dims(3, 1, 2, 2), 0, -0.4621171, -0.5758624, -0.4621171, -0.7481545, 0.7318803, -0.8872926, 0.6149334, 0.06172931, -0.7024106, -0.1959481, 0.434474), of(optest.Dims(1, 2, 2), 0.06172931, -0.7024106, -0.1959481, 0.434474)), Tol: tolerance(d),
			},
		})
	}
}

// The messages of the shared rule.
func TestRNNErrors(t *testing.T) {
	of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(tensor.F32, dims, v...) }
	optest.Run(t, RNN, []optest.Case{
		{Name: "a direction", Attrs: optest.Attrs("direction", "back"), In: optest.In(of(optest.Dims(3, 2, 2), series(12, 7, 11, 5, 4)...), of(optest.Dims(1, 2, 2), series(4, 5, 13, 6, 8)...), of(optest.Dims(1, 2, 2), series(4, 3, 7, 3, 8)...), of(optest.Dims(1, 4), series(4, 5, 9, 4, 8)...)), Err: `direction "back" is none of forward, reverse, bidirectional`, Code: errs.Argument},
		{Name: "hidden_size", Attrs: optest.Attrs("hidden_size", 3), In: optest.In(of(optest.Dims(3, 2, 2), series(12, 7, 11, 5, 4)...), of(optest.Dims(1, 2, 2), series(4, 5, 13, 6, 8)...), of(optest.Dims(1, 2, 2), series(4, 3, 7, 3, 8)...), of(optest.Dims(1, 4), series(4, 5, 9, 4, 8)...)), Err: `hidden_size is 3, R has shape [1, 2, 2]`, Code: errs.Shape},
		{Name: "one direction given, two wanted", Attrs: optest.Attrs("direction", "bidirectional"), In: optest.In(of(optest.Dims(3, 2, 2), series(12, 7, 11, 5, 4)...), of(optest.Dims(1, 2, 2), series(4, 5, 13, 6, 8)...), of(optest.Dims(1, 2, 2), series(4, 3, 7, 3, 8)...), of(optest.Dims(1, 4), series(4, 5, 9, 4, 8)...)), Err: `[2, 2, 2] and [2, 2, 2] expected`, Code: errs.Shape},
		{Name: "a bias", In: optest.In(of(optest.Dims(3, 2, 2), series(12, 7, 11, 5, 4)...), of(optest.Dims(1, 2, 2), series(4, 5, 13, 6, 8)...), of(optest.Dims(1, 2, 2), series(4, 3, 7, 3, 8)...), of(optest.Dims(1, 1), 1)), Err: `input 3 has shape [1, 1], [1, 4] expected`, Code: errs.Shape},
		{Name: "too long a sequence", In: optest.In(of(optest.Dims(3, 2, 2), series(12, 7, 11, 5, 4)...), of(optest.Dims(1, 2, 2), series(4, 5, 13, 6, 8)...), of(optest.Dims(1, 2, 2), series(4, 3, 7, 3, 8)...), of(optest.Dims(1, 4), series(4, 5, 9, 4, 8)...), optest.I32(optest.Dims(2), 3, 4)), Err: `a sequence length is 4: it must lie in [0, 3]`, Code: errs.Compute},
		{Name: "too many activations", Attrs: optest.Attrs("activations", []string{"Tanh", "Tanh", "Tanh"}), In: optest.In(of(optest.Dims(3, 2, 2), series(12, 7, 11, 5, 4)...), of(optest.Dims(1, 2, 2), series(4, 5, 13, 6, 8)...), of(optest.Dims(1, 2, 2), series(4, 3, 7, 3, 8)...), of(optest.Dims(1, 4), series(4, 5, 9, 4, 8)...)), Err: `3 activations given, 1 expected`, Code: errs.Argument},
	})
}

// All layers once more with their directions on two threads, however small they are.
func TestDirectionsSideBySide(t *testing.T) {
	defer func(before int) { worthTwo = before }(worthTwo)
	worthTwo = 0
	for name, test := range map[string]func(*testing.T){"RNN": TestRNN, "GRU": TestGRU, "LSTM": TestLSTM, "DynamicQuantizeLSTM": TestDynamicQuantizeLSTM} {
		t.Run(name, test)
	}
}
