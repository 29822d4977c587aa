package nn

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The values are those of ONNX Runtime.
func TestGRU(t *testing.T) {
	for _, d := range GRU.Def().DTypes.Types() {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, GRU, []optest.Case{
			{
				Name: d.String() + " forward", Version: 22,
				In:   optest.In(of(optest.Dims(3, 2, 2), series(12, 7, 11, 5, 4)...), of(optest.Dims(1, 6, 2), series(12, 5, 13, 6, 8)...), of(optest.Dims(1, 6, 2), series(12, 3, 7, 3, 8)...), of(optest.Dims(1, 12), series(12, 5, 9, 4, 8)...)),
				Want: optest.Want(of(optest.Dims(3, 1, 2, 2), 0.2521261, -0.4205949, 0.1112348, -0.3673394, -0.1521323, -0.2481434, -0.5158561, -0.163235, 0.1203673, -0.5231929, -0.2411913, -0.03384737), of(optest.Dims(1, 2, 2), 0.1203673, -0.5231929, -0.2411913, -0.03384737)), Tol: max(tolerance(d), 4e-6),
			},
			{
				Name: d.String() + " without bias", Version: 7,
				In:   optest.In(of(optest.Dims(3, 2, 2), series(12, 7, 11, 5, 4)...), of(optest.Dims(1, 6, 2), series(12, 5, 13, 6, 8)...), of(optest.Dims(1, 6, 2), series(12, 3, 7, 3, 8)...)),
				Want: optest.Want(of(optest.Dims(3, 1, 2, 2), 0.192247, -0.5280362, 0.1348661, -0.4611766, -0.0440324, -0.2244781, -0.3791412, -0.1197118, 0.1450878, -0.5834699, -0.1823946, 0.05276098), of(optest.Dims(1, 2, 2), 0.1450878, -0.5834699, -0.1823946, 0.05276098)), Tol: max(tolerance(d), 4e-6),
			},
			{
				Name: d.String() + " a first state, the last state alone", Version: 22,
				In:   optest.In(of(optest.Dims(3, 2, 2), series(12, 7, 11, 5, 4)...), of(optest.Dims(1, 6, 2), series(12, 5, 13, 6, 8)...), of(optest.Dims(1, 6, 2), series(12, 3, 7, 3, 8)...), of(optest.Dims(1, 12), series(12, 5, 9, 4, 8)...), nil, of(optest.Dims(1, 2, 2), series(4, 3, 5, 2, 4)...)),
				Want: optest.Want(nil, of(optest.Dims(1, 2, 2), 0.07890273, -0.4905913, -0.2264755, 0.09243608)), Tol: max(tolerance(d), 4e-6),
			},
			{
				Name: d.String() + " reverse, sequences of different lengths", Version: 22, Attrs: optest.Attrs("direction", "reverse"),
				In:   optest.In(of(optest.Dims(3, 2, 2), series(12, 7, 11, 5, 4)...), of(optest.Dims(1, 6, 2), series(12, 5, 13, 6, 8)...), of(optest.Dims(1, 6, 2), series(12, 3, 7, 3, 8)...), of(optest.Dims(1, 12), series(12, 5, 9, 4, 8)...), optest.I32(optest.Dims(2), 3, 1)),
				Want: optest.Want(of(optest.Dims(3, 1, 2, 2), 0.1385884, -0.5326154, 0.1112348, -0.3673394, -0.1569081, -0.2334377, 0, 0, 0.2274486, -0.404389, 0, 0), of(optest.Dims(1, 2, 2), 0.1385884, -0.5326154, 0.1112348, -0.3673394)), Tol: max(tolerance(d), 4e-6),
			},
			{
				Name: d.String() + " bidirectional with everything", Version: 14, Attrs: optest.Attrs("direction", "bidirectional"),
				In:   optest.In(of(optest.Dims(3, 2, 2), series(12, 7, 11, 5, 4)...), of(optest.Dims(2, 6, 2), series(24, 5, 13, 6, 8)...), of(optest.Dims(2, 6, 2), series(24, 3, 7, 3, 8)...), of(optest.Dims(2, 12), series(24, 5, 9, 4, 8)...), optest.I32(optest.Dims(2), 2, 3), of(optest.Dims(2, 2, 2), series(8, 3, 5, 2, 4)...)),
				Want: optest.Want(of(optest.Dims(3, 2, 2, 2), -0.06539509, -0.3473627, 0.05576362, -0.1616081, -0.2429987, 0.08961876, -0.3726886, 0.3430718, -0.2349845, -0.170278, -0.509259, 0.005367279, 0.3095881, -0.3189945, 0.546837, 0.009291068, 0, 0, -0.2264755, 0.09243608, 0, 0, 0.4408593, -0.3757563), of(optest.Dims(2, 2, 2), -0.2349845, -0.170278, -0.2264755, 0.09243608, -0.2429987, 0.08961876, -0.3726886, 0.3430718)), Tol: max(tolerance(d), 4e-6),
			},
			{
				Name: d.String() + " clip", Version: 22, Attrs: optest.Attrs("clip", 0.25),
				In:   optest.In(of(optest.Dims(3, 2, 2), series(12, 7, 11, 5, 4)...), of(optest.Dims(1, 6, 2), series(12, 5, 13, 6, 8)...), of(optest.Dims(1, 6, 2), series(12, 3, 7, 3, 8)...), of(optest.Dims(1, 12), series(12, 5, 9, 4, 8)...), nil, of(optest.Dims(1, 2, 2), series(4, 3, 5, 2, 4)...)),
				Want: optest.Want(of(optest.Dims(3, 1, 2, 2), -0.1738571, -0.02823163, 0.02823163, 0.08122425, -0.2138062, 0.09136, -0.125327, 0.1528935, 0.002790809, -0.09768795, -0.02392912, 0.1931843), of(optest.Dims(1, 2, 2), 0.002790809, -0.09768795, -0.02392912, 0.1931843)), Tol: max(tolerance(d), 4e-6),
			},
			{
				Name: d.String() + " other activations", Version: 22, Attrs: optest.Attrs("activations", []string{"HardSigmoid", "Softsign"}, "activation_alpha", []float32{0.25, 0.5}, "activation_beta", []float32{0.4}),
				In:   optest.In(of(optest.Dims(3, 2, 2), series(12, 7, 11, 5, 4)...), of(optest.Dims(1, 6, 2), series(12, 5, 13, 6, 8)...), of(optest.Dims(1, 6, 2), series(12, 3, 7, 3, 8)...), of(optest.Dims(1, 12), series(12, 5, 9, 4, 8)...), nil, of(optest.Dims(1, 2, 2), series(4, 3, 5, 2, 4)...)),
				Want: optest.Want(of(optest.Dims(3, 1, 2, 2), -0.05335508, -0.2734653, 0.06300888, -0.1426489, -0.195121, -0.09405115, -0.4085976, 0.01840767, 0.1038531, -0.3527689, -0.1303025, 0.09758131), of(optest.Dims(1, 2, 2), 0.1038531, -0.3527689, -0.1303025, 0.09758131)), Tol: max(tolerance(d), 4e-6),
			},
			{
				Name: d.String() + " batch first", Version: 22, Attrs: optest.Attrs("direction", "bidirectional", "layout", 1),
				In:   optest.In(of(optest.Dims(2, 3, 2), series(12, 7, 11, 5, 4)...), of(optest.Dims(2, 6, 2), series(24, 5, 13, 6, 8)...), of(optest.Dims(2, 6, 2), series(24, 3, 7, 3, 8)...), of(optest.Dims(2, 12), series(24, 5, 9, 4, 8)...), optest.I32(optest.Dims(2), 3, 2), of(optest.Dims(2, 2, 2), series(8, 3, 5, 2, 4)...)),
				Want: optest.Want(of(optest.Dims(2, 3, 2, 2), -0.06539509, -0.3473627, -0.5222143, 0.5069314, 0.03709084, -0.532895, -0.4801974, 0.4351611, -0.2222798, -0.3260198, 0.0705089, 0.2049974, -0.5428123, -0.2623292, 0.08090921, 0.2763082, -0.1193002, -0.5393843, -0.3159436, 0.1461237, 0, 0, 0, 0), of(optest.Dims(2, 2, 2), -0.2222798, -0.3260198, -0.5222143, 0.5069314, -0.1193002, -0.5393843, 0.08090921, 0.2763082)), Tol: max(tolerance(d), 4e-6),
			},
			{
				Name: d.String() + " linear before reset", Version: 22, Attrs: optest.Attrs("linear_before_reset", 1),
				In:   optest.In(of(optest.Dims(3, 2, 2), series(12, 7, 11, 5, 4)...), of(optest.Dims(1, 6, 2), series(12, 5, 13, 6, 8)...), of(optest.Dims(1, 6, 2), series(12, 3, 7, 3, 8)...), of(optest.Dims(1, 12), series(12, 5, 9, 4, 8)...), nil, of(optest.Dims(1, 2, 2), series(4, 3, 5, 2, 4)...)),
				Want: optest.Want(of(optest.Dims(3, 1, 2, 2), -0.08705555, -0.284975, 0.03198899, -0.08793868, -0.28234, -0.07584077, -0.5397895, 0.09907368, 0.03543298, -0.3981728, -0.2926087, 0.2242347), of(optest.Dims(1, 2, 2), 0.03543298, -0.3981728, -0.2926087, 0.2242347)), Tol: max(tolerance(d), 4e-6),
			},
			{
				Name: d.String() + " linear before reset, without bias", Version: 22, Attrs: optest.Attrs("linear_before_reset", 1),
				In:   optest.In(of(optest.Dims(3, 2, 2), series(12, 7, 11, 5, 4)...), of(optest.Dims(1, 6, 2), series(12, 5, 13, 6, 8)...), of(optest.Dims(1, 6, 2), series(12, 3, 7, 3, 8)...), nil, nil, of(optest.Dims(1, 2, 2), series(4, 3, 5, 2, 4)...)),
				Want: optest.Want(of(optest.Dims(3, 1, 2, 2), -0.1969737, -0.472236, 0.02943376, -0.3087446, -0.2090924, -0.1490811, -0.3977321, -0.002581462, 0.03075382, -0.5609863, -0.1882253, 0.1306396), of(optest.Dims(1, 2, 2), 0.03075382, -0.5609863, -0.1882253, 0.1306396)), Tol: max(tolerance(d), 4e-6),
			},
			{
				Name: d.String() + " linear before reset, bidirectional, lengths", Version: 22, Attrs: optest.Attrs("linear_before_reset", 1, "direction", "bidirectional"),
				In:   optest.In(of(optest.Dims(3, 2, 2), series(12, 7, 11, 5, 4)...), of(optest.Dims(2, 6, 2), series(24, 5, 13, 6, 8)...), of(optest.Dims(2, 6, 2), series(24, 3, 7, 3, 8)...), of(optest.Dims(2, 12), series(24, 5, 9, 4, 8)...), optest.I32(optest.Dims(2), 1, 3)),
				Want: optest.Want(of(optest.Dims(3, 2, 2, 2), 0.231647, -0.3747366, 0.08366261, -0.3120408, -0.3017567, 0.1700231, -0.3290446, 0.2731285, 0, 0, -0.5474073, -0.08388948, 0, 0, 0.4915659, -0.03817131, 0, 0, -0.3027381, 0.08734915, 0, 0, 0.27451, -0.3467065), of(optest.Dims(2, 2, 2), 0.231647, -0.3747366, -0.3027381, 0.08734915, -0.3017567, 0.1700231, -0.3290446, 0.2731285)), Tol: max(tolerance(d), 4e-6),
			},
			{
				Name: d.String() + " hidden_size", Version: 22, Attrs: optest.Attrs("hidden_size", 2),
				In:   optest.In(of(optest.Dims(3, 2, 2), series(12, 7, 11, 5, 4)...), of(optest.Dims(1, 6, 2), series(12, 5, 13, 6, 8)...), of(optest.Dims(1, 6, 2), series(12, 3, 7, 3, 8)...), of(optest.Dims(1, 12), series(12, 5, 9, 4, 8)...)),
				Want: optest.Want(of(optest.Dims(3, 1, 2, 2), 0.2521261, -0.4205949, 0.1112348, -0.3673394, -0.1521323, -0.2481434, -0.5158561, -0.163235, 0.1203673, -0.5231929, -0.2411913, -0.03384737), of(optest.Dims(1, 2, 2), 0.1203673, -0.5231929, -0.2411913, -0.03384737)), Tol: max(tolerance(d), 4e-6),
			},
		})
	}
}

