package signal

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// tolerance returns how far results of a type may lie from seven digits.
func tolerance(d tensor.DType) float64 {
	switch d {
	case tensor.F16:
		return 1e-3
	case tensor.BF16:
		return 1e-2
	default:
		return 1e-6
	}
}

// series gives the numbers ((i*a) % m - s) / d, which every type holds exactly.
func series(n, a, m, s, d int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = float64(i*a%m-s) / float64(d)
	}
	return list
}

// The values are those of numpy.fft.
func TestDFT(t *testing.T) {
	for _, d := range DFT.Def().DTypes.Types() {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, DFT, []optest.Case{
			{
				Name: d.String() + " real", Version: 20,
				In:   optest.In(of(optest.Dims(2, 5, 1), series(10, 7, 11, 5, 4)...)),
				Want: optest.Want(of(optest.Dims(2, 5, 2), 0.25, 0, -1.625, 0.7908601, -1.625, -1.811295, -1.625, 1.811295, -1.625, -0.7908601, 0, 0, 0.5997967, -0.8255494, -2.474797, 0.8041102, -2.474797, -0.8041102, 0.5997967, 0.8255494)), Tol: 8 * tolerance(d),
			},
			{
				Name: d.String() + " complex", Version: 20,
				In:   optest.In(of(optest.Dims(2, 5, 2), series(20, 7, 11, 5, 4)...)),
				Want: optest.Want(of(optest.Dims(2, 5, 2), -1.5, 1.75, -2.690107, 1.690107, 1.356982, -2.356982, -0.6573883, -0.3426117, -2.759486, 1.759486, 0.75, -1.5, -0.4653107, -4.375896, 0.507185, 1.958017, -1.507185, -1.258424, -0.5346893, -1.073698)), Tol: 8 * tolerance(d),
			},
			{
				Name: d.String() + " inverse", Version: 20, Attrs: optest.Attrs("inverse", 1),
				In:   optest.In(of(optest.Dims(2, 5, 2), series(20, 7, 11, 5, 4)...)),
				Want: optest.Want(of(optest.Dims(2, 5, 2), -0.3, 0.35, -0.5518972, 0.3518972, -0.1314777, -0.06852234, 0.2713963, -0.4713964, -0.5380215, 0.3380215, 0.15, -0.3, -0.1069379, -0.2147396, -0.301437, -0.2516847, 0.101437, 0.3916034, -0.09306213, -0.8751791)), Tol: 8 * tolerance(d),
			},
			{
				Name: d.String() + " inverse of real numbers", Version: 20, Attrs: optest.Attrs("inverse", 1),
				In:   optest.In(of(optest.Dims(2, 5, 1), series(10, 7, 11, 5, 4)...)),
				Want: optest.Want(of(optest.Dims(2, 5, 2), 0.05, 0, -0.325, -0.158172, -0.325, 0.362259, -0.325, -0.362259, -0.325, 0.158172, 0, 0, 0.1199593, 0.1651099, -0.4949594, -0.160822, -0.4949594, 0.160822, 0.1199593, -0.1651099)), Tol: 8 * tolerance(d),
			},
			{
				Name: d.String() + " onesided", Version: 20, Attrs: optest.Attrs("onesided", 1),
				In:   optest.In(of(optest.Dims(2, 5, 1), series(10, 7, 11, 5, 4)...)),
				Want: optest.Want(of(optest.Dims(2, 3, 2), 0.25, 0, -1.625, 0.7908601, -1.625, -1.811295, 0, 0, 0.5997967, -0.8255494, -2.474797, 0.8041102)), Tol: 8 * tolerance(d),
			},
			{
				Name: d.String() + " onesided, an inner axis", Version: 20, Attrs: optest.Attrs("onesided", 1),
				In:   optest.In(of(optest.Dims(2, 3, 2, 1), series(12, 7, 11, 5, 4)...), nil, optest.I64(optest.Dims(), 1)),
				Want: optest.Want(of(optest.Dims(2, 2, 2, 2), -1.5, 0, 1, 0, -1.125, 0.649519, 0.25, -1.732051, -0.25, 0, -0.5, 0, 1.625, 0.649519, 0.25, -1.732051)), Tol: 8 * tolerance(d),
			},
			{
				Name: d.String() + " a negative axis", Version: 20,
				In:   optest.In(of(optest.Dims(2, 3, 2, 1), series(12, 7, 11, 5, 4)...), nil, optest.I64(optest.Dims(), -3)),
				Want: optest.Want(of(optest.Dims(2, 3, 2, 2), -1.5, 0, 1, 0, -1.125, 0.649519, 0.25, -1.732051, -1.125, -0.649519, 0.25, 1.732051, -0.25, 0, -0.5, 0, 1.625, 0.649519, 0.25, -1.732051, 1.625, -0.649519, 0.25, 1.732051)), Tol: 8 * tolerance(d),
			},
			{
				Name: d.String() + " the first axis", Version: 20,
				In:   optest.In(of(optest.Dims(2, 5, 1), series(10, 7, 11, 5, 4)...), nil, optest.I64(optest.Dims(1), 0)),
				Want: optest.Want(of(optest.Dims(2, 5, 2), -2, 0, 1.5, 0, -0.5, 0, 0.25, 0, 1, 0, -0.5, 0, -0.5, 0, -0.5, 0, 2.25, 0, -0.5, 0)), Tol: 8 * tolerance(d),
			},
			{
				Name: d.String() + " longer than the input", Version: 20,
				In:   optest.In(of(optest.Dims(2, 5, 1), series(10, 7, 11, 5, 4)...), optest.I64(optest.Dims(), 7)),
				Want: optest.Want(of(optest.Dims(2, 7, 2), 0.25, 0, -2.178448, -0.3373355, 0.02445867, 0.07742566, -2.346011, -1.582785, -2.346011, 1.582785, 0.02445867, -0.07742566, -2.178448, 0.3373355, 0, 0, 0.09873202, -0.02253494, -1.128393, -2.343133, -1.595339, 1.27224, -1.595339, -1.27224, -1.128393, 2.343133, 0.09873202, 0.02253494)), Tol: 8 * tolerance(d),
			},
			{
				Name: d.String() + " shorter than the input, i32", Version: 20,
				In:   optest.In(of(optest.Dims(2, 5, 1), series(10, 7, 11, 5, 4)...), optest.I32(optest.Dims(), 3)),
				Want: optest.Want(of(optest.Dims(2, 3, 2), -1.25, 0, -1.25, -0.8660254, -1.25, 0.8660254, 0.25, 0, -1.25, -0.8660254, -1.25, 0.8660254)), Tol: 8 * tolerance(d),
			},
			{
				Name: d.String() + " onesided inverse", Version: 20, Attrs: optest.Attrs("onesided", 1, "inverse", 1),
				In:   optest.In(of(optest.Dims(1, 4, 2), series(8, 7, 11, 5, 4)...)),
				Want: optest.Want(of(optest.Dims(1, 6, 1), -0.125, -0.6443376, -0.5773503, -0.125, 0.5773503, -0.3556624)), Tol: 8 * tolerance(d),
			},
			{
				Name: d.String() + " onesided inverse of odd length", Version: 20, Attrs: optest.Attrs("onesided", 1, "inverse", 1),
				In:   optest.In(of(optest.Dims(1, 4, 2), series(8, 7, 11, 5, 4)...), optest.I64(optest.Dims(), 7)),
				Want: optest.Want(of(optest.Dims(1, 7, 1), 0.03571429, -0.6112678, -0.4741613, -0.3913978, 0.2535898, 0.4081659, -0.470643)), Tol: 8 * tolerance(d),
			},
			{
				Name: d.String() + " onesided inverse, cut", Version: 20, Attrs: optest.Attrs("onesided", 1, "inverse", 1),
				In:   optest.In(of(optest.Dims(1, 4, 2), series(8, 7, 11, 5, 4)...), optest.I64(optest.Dims(), 4)),
				Want: optest.Want(of(optest.Dims(1, 4, 1), -0.5, -1, 0, 0.25)), Tol: 8 * tolerance(d),
			},
			{
				Name: d.String() + " onesided inverse, filled up", Version: 20, Attrs: optest.Attrs("onesided", 1, "inverse", 1),
				In:   optest.In(of(optest.Dims(1, 4, 2), series(8, 7, 11, 5, 4)...), optest.I64(optest.Dims(), 9)),
				Want: optest.Want(of(optest.Dims(1, 9, 1), 0.02777778, -0.3398864, -0.5380538, -0.2737891, -0.3051685, 0.09910518, 0.4960113, -0.104945, -0.3110514)), Tol: 8 * tolerance(d),
			},
			{
				Name: d.String() + " a large prime length", Version: 20, Attrs: optest.Attrs("onesided", 1),
				In:   optest.In(of(optest.Dims(1, 17, 1), series(17, 7, 11, 5, 4)...)),
				Want: optest.Want(of(optest.Dims(1, 9, 2), -0.5, 0, 0.1007805, -1.096384, -2.782245, 0.8645543, -3.828176, -0.7816625, -1.877573, -1.880906, 0.9072745, 1.50783, 1.439299, -6.486671, -0.871262, 1.158835, -3.463097, 1.033301)), Tol: 8 * tolerance(d),
			},
			{
				Name: d.String() + " no signals", Version: 20,
				In:   optest.In(of(optest.Dims(0, 3, 1))),
				Want: optest.Want(of(optest.Dims(0, 3, 2))), Tol: 8 * tolerance(d),
			},
		})
	}
}

