package nn

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The values are those of ONNX Runtime.
func TestLRN(t *testing.T) {
	for _, d := range LRN.Def().DTypes.Types() {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, LRN, []optest.Case{
			{
				Name: d.String() + " five channels", Version: 13, Attrs: optest.Attrs("size", 3),
				In:   optest.In(of(optest.Dims(1, 5, 2, 2), series(20, 7, 11, 5, 4)...)),
				Want: optest.Want(of(optest.Dims(1, 5, 2, 2), -1.249949, 0.4999899, -0.4999844, 1.249951, 0.2499836, -0.7499743, 0.9999672, 0, -0.9999672, 0.7499743, -0.2499836, -1.249949, 0.4999774, -0.4999774, 1.249949, 0.2499836, -0.7499848, 0.9999687, 0, -0.9999735)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " strong, any exponent", Version: 13, Attrs: optest.Attrs("size", 3, "alpha", 0.5, "beta", 0.6, "bias", 2.0),
				In:   optest.In(of(optest.Dims(2, 5, 3), series(30, 7, 11, 5, 4)...)),
				Want: optest.Want(of(optest.Dims(2, 5, 3), -0.717767, 0.3248276, -0.3171615, 0.6907182, 0.1624138, -0.4547667, 0.5742136, 0, -0.5742136, 0.4547667, -0.1624138, -0.6907182, 0.3171615, -0.3248276, 0.717767, 0.1644252, -0.4597779, 0.6130372, 0, -0.5742136, 0.4547667, -0.1624138, -0.6907182, 0.3162368, -0.3162368, 0.6907182, 0.1624138, -0.4757422, 0.5874206, 0)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " an even size reaches further up", Version: 13, Attrs: optest.Attrs("size", 4, "alpha", 0.5, "beta", 0.75, "bias", 2.0),
				In:   optest.In(of(optest.Dims(1, 5, 1, 2), series(10, 7, 11, 5, 4)...)),
				Want: optest.Want(of(optest.Dims(1, 5, 1, 2), -0.6839793, 0.267989, -0.2626469, 0.6699725, 0.1343374, -0.3969313, 0.5429178, 0, -0.5443311, 0.4345446)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " more channels than there are", Version: 13, Attrs: optest.Attrs("size", 9, "alpha", 0.5),
				In:   optest.In(of(optest.Dims(3, 2, 1, 2), series(12, 7, 11, 5, 4)...)),
				Want: optest.Want(of(optest.Dims(3, 2, 1, 2), -1.163215, 0.4652859, -0.4652859, 1.163215, 0.2394746, -0.7328892, 0.9578985, 0, -0.9578985, 0.6897849, -0.2394746, -1.149642)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " no channels", Version: 1, Attrs: optest.Attrs("size", 3),
				In:   optest.In(of(optest.Dims(1, 0, 2))),
				Want: optest.Want(of(optest.Dims(1, 0, 2))), Tol: tolerance(d),
			},
		})
	}
}

// The messages of the shape rule.
func TestLRNErrors(t *testing.T) {
	of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(tensor.F32, dims, v...) }
	optest.Run(t, LRN, []optest.Case{
		{Name: "no size", In: optest.In(of(optest.Dims(1, 1), 1)), Err: `attribute "size" is required and missing`, Code: errs.Model},
		{Name: "size 0", Attrs: optest.Attrs("size", 0), In: optest.In(of(optest.Dims(1, 1), 1)), Err: `size is 0: it must be positive`, Code: errs.Argument},
		{Name: "a vector", Attrs: optest.Attrs("size", 3), In: optest.In(of(optest.Dims(1), 1)), Err: `X has shape [1], a rank of 2 or more expected`, Code: errs.Shape},
	})
}