// The values are those of ONNX Runtime.
func TestGRU3(t *testing.T) {
	for _, d := range []tensor.DType{tensor.F32} {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, GRU3, []optest.Case{
			{
				Name: d.String() + " output_sequence", Version: 3, Attrs: optest.Attrs("output_sequence", 1),
				In:   optest.In(of(optest.Dims(3, 2, 2), series(12, 7, 11, 5, 4)...), of(optest.Dims(1, 6, 2), series(12, 5, 13, 6, 8)...), of(optest.Dims(1, 6, 2), series(12, 3, 7, 3, 8)...), of(optest.Dims(1, 12), series(12, 5, 9, 4, 8)...)),
				Want: optest.Want(of(optest.Dims(3, 1, 2, 2), 0.2521261, -0.4205949, 0.1112348, -0.3673394, -0.1521323, -0.2481434, -0.5158561, -0.163235, 0.1203673, -0.5231929, -0.2411913, -0.03384737), of(optest.Dims(1, 2, 2), 0.1203673, -0.5231929, -0.2411913, -0.03384737)), Tol: tolerance(d),
			},
		})
	}
}

// The values are those of ONNX Runtime.
func TestGRU1(t *testing.T) {
	for _, d := range []tensor.DType{tensor.F32} {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, GRU1, []optest.Case{
			{
				Name: d.String() + " the default direction", Version: 1,
				In:   optest.In(of(optest.Dims(3, 2, 2), series(12, 7, 11, 5, 4)...), of(optest.Dims(1, 6, 2), series(12, 5, 13, 6, 8)...), of(optest.Dims(1, 6, 2), series(12, 3, 7, 3, 8)...), of(optest.Dims(1, 12), series(12, 5, 9, 4, 8)...)),
				Want: optest.Want(of(optest.Dims(3, 1, 2, 2), 0.2521261, -0.4205949, 0.1112348, -0.3673394, -0.1521323, -0.2481434, -0.5158561, -0.163235, 0.1203673, -0.5231929, -0.2411913, -0.03384737), of(optest.Dims(1, 2, 2), 0.1203673, -0.5231929, -0.2411913, -0.03384737)), Tol: tolerance(d),
			},
		})
	}
}