// The values are those of numpy.fft.
func TestDFT17(t *testing.T) {
	for _, d := range DFT17.Def().DTypes.Types() {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, DFT17, []optest.Case{
			{
				Name: d.String() + " the default axis", Version: 17,
				In:   optest.In(of(optest.Dims(2, 3, 2, 1), series(12, 7, 11, 5, 4)...)),
				Want: optest.Want(of(optest.Dims(2, 3, 2, 2), -1.5, 0, 1, 0, -1.125, 0.649519, 0.25, -1.732051, -1.125, -0.649519, 0.25, 1.732051, -0.25, 0, -0.5, 0, 1.625, 0.649519, 0.25, -1.732051, 1.625, -0.649519, 0.25, 1.732051)), Tol: 8 * tolerance(d),
			},
			{
				Name: d.String() + " another axis", Version: 17, Attrs: optest.Attrs("axis", 2, "onesided", 1),
				In:   optest.In(of(optest.Dims(2, 3, 2, 1), series(12, 7, 11, 5, 4)...)),
				Want: optest.Want(of(optest.Dims(2, 3, 2, 2), -0.75, 0, -1.75, 0, 0.75, 0, -1.75, 0, -0.5, 0, 1, 0, 1, 0, 1, 0, -0.25, 0, -1.75, 0, -1.5, 0, 1, 0)), Tol: 8 * tolerance(d),
			},
			{
				Name: d.String() + " a negative axis and a length", Version: 17, Attrs: optest.Attrs("axis", -2),
				In:   optest.In(of(optest.Dims(2, 3, 2, 1), series(12, 7, 11, 5, 4)...), optest.I64(optest.Dims(), 3)),
				Want: optest.Want(of(optest.Dims(2, 3, 3, 2), -0.75, 0, -1.5, -0.4330127, -1.5, 0.4330127, 0.75, 0, -1.125, -1.082532, -1.125, 1.082532, -0.5, 0, 0.625, 0.649519, 0.625, -0.649519, 1, 0, 1, 0, 1, 0, -0.25, 0, -1.375, -0.649519, -1.375, 0.649519, -1.5, 0, 0.375, 1.082532, 0.375, -1.082532)), Tol: 8 * tolerance(d),
			},
		})
	}
}

