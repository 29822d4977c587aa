package nn

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/op"
)

func TestLayerNormalizationEarly(t *testing.T) {
	x := optest.F32(optest.Dims(2, 2), 1, 3, -4, 0)
	for _, def := range []*op.Operator{LayerNormalizationEarly, LayerNormalizationMS} {
		optest.Run(t, def, []optest.Case{{
			Name: "rows of two", Attrs: optest.Attrs("epsilon", 0.0), In: optest.In(x, optest.F32(optest.Dims(2), 2, 1), optest.F32(optest.Dims(2), 0, 5)),
			Want: optest.Want(optest.F32(optest.Dims(2, 2), -2, 6, -2, 6), optest.F32(optest.Dims(2, 1), 2, -2), optest.F32(optest.Dims(2, 1), 1, 0.5)),
		}, {
			Name: "types", In: optest.In(x, optest.F64(optest.Dims(2), 2, 1)), Err: "input 1 is f64, input 0 is f32: they must be alike", Code: errs.Type,
		}})
	}
}
