package signal

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The values are those of numpy.fft.
func TestSTFT(t *testing.T) {
	for _, d := range STFT.Def().DTypes.Types() {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, STFT, []optest.Case{
			{
				Name: d.String() + " a window", Version: 17,
				In:   optest.In(of(optest.Dims(2, 8, 1), series(16, 7, 11, 5, 4)...), optest.I64(optest.Dims(), 2), of(optest.Dims(4), 0.5, 1, 0.75, 0.25)),
				Want: optest.Want(of(optest.Dims(2, 3, 3, 2), -0.1875, 0, -0.25, -0.1875, -1.8125, 0, 1, 0, -0.4375, -1.4375, -1.125, 0, 0.125, 0, -0.625, 0.75, 1.625, 0, -0.25, 0, -0.3125, -1.0625, -1.125, 0, -1.125, 0, -0.5, 1.125, 1.625, 0, 0.75, 0, -0.6875, 0.5625, 1.625, 0)), Tol: 8 * tolerance(d),
			},
			{
				Name: d.String() + " a length, both sides", Version: 17, Attrs: optest.Attrs("onesided", 0),
				In:   optest.In(of(optest.Dims(2, 8, 1), series(16, 7, 11, 5, 4)...), optest.I64(optest.Dims(), 3), nil, optest.I64(optest.Dims(), 5)),
				Want: optest.Want(of(optest.Dims(2, 2, 5, 2), 0.25, 0, -1.625, 0.7908601, -1.625, -1.811295, -1.625, 1.811295, -1.625, -0.7908601, 1.75, 0, 1.125, 0.7908601, 1.125, -1.811295, 1.125, 1.811295, 1.125, -0.7908601, -1.25, 0, 0.5997967, -0.8255494, -2.474797, 0.8041102, -2.474797, -0.8041102, 0.5997967, 0.8255494, 0.25, 0, -1.625, 0.7908601, -1.625, -1.811295, -1.625, 1.811295, -1.625, -0.7908601)), Tol: 8 * tolerance(d),
			},
			{
				Name: d.String() + " a window and its length, i32", Version: 17,
				In:   optest.In(of(optest.Dims(2, 8, 1), series(16, 7, 11, 5, 4)...), optest.I32(optest.Dims(), 1), of(optest.Dims(4), 0.5, 1, 0.75, 0.25), optest.I32(optest.Dims(), 4)),
				Want: optest.Want(of(optest.Dims(2, 5, 3, 2), -0.1875, 0, -0.25, -0.1875, -1.8125, 0, 0.75, 0, -0.6875, 0.5625, 1.625, 0, 1, 0, -0.4375, -1.4375, -1.125, 0, 0.5625, 0, 1.1875, 0, -0.4375, 0, 0.125, 0, -0.625, 0.75, 1.625, 0, -0.25, 0, -0.3125, -1.0625, -1.125, 0, -0.6875, 0, 1.3125, 0.375, -0.4375, 0, -1.125, 0, -0.5, 1.125, 1.625, 0, -0.1875, 0, -0.25, -0.1875, -1.8125, 0, 0.75, 0, -0.6875, 0.5625, 1.625, 0)), Tol: 8 * tolerance(d),
			},
			{
				Name: d.String() + " a complex signal", Version: 17, Attrs: optest.Attrs("onesided", 0),
				In:   optest.In(of(optest.Dims(1, 8, 2), series(16, 7, 11, 5, 4)...), optest.I64(optest.Dims(), 4), of(optest.Dims(4), 0.5, 1, 0.75, 0.25)),
				Want: optest.Want(of(optest.Dims(1, 2, 4, 2), -0.6875, 0.9375, 0.4375, 1.5625, -0.1875, -1.5625, -2.0625, 0.0625, -0.0625, -1.1875, -2.1875, 1.3125, -0.1875, 1.1875, 0.4375, 0.1875)), Tol: 8 * tolerance(d),
			},
			{
				Name: d.String() + " one frame", Version: 17,
				In:   optest.In(of(optest.Dims(2, 8, 1), series(16, 7, 11, 5, 4)...), optest.I64(optest.Dims(), 1)),
				Want: optest.Want(of(optest.Dims(2, 1, 5, 2), 0.5, 0, -1.5, -0.267767, -1.5, 1.5, -1.5, -3.267767, -1.5, 0, -0.25, 0, 0.4445437, 1.676777, -1.5, -1.25, -3.444544, -1.323223, 1.25, 0)), Tol: 8 * tolerance(d),
			},
		})
	}
}

// The messages of the shape rule.
func TestSTFTErrors(t *testing.T) {
	of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(tensor.F32, dims, v...) }
	optest.Run(t, STFT, []optest.Case{
		{Name: "a signal without parts", In: optest.In(of(optest.Dims(2, 8), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), optest.I64(optest.Dims(), 1)), Err: `the signal has shape [2, 8], [B, L, 1] or [B, L, 2] expected`, Code: errs.Shape},
		{Name: "another length", In: optest.In(of(optest.Dims(2, 8, 1), series(16, 7, 11, 5, 4)...), optest.I64(optest.Dims(), 1), of(optest.Dims(4), 0.5, 1, 0.75, 0.25), optest.I64(optest.Dims(), 5)), Err: `frame_length is 5, the window has 4 elements: they must be equal`, Code: errs.Shape},
		{Name: "step 0", In: optest.In(of(optest.Dims(2, 8, 1), series(16, 7, 11, 5, 4)...), optest.I64(optest.Dims(), 0), of(optest.Dims(4), 0.5, 1, 0.75, 0.25)), Err: `frames of 4 elements, 0 apart, on a signal of 8`, Code: errs.Shape},
		{Name: "too long a frame", In: optest.In(of(optest.Dims(2, 8, 1), series(16, 7, 11, 5, 4)...), optest.I64(optest.Dims(), 1), nil, optest.I64(optest.Dims(), 9)), Err: `frames of 9 elements, 1 apart, on a signal of 8`, Code: errs.Shape},
		{Name: "onesided of complex numbers", In: optest.In(of(optest.Dims(1, 8, 2), series(16, 7, 11, 5, 4)...), optest.I64(optest.Dims(), 1), of(optest.Dims(4), 0.5, 1, 0.75, 0.25)), Err: `a real signal expected, a complex one given`, Code: errs.Argument},
		{Name: "a matrix as window", In: optest.In(of(optest.Dims(2, 8, 1), series(16, 7, 11, 5, 4)...), optest.I64(optest.Dims(), 1), of(optest.Dims(2, 2), 1, 2, 3, 4)), Err: `the window has shape [2, 2], a rank of 1 expected`, Code: errs.Shape},
	})
}
