package nn

import (
	"fmt"
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The expected numbers follow from exact sums, scaled in f32.
func TestQLinearConv(t *testing.T) {
	f := func(v float32) *tensor.View { return optest.F32(nil, v) }
	cases := []optest.Case{{
		Name: "halves round to even", In: optest.In(optest.U8(optest.Dims(1, 1, 4), 1, 2, 3, 250), f(1), optest.U8(nil, 0), optest.U8(optest.Dims(1, 1, 1), 1), f(1), optest.U8(nil, 0), f(2), optest.U8(nil, 10)),
		Want: optest.Want(optest.U8(optest.Dims(1, 1, 4), 10, 11, 12, 135)),
	}}
	for _, p := range planeConvs {
		for _, dx := range byteTypes {
			for _, dy := range byteTypes {
				cg := p.c / p.group
				x, w := byteCodes(dx, p.n*p.c*p.h*p.w, 1), byteCodes(tensor.I8, p.m*cg*p.kh*p.kw, 2)
				bias, scales := make([]float64, p.m), make([]float64, p.m)
				for i := range bias {
					bias[i], scales[i] = float64(i*100-150), float64(i%5+1)/1024
				}
				oh, ow := p.out()
				want := p.want(x, w, []float64{9}, nil)
				for i, v := range want {
					m := i / (oh * ow) % p.m
					low, high := 0.0, 255.0
					if dy == tensor.I8 {
						low, high = -128, 127
					}
					want[i] = max(low, min(high, math.RoundToEven((v+bias[m])*scales[m]/8)+5))
				}
				cases = append(cases, optest.Case{
					Name:  fmt.Sprintf("%v %v %+v", dx, dy, p),
					Attrs: optest.Attrs("group", p.group, "strides", []int{p.stride, p.stride}, "dilations", []int{p.dilation, p.dilation}, "pads", []int{p.pad, p.pad, p.pad, p.pad}),
					In: optest.In(
						optest.Filled(dx, optest.Dims(p.n, p.c, p.h, p.w), x...), f(0.5), optest.Filled(dx, nil, 9),
						optest.Filled(tensor.I8, optest.Dims(p.m, cg, p.kh, p.kw), w...), optest.Filled(tensor.F32, optest.Dims(p.m), scales...), optest.Filled(tensor.I8, optest.Dims(p.m), make([]float64, p.m)...),
						f(4), optest.Filled(dy, nil, 5), optest.Filled(tensor.I32, optest.Dims(p.m), bias...)),
					Want: optest.Want(optest.Filled(dy, optest.Dims(p.n, p.m, oh, ow), want...)),
				})
			}
		}
	}
	optest.Run(t, QLinearConv, cases)
}

func TestQLinearConvErrors(t *testing.T) {
	f, z := optest.F32(nil, 1), optest.U8(nil, 0)
	two := optest.F32(optest.Dims(3), 1, 2, 3)
	x, w := optest.U8(optest.Dims(1, 2, 1), 1, 2), optest.U8(optest.Dims(2, 2, 1), 1, 2, 3, 4)
	optest.Run(t, QLinearConv, []optest.Case{
		{Name: "scale of x", In: optest.In(x, two, z, w, f, z, f, z), Err: "input 1 has shape [3]: one number expected", Code: errs.Shape},
		{Name: "scale of w", In: optest.In(x, f, z, w, two, z, f, z), Err: "w_scale has shape [3]: one number or 2 expected", Code: errs.Shape},
		{Name: "bias", In: optest.In(x, f, z, w, f, z, f, z, optest.I32(optest.Dims(3), 1, 2, 3)), Err: "the bias has shape [3], [2] expected", Code: errs.Shape},
		{Name: "scale of another type", In: optest.In(x, optest.F64(nil, 1), z, w, f, z, f, z), Err: "input 1 is f64, one of [f32] expected", Code: errs.Type},
	})
}
