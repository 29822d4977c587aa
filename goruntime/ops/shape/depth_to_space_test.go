package shape

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The values are those of the reshapes in the specification.
func TestDepthToSpace(t *testing.T) {
	for _, d := range DepthToSpace.Def().DTypes.Types() {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, DepthToSpace, []optest.Case{
			{
				Name: d.String() + " DCR", Version: 28, Attrs: optest.Attrs("blocksize", 2),
				In:   optest.In(of(optest.Dims(1, 8, 2, 3), optest.Counting(48)...)),
				Want: optest.Want(of(optest.Dims(1, 2, 4, 6), 0, 12, 1, 13, 2, 14, 24, 36, 25, 37, 26, 38, 3, 15, 4, 16, 5, 17, 27, 39, 28, 40, 29, 41, 6, 18, 7, 19, 8, 20, 30, 42, 31, 43, 32, 44, 9, 21, 10, 22, 11, 23, 33, 45, 34, 46, 35, 47)),
			},
			{
				Name: d.String() + " CRD", Version: 11, Attrs: optest.Attrs("blocksize", 2, "mode", "CRD"),
				In:   optest.In(of(optest.Dims(1, 8, 2, 3), optest.Counting(48)...)),
				Want: optest.Want(of(optest.Dims(1, 2, 4, 6), 0, 6, 1, 7, 2, 8, 12, 18, 13, 19, 14, 20, 3, 9, 4, 10, 5, 11, 15, 21, 16, 22, 17, 23, 24, 30, 25, 31, 26, 32, 36, 42, 37, 43, 38, 44, 27, 33, 28, 34, 29, 35, 39, 45, 40, 46, 41, 47)),
			},
			{
				Name: d.String() + " blocksize 1", Version: 13, Attrs: optest.Attrs("blocksize", 1),
				In:   optest.In(of(optest.Dims(1, 8, 2, 3), optest.Counting(48)...)),
				Want: optest.Want(of(optest.Dims(1, 8, 2, 3), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47)),
			},
			{
				Name: d.String() + " no images", Version: 13, Attrs: optest.Attrs("blocksize", 2),
				In:   optest.In(of(optest.Dims(0, 4, 2, 3))),
				Want: optest.Want(of(optest.Dims(0, 1, 4, 6))),
			},
		})
	}
}

// The values are those of the reshapes in the specification.
func TestDepthToSpace1(t *testing.T) {
	for _, d := range DepthToSpace1.Def().DTypes.Types() {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, DepthToSpace1, []optest.Case{
			{
				Name: d.String() + " DCR", Version: 1, Attrs: optest.Attrs("blocksize", 2),
				In:   optest.In(of(optest.Dims(1, 8, 2, 3), optest.Counting(48)...)),
				Want: optest.Want(of(optest.Dims(1, 2, 4, 6), 0, 12, 1, 13, 2, 14, 24, 36, 25, 37, 26, 38, 3, 15, 4, 16, 5, 17, 27, 39, 28, 40, 29, 41, 6, 18, 7, 19, 8, 20, 30, 42, 31, 43, 32, 44, 9, 21, 10, 22, 11, 23, 33, 45, 34, 46, 35, 47)),
			},
		})
	}
}

// The messages of the shape rule.
func TestDepthToSpaceErrors(t *testing.T) {
	of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(tensor.F32, dims, v...) }
	optest.Run(t, DepthToSpace, []optest.Case{
		{Name: "channels", Attrs: optest.Attrs("blocksize", 2), In: optest.In(of(optest.Dims(1, 2, 1, 1), 1, 2)), Err: `the 2 channels are no multiple of blocksize 2 squared`, Code: errs.Shape},
		{Name: "blocksize 0", Attrs: optest.Attrs("blocksize", 0), In: optest.In(of(optest.Dims(1, 2, 1, 1), 1, 2)), Err: `blocksize is 0: it must lie in [1, 2^20]`, Code: errs.Argument},
		{Name: "blocksize whose square overflows", Attrs: optest.Attrs("blocksize", 1<<32), In: optest.In(of(optest.Dims(1, 2, 1, 1), 1, 2)), Err: `blocksize is 4294967296: it must lie in [1, 2^20]`, Code: errs.Argument},
		{Name: "a mode", Attrs: optest.Attrs("blocksize", 1, "mode", "CDR"), In: optest.In(of(optest.Dims(1, 2, 1, 1), 1, 2)), Err: `mode "CDR" is none of DCR, CRD`, Code: errs.Argument},
		{Name: "a matrix", Attrs: optest.Attrs("blocksize", 1), In: optest.In(of(optest.Dims(1, 2), 1, 2)), Err: `the input has shape [1, 2], rank 4 expected`, Code: errs.Shape},
	})
}
