package nn

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The values are those of ONNX Runtime.
func TestLpPool(t *testing.T) {
	for _, d := range LpPool.Def().DTypes.Types() {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, LpPool, []optest.Case{
			{
				Name: d.String() + " images", Version: 11, Attrs: optest.Attrs("kernel_shape", []int{3, 2}),
				In:   optest.In(of(optest.Dims(1, 2, 5, 6), series(60, 7, 11, 5, 4)...)),
				Want: optest.Want(of(optest.Dims(1, 2, 3, 5), 1.820027, 1.820027, 2.236068, 1.695583, 1.952562, 1.581139, 2.09165, 1.952562, 1.695583, 2.236068, 1.820027, 2.236068, 1.695583, 1.952562, 2.09165, 1.952562, 1.695583, 2.236068, 1.820027, 1.820027, 1.695583, 1.952562, 2.09165, 1.581139, 2.09165, 1.695583, 2.236068, 1.820027, 1.820027, 2.236068)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " p 1, strides and pads", Version: 11, Attrs: optest.Attrs("kernel_shape", []int{3, 3}, "strides", []int{2, 2}, "pads", []int{1, 1, 1, 1}, "p", 1),
				In:   optest.In(of(optest.Dims(1, 2, 5, 6), series(60, 7, 11, 5, 4)...)),
				Want: optest.Want(of(optest.Dims(1, 2, 3, 3), 2.75, 4, 4.5, 3, 5.75, 6.25, 2.75, 4.25, 3.75, 3.25, 4.25, 4.25, 3.5, 5.75, 6, 2.5, 4, 3.75)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " p 3", Version: 18, Attrs: optest.Attrs("kernel_shape", []int{2}, "p", 3),
				In:   optest.In(of(optest.Dims(1, 1, 5), series(5, 7, 11, 5, 4)...)),
				Want: optest.Want(of(optest.Dims(1, 1, 4), 1.276117, 0.6299605, 1.276117, 1.253325)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " dilations, ceil_mode", Version: 18, Attrs: optest.Attrs("kernel_shape", []int{2, 2}, "dilations", []int{2, 2}, "strides", []int{3, 3}, "ceil_mode", 1),
				In:   optest.In(of(optest.Dims(1, 1, 5, 5), optest.Counting(25)...)),
				Want: optest.Want(of(optest.Dims(1, 1, 2, 2), 15.74802, 13.34166, 22.67157, 18)), Tol: tolerance(d),
			},
		})
	}
}

// The values are those of NumPy.
func TestLpPool1(t *testing.T) {
	for _, d := range LpPool1.Def().DTypes.Types() {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, LpPool1, []optest.Case{
			{
				Name: d.String() + " a fraction", Version: 1, Attrs: optest.Attrs("kernel_shape", []int{2}, "p", 1.5),
				In:   optest.In(of(optest.Dims(1, 1, 5), series(5, 7, 11, 5, 4)...)),
				Want: optest.Want(of(optest.Dims(1, 1, 4), 1.452803, 0.7937005, 1.452803, 1.323467)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " without kernel_shape", Version: 1, Attrs: optest.Attrs("p", 2.0),
				In:   optest.In(of(optest.Dims(1, 2, 2), 3, 4, -6, 8)),
				Want: optest.Want(of(optest.Dims(1, 2, 1), 5, 10)), Tol: tolerance(d),
			},
		})
	}
}
