package shape

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The values are those of the reverse of DepthToSpace.
func TestSpaceToDepth(t *testing.T) {
	for _, d := range SpaceToDepth.Def().DTypes.Types() {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, SpaceToDepth, []optest.Case{
			{
				Name: d.String() + " DCR", Version: 28, Attrs: optest.Attrs("blocksize", 2),
				In:   optest.In(of(optest.Dims(1, 2, 4, 6), optest.Counting(48)...)),
				Want: optest.Want(of(optest.Dims(1, 8, 2, 3), 0, 2, 4, 12, 14, 16, 24, 26, 28, 36, 38, 40, 1, 3, 5, 13, 15, 17, 25, 27, 29, 37, 39, 41, 6, 8, 10, 18, 20, 22, 30, 32, 34, 42, 44, 46, 7, 9, 11, 19, 21, 23, 31, 33, 35, 43, 45, 47)),
			},
			{
				Name: d.String() + " CRD", Version: 28, Attrs: optest.Attrs("blocksize", 2, "mode", "CRD"),
				In:   optest.In(of(optest.Dims(1, 2, 4, 6), optest.Counting(48)...)),
				Want: optest.Want(of(optest.Dims(1, 8, 2, 3), 0, 2, 4, 12, 14, 16, 1, 3, 5, 13, 15, 17, 6, 8, 10, 18, 20, 22, 7, 9, 11, 19, 21, 23, 24, 26, 28, 36, 38, 40, 25, 27, 29, 37, 39, 41, 30, 32, 34, 42, 44, 46, 31, 33, 35, 43, 45, 47)),
			},
		})
	}
}

// The values are those of the reverse of DepthToSpace.
func TestSpaceToDepth1(t *testing.T) {
	for _, d := range SpaceToDepth1.Def().DTypes.Types() {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, SpaceToDepth1, []optest.Case{
			{
				Name: d.String() + " DCR", Version: 1, Attrs: optest.Attrs("blocksize", 2),
				In:   optest.In(of(optest.Dims(1, 2, 4, 6), optest.Counting(48)...)),
				Want: optest.Want(of(optest.Dims(1, 8, 2, 3), 0, 2, 4, 12, 14, 16, 24, 26, 28, 36, 38, 40, 1, 3, 5, 13, 15, 17, 25, 27, 29, 37, 39, 41, 6, 8, 10, 18, 20, 22, 30, 32, 34, 42, 44, 46, 7, 9, 11, 19, 21, 23, 31, 33, 35, 43, 45, 47)),
			},
			{
				Name: d.String() + " bfloat16", Version: 13, Attrs: optest.Attrs("blocksize", 2),
				In:   optest.In(of(optest.Dims(1, 2, 4, 6), optest.Counting(48)...)),
				Want: optest.Want(of(optest.Dims(1, 8, 2, 3), 0, 2, 4, 12, 14, 16, 24, 26, 28, 36, 38, 40, 1, 3, 5, 13, 15, 17, 25, 27, 29, 37, 39, 41, 6, 8, 10, 18, 20, 22, 30, 32, 34, 42, 44, 46, 7, 9, 11, 19, 21, 23, 31, 33, 35, 43, 45, 47)),
			},
		})
	}
}

// The message of the shape rule.
func TestSpaceToDepthErrors(t *testing.T) {
	of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(tensor.F32, dims, v...) }
	optest.Run(t, SpaceToDepth, []optest.Case{
		{Name: "an odd width", Attrs: optest.Attrs("blocksize", 2), In: optest.In(of(optest.Dims(1, 1, 2, 1), 1, 2)), Err: `height 2 and width 1 are no multiples of blocksize 2`, Code: errs.Shape},
	})
}
