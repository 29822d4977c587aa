package nn

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The values are those of NumPy.
func TestCausalConvWithState(t *testing.T) {
	for _, d := range CausalConvWithState.Def().DTypes.Types() {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, CausalConvWithState, []optest.Case{
			{
				Name: d.String() + " without state", Version: 27,
				In:   optest.In(of(optest.Dims(2, 2, 4), series(16, 7, 11, 5, 4)...), of(optest.Dims(2, 1, 3), series(6, 5, 13, 6, 8)...)),
				Want: optest.Want(of(optest.Dims(2, 2, 4), -0.625, 0.40625, 0.625, 0.3125, 0.1875, -0.53125, 0.53125, 0.5, -0.5, 0.5, 0.53125, -1.15625, 0.375, -0.3125, 0.625, 0.59375), of(optest.Dims(2, 2, 2), -0.5, 1.25, 1, 0, -0.25, -1.25, 1.25, 0.25)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " bias and state", Version: 27,
				In:   optest.In(of(optest.Dims(2, 2, 4), series(16, 7, 11, 5, 4)...), of(optest.Dims(2, 1, 3), series(6, 5, 13, 6, 8)...), of(optest.Dims(2), 1, -0.5), of(optest.Dims(2, 2, 2), series(8, 3, 5, 2, 4)...)),
				Want: optest.Want(of(optest.Dims(2, 2, 4), 0.71875, 1.21875, 1.625, 1.3125, -0.125, -1.28125, 0.03125, 0, 0.5625, 1.875, 1.53125, -0.15625, -0.28125, -0.6875, 0.125, 0.09375), of(optest.Dims(2, 2, 2), -0.5, 1.25, 1, 0, -0.25, -1.25, 1.25, 0.25)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " silu", Version: 27, Attrs: optest.Attrs("activation", "silu"),
				In:   optest.In(of(optest.Dims(2, 2, 4), series(16, 7, 11, 5, 4)...), of(optest.Dims(2, 1, 3), series(6, 5, 13, 6, 8)...), of(optest.Dims(2), 1, -0.5)),
				Want: optest.Want(of(optest.Dims(2, 2, 4), 0.22225, 1.129463, 1.357661, 1.03416, -0.1320327, -0.2710556, 0.01586912, 0, 0.3112297, 1.226362, 1.258977, -0.07203387, -0.05859883, -0.2497284, 0.06640117, 0.04907066), of(optest.Dims(2, 2, 2), -0.5, 1.25, 1, 0, -0.25, -1.25, 1.25, 0.25)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " swish, one step", Version: 27, Attrs: optest.Attrs("activation", "swish"),
				In:   optest.In(of(optest.Dims(2, 2, 1), series(4, 7, 11, 5, 4)...), of(optest.Dims(2, 1, 3), series(6, 5, 13, 6, 8)...), nil, of(optest.Dims(2, 2, 2), series(8, 3, 5, 2, 4)...)),
				Want: optest.Want(of(optest.Dims(2, 2, 1), -0.1209789, 0.3583298, -0.0849866, 0.535898), of(optest.Dims(2, 2, 2), 0.25, -1.25, 0.5, 0.5, -0.5, -0.5, -0.25, 1.25)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " one step without state: zeros move on", Version: 27,
				In:   optest.In(of(optest.Dims(2, 2, 1), series(4, 7, 11, 5, 4)...), of(optest.Dims(2, 1, 3), series(6, 5, 13, 6, 8)...)),
				Want: optest.Want(of(optest.Dims(2, 2, 1), -0.625, 0.375, -0.25, 0.9375), of(optest.Dims(2, 2, 2), 0, -1.25, 0, 0.5, 0, -0.5, 0, 1.25)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " a longer row with everything", Version: 27, Attrs: optest.Attrs("activation", "silu"),
				In:   optest.In(of(optest.Dims(1, 2, 19), series(38, 7, 11, 5, 4)...), of(optest.Dims(2, 1, 3), series(6, 5, 13, 6, 8)...), of(optest.Dims(2), 1, -0.5), of(optest.Dims(1, 2, 2), series(4, 3, 5, 2, 4)...)),
				Want: optest.Want(of(optest.Dims(1, 2, 19), 0.4832384, 0.9406843, 1.357661, 1.03416, 1.065736, -0.1426215, 1.129463, 1.161597, -0.1094559, 1.226362, 1.258977, -0.07203387, 1.324634, 1.357661, 1.03416, 1.065736, -0.1426215, 1.129463, 1.161597, -0.272884, -0.1320327, -0.04467934, -0.2518717, -0.07203387, -0.0849866, 0.06640117, 0.04907066, -0.2654406, 0.01586912, 0, -0.2590826, -0.03027376, -0.04467934, -0.2518717, -0.07203387, -0.0849866, 0.06640117, 0.04907066), of(optest.Dims(1, 2, 2), 1, 0, 1.25, 0.25)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " a filter of one", Version: 27,
				In:   optest.In(of(optest.Dims(2, 2, 4), series(16, 7, 11, 5, 4)...), of(optest.Dims(2, 1, 1), 2, -1)),
				Want: optest.Want(of(optest.Dims(2, 2, 4), -2.5, 1, -1, 2.5, -0.25, 0.75, -1, 0, -2, 1.5, -0.5, -2.5, -0.5, 0.5, -1.25, -0.25), of(optest.Dims(2, 2, 0))), Tol: tolerance(d),
			},
		})
	}
}

// The messages of the shape rule.
func TestCausalConvWithStateErrors(t *testing.T) {
	of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(tensor.F32, dims, v...) }
	optest.Run(t, CausalConvWithState, []optest.Case{
		{Name: "another weight", In: optest.In(of(optest.Dims(2, 2, 4), series(16, 7, 11, 5, 4)...), of(optest.Dims(2, 2), 1, 2, 3, 4)), Err: `the input has shape [2, 2, 4], the weight [2, 2]: [B, C, L] and [C, 1, k] expected`, Code: errs.Shape},
		{Name: "another state", In: optest.In(of(optest.Dims(2, 2, 4), series(16, 7, 11, 5, 4)...), of(optest.Dims(2, 1, 3), series(6, 5, 13, 6, 8)...), nil, of(optest.Dims(2, 2, 1), series(4, 7, 11, 5, 4)...)), Err: `past_state has shape [2, 2, 1], [2, 2, 2] expected`, Code: errs.Shape},
		{Name: "another bias", In: optest.In(of(optest.Dims(2, 2, 4), series(16, 7, 11, 5, 4)...), of(optest.Dims(2, 1, 3), series(6, 5, 13, 6, 8)...), of(optest.Dims(1), 1)), Err: `the bias has shape [1], [2] expected`, Code: errs.Shape},
		{Name: "another activation", Attrs: optest.Attrs("activation", "relu"), In: optest.In(of(optest.Dims(2, 2, 4), series(16, 7, 11, 5, 4)...), of(optest.Dims(2, 1, 3), series(6, 5, 13, 6, 8)...)), Err: `activation "relu" is none of none, silu, swish`, Code: errs.Argument},
	})
}
