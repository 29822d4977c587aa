package nn

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The values are those of NumPy.
func TestAffineGrid(t *testing.T) {
	for _, d := range AffineGrid.Def().DTypes.Types() {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, AffineGrid, []optest.Case{
			{
				Name: d.String() + " images", Version: 20,
				In:   optest.In(of(optest.Dims(2, 2, 3), 1, 0, 0, 0, 1, 0, 0.5, -0.5, 0.25, 1, 2, -1), optest.I64(optest.Dims(4), 2, 1, 2, 3)),
				Want: optest.Want(of(optest.Dims(2, 2, 3, 2), -0.6666667, -0.5, 0, -0.5, 0.6666667, -0.5, -0.6666667, 0.5, 0, 0.5, 0.6666667, 0.5, 0.1666667, -2.666667, 0.5, -2, 0.8333333, -1.333333, -0.3333333, -0.6666667, 0, 0, 0.3333333, 0.6666667)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " images, align_corners", Version: 20, Attrs: optest.Attrs("align_corners", 1),
				In:   optest.In(of(optest.Dims(2, 2, 3), 1, 0, 0, 0, 1, 0, 0.5, -0.5, 0.25, 1, 2, -1), optest.I64(optest.Dims(4), 2, 1, 3, 2)),
				Want: optest.Want(of(optest.Dims(2, 3, 2, 2), -1, -1, 1, -1, -1, 0, 1, 0, -1, 1, 1, 1, 0.25, -4, 1.25, -2, -0.25, -2, 0.75, 0, -0.75, 0, 0.25, 2)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " volumes", Version: 20,
				In:   optest.In(of(optest.Dims(1, 3, 4), 1, 0, 0, 0, 0, 2, 0, 0.5, 0, 0.5, 1, -1), optest.I64(optest.Dims(5), 1, 1, 2, 1, 2)),
				Want: optest.Want(of(optest.Dims(1, 2, 1, 2, 3), -0.5, 0.5, -1.5, 0.5, 0.5, -1.5, -0.5, 0.5, -0.5, 0.5, 0.5, -0.5)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " one pixel, align_corners", Version: 20, Attrs: optest.Attrs("align_corners", 1),
				In:   optest.In(of(optest.Dims(1, 2, 3), 1, 0, 0, 0, 1, 0), optest.I64(optest.Dims(4), 1, 1, 1, 1)),
				Want: optest.Want(of(optest.Dims(1, 1, 1, 2), -1, -1)), Tol: tolerance(d),
			},
		})
	}
}

// The messages of the shape rule.
func TestAffineGridErrors(t *testing.T) {
	of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(tensor.F32, dims, v...) }
	optest.Run(t, AffineGrid, []optest.Case{
		{Name: "matrices of volumes", In: optest.In(of(optest.Dims(1, 3, 4), 1, 0, 0, 0, 0, 2, 0, 0.5, 0, 0.5, 1, -1), optest.I64(optest.Dims(4), 1, 1, 2, 3)), Err: `theta has shape [1, 3, 4], size is [1 1 2 3]`, Code: errs.Shape},
		{Name: "a negative size", In: optest.In(of(optest.Dims(1, 2, 3), 1, 0, 0, 0, 1, 0), optest.I64(optest.Dims(4), 1, 1, -2, 3)), Err: `dimension 1 of shape [1, -2, 3, 2] is -2`, Code: errs.Shape},
	})
}

// Against the product of each position, where loops are split anywhere in a line.
func TestAffineGridOfDrawnSizes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, size := range [][]int64{{2, 1, 5, 37}, {3, 2, 1, 1}, {1, 1, 70, 3}, {2, 1, 3, 4, 17}, {0, 1, 2, 3}, {2, 1, 0, 3}, {2, 1, 3, 0}} {
		for corners := range 2 {
			images, rank := int(size[0]), len(size)-2
			theta := make([]float64, images*rank*(rank+1))
			for i := range theta {
				theta[i] = float64(float32(r.NormFloat64()))
			}
			dims, cells := tensor.Shape{images}, 1
			for _, n := range size[2:] {
				dims, cells = append(dims, int(n)), cells*int(n)
			}
			var want []float64
			for p := range images * cells {
				at, rest := []float64{}, p
				for d := rank; d > 0; d-- {
					n := float64(dims[d])
					x := (2*float64(rest%dims[d]) + 1 - n) / n
					if corners == 1 {
						x = 2*float64(rest%dims[d])/max(1, n-1) - 1
					}
					at, rest = append(at, x), rest/dims[d]
				}
				for k := range rank {
					line := theta[(p/cells*rank+k)*(rank+1):][:rank+1]
					sum := line[rank]
					for j, x := range at {
						sum += line[j] * x
					}
					want = append(want, sum)
				}
			}
			for d, tol := range map[tensor.DType]float64{tensor.F32: 1e-6, tensor.F64: 1e-14} {
				optest.Run(t, AffineGrid, []optest.Case{{
					Name: fmt.Sprintf("%v, align_corners %d, %v", size, corners, d), Attrs: optest.Attrs("align_corners", corners),
					In:   optest.In(optest.Filled(d, optest.Dims(images, rank, rank+1), theta...), optest.Ints(size...)),
					Want: optest.Want(optest.Filled(d, append(dims, rank), want...)), Tol: tol,
				}})
			}
		}
	}
}
