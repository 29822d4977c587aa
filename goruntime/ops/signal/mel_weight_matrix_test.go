package signal

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
)

// The values are those of the reference implementation.
func TestMelWeightMatrix(t *testing.T) {
	optest.Run(t, MelWeightMatrix, []optest.Case{
		{
			Name: "four bands", Version: 17,
			In:   optest.In(optest.I64(optest.Dims(), 4), optest.I64(optest.Dims(), 16), optest.I64(optest.Dims(), 8192), optest.F32(optest.Dims(), 0), optest.F32(optest.Dims(), 4096)),
			Want: optest.Want(optest.F32(optest.Dims(9, 4), 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0.5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)), Tol: 1e-6,
		},
		{
			Name: "f64 edges, i32 sizes", Version: 17,
			In:   optest.In(optest.I32(optest.Dims(), 3), optest.I32(optest.Dims(), 20), optest.I32(optest.Dims(), 8000), optest.F64(optest.Dims(), 100), optest.F64(optest.Dims(), 3000)),
			Want: optest.Want(optest.F32(optest.Dims(11, 3), 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0.5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)), Tol: 1e-6,
		},
		{
			Name: "f64", Version: 17, Attrs: optest.Attrs("output_datatype", 11),
			In:   optest.In(optest.I64(optest.Dims(), 2), optest.I64(optest.Dims(), 16), optest.I64(optest.Dims(), 8192), optest.F32(optest.Dims(), 0), optest.F32(optest.Dims(), 4096)),
			Want: optest.Want(optest.F64(optest.Dims(9, 2), 1, 0, 0.5, 0.5, 0, 1, 0, 0.5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)), Tol: 1e-6,
		},
		{
			Name: "no band", Version: 17,
			In:   optest.In(optest.I64(optest.Dims(), 0), optest.I64(optest.Dims(), 4), optest.I64(optest.Dims(), 8192), optest.F32(optest.Dims(), 0), optest.F32(optest.Dims(), 4096)),
			Want: optest.Want(optest.F32(optest.Dims(3, 0))), Tol: 1e-6,
		},
	})
}

// The messages of the rule and the run.
func TestMelWeightMatrixErrors(t *testing.T) {
	optest.Run(t, MelWeightMatrix, []optest.Case{
		{Name: "an edge beyond the spectrum", In: optest.In(optest.I64(optest.Dims(), 4), optest.I64(optest.Dims(), 16), optest.I64(optest.Dims(), 8192), optest.F32(optest.Dims(), 0), optest.F32(optest.Dims(), 80000)), Err: `the edges 0 and 80000 hertz leave the spectrum of 16 samples at 8192 hertz`, Code: errs.Compute},
		{Name: "a negative edge", In: optest.In(optest.I64(optest.Dims(), 4), optest.I64(optest.Dims(), 16), optest.I64(optest.Dims(), 8192), optest.F32(optest.Dims(), -600), optest.F32(optest.Dims(), 4096)), Err: `leave the spectrum`, Code: errs.Compute},
		{Name: "a rate of 0", In: optest.In(optest.I64(optest.Dims(), 4), optest.I64(optest.Dims(), 16), optest.I64(optest.Dims(), 0), optest.F32(optest.Dims(), 0), optest.F32(optest.Dims(), 1)), Err: `sample_rate is 0: it must be positive`, Code: errs.Argument},
		{Name: "length 0", In: optest.In(optest.I64(optest.Dims(), 4), optest.I64(optest.Dims(), 0), optest.I64(optest.Dims(), 1), optest.F32(optest.Dims(), 0), optest.F32(optest.Dims(), 1)), Err: `num_mel_bins is 4 and dft_length 0`, Code: errs.Shape},
		{Name: "two edges", In: optest.In(optest.I64(optest.Dims(), 4), optest.I64(optest.Dims(), 16), optest.I64(optest.Dims(), 8192), optest.F32(optest.Dims(2), 0, 1), optest.F32(optest.Dims(), 1)), Err: `lower_edge_hertz has 2 elements, one expected`, Code: errs.Shape},
	})
}