// The messages of the shared rule.
func TestGRUErrors(t *testing.T) {
	of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(tensor.F32, dims, v...) }
	optest.Run(t, GRU, []optest.Case{
		{Name: "a direction", Attrs: optest.Attrs("direction", "back"), In: optest.In(of(optest.Dims(3, 2, 2), series(12, 7, 11, 5, 4)...), of(optest.Dims(1, 6, 2), series(12, 5, 13, 6, 8)...), of(optest.Dims(1, 6, 2), series(12, 3, 7, 3, 8)...), of(optest.Dims(1, 12), series(12, 5, 9, 4, 8)...)), Err: `direction "back" is none of forward, reverse, bidirectional`, Code: errs.Argument},
		{Name: "hidden_size", Attrs: optest.Attrs("hidden_size", 3), In: optest.In(of(optest.Dims(3, 2, 2), series(12, 7, 11, 5, 4)...), of(optest.Dims(1, 6, 2), series(12, 5, 13, 6, 8)...), of(optest.Dims(1, 6, 2), series(12, 3, 7, 3, 8)...), of(optest.Dims(1, 12), series(12, 5, 9, 4, 8)...)), Err: `hidden_size is 3, R has shape [1, 6, 2]`, Code: errs.Shape},
		{Name: "one direction given, two wanted", Attrs: optest.Attrs("direction", "bidirectional"), In: optest.In(of(optest.Dims(3, 2, 2), series(12, 7, 11, 5, 4)...), of(optest.Dims(1, 6, 2), series(12, 5, 13, 6, 8)...), of(optest.Dims(1, 6, 2), series(12, 3, 7, 3, 8)...), of(optest.Dims(1, 12), series(12, 5, 9, 4, 8)...)), Err: `[2, 6, 2] and [2, 6, 2] expected`, Code: errs.Shape},
		{Name: "a bias", In: optest.In(of(optest.Dims(3, 2, 2), series(12, 7, 11, 5, 4)...), of(optest.Dims(1, 6, 2), series(12, 5, 13, 6, 8)...), of(optest.Dims(1, 6, 2), series(12, 3, 7, 3, 8)...), of(optest.Dims(1, 1), 1)), Err: `input 3 has shape [1, 1], [1, 12] expected`, Code: errs.Shape},
		{Name: "too long a sequence", In: optest.In(of(optest.Dims(3, 2, 2), series(12, 7, 11, 5, 4)...), of(optest.Dims(1, 6, 2), series(12, 5, 13, 6, 8)...), of(optest.Dims(1, 6, 2), series(12, 3, 7, 3, 8)...), of(optest.Dims(1, 12), series(12, 5, 9, 4, 8)...), optest.I32(optest.Dims(2), 3, 4)), Err: `a sequence length is 4: it must lie in [0, 3]`, Code: errs.Compute},
		{Name: "too many activations", Attrs: optest.Attrs("activations", []string{"Tanh", "Tanh", "Tanh"}), In: optest.In(of(optest.Dims(3, 2, 2), series(12, 7, 11, 5, 4)...), of(optest.Dims(1, 6, 2), series(12, 5, 13, 6, 8)...), of(optest.Dims(1, 6, 2), series(12, 3, 7, 3, 8)...), of(optest.Dims(1, 12), series(12, 5, 9, 4, 8)...)), Err: `3 activations given, 2 expected`, Code: errs.Argument},
	})
}

// Without sequences there is nothing to compute, in any of the recurrent operators.
func TestNoSequences(t *testing.T) {
	for _, c := range []struct {
		of    *op.Operator
		gates int
	}{{RNN, 1}, {GRU, 3}, {LSTM, 4}} {
		for _, direction := range []string{"forward", "bidirectional"} {
			d := map[string]int{"forward": 1, "bidirectional": 2}[direction]
			optest.Run(t, c.of, []optest.Case{{
				Name: direction, Version: 22, Attrs: optest.Attrs("direction", direction, "hidden_size", 2),
				In:   optest.In(optest.F32(optest.Dims(3, 0, 2)), optest.Filled(tensor.F32, optest.Dims(d, 2*c.gates, 2), make([]float64, 4*d*c.gates)...), optest.Filled(tensor.F32, optest.Dims(d, 2*c.gates, 2), make([]float64, 4*d*c.gates)...)),
				Want: optest.Want(optest.F32(optest.Dims(3, d, 0, 2)), optest.F32(optest.Dims(d, 0, 2))),
			}})
		}
	}
}