// The messages of the shape rule.
func TestDFTErrors(t *testing.T) {
	of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(tensor.F32, dims, v...) }
	optest.Run(t, DFT, []optest.Case{
		{Name: "no parts", In: optest.In(of(optest.Dims(2, 3), 1, 2, 3, 4, 5, 6)), Err: `the input has shape [2, 3]: a rank of 2 or more and a last dimension of 1 or 2 expected`, Code: errs.Shape},
		{Name: "the axis of the parts", In: optest.In(of(optest.Dims(2, 5, 1), series(10, 7, 11, 5, 4)...), nil, optest.I64(optest.Dims(), -1)), Err: `axis -1 is out of range for rank 3: it must lie in [-3, -2] or [0, 1]`, Code: errs.Shape},
		{Name: "an axis outside", In: optest.In(of(optest.Dims(2, 5, 1), series(10, 7, 11, 5, 4)...), nil, optest.I64(optest.Dims(), 2)), Err: `axis 2 is out of range for rank 3`, Code: errs.Shape},
		{Name: "length 0", In: optest.In(of(optest.Dims(2, 5, 1), series(10, 7, 11, 5, 4)...), optest.I64(optest.Dims(), 0)), Err: `the length of the transform is 0: it must be positive`, Code: errs.Shape},
		{Name: "two lengths", In: optest.In(of(optest.Dims(2, 5, 1), series(10, 7, 11, 5, 4)...), optest.I64(optest.Dims(2), 1, 2)), Err: `dft_length has 2 elements, one expected`, Code: errs.Shape},
		{Name: "onesided of complex numbers", Attrs: optest.Attrs("onesided", 1), In: optest.In(of(optest.Dims(2, 5, 2), series(20, 7, 11, 5, 4)...)), Err: `onesided is set: real input expected, complex input given`, Code: errs.Argument},
		{Name: "onesided inverse of real numbers", Attrs: optest.Attrs("onesided", 1, "inverse", 1), In: optest.In(of(optest.Dims(2, 5, 1), series(10, 7, 11, 5, 4)...)), Err: `complex input expected, real input given`, Code: errs.Argument},
	})
}
