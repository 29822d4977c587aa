package nn

import (
	"fmt"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// byteCodes are numbers over the whole range of the type.
func byteCodes(d tensor.DType, n, salt int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = float64((i*i*31 + i*7 + salt*13) % 256)
		if d == tensor.I8 {
			list[i] -= 128
		}
	}
	return list
}

// planeConv is a convolution of two dimensions with what a test varies.
type planeConv struct {
	n, c, h, w, m, kh, kw, group, stride, dilation, pad int
}

func (p planeConv) out() (oh, ow int) {
	size := func(in, k int) int { return (in+2*p.pad-(k-1)*p.dilation-1)/p.stride + 1 }
	return size(p.h, p.kh), size(p.w, p.kw)
}

// want computes by the definition.
func (p planeConv) want(x, w, zx, zw []float64) []float64 {
	oh, ow := p.out()
	at := func(z []float64, i int) float64 {
		if len(z) == 0 {
			return 0
		}
		return z[i%len(z)]
	}
	cg, mg := p.c/p.group, p.m/p.group
	var out []float64
	for n := range p.n {
		for m := range p.m {
			for y := range oh {
				for z := range ow {
					s := 0.0
					for c := range cg {
						for i := range p.kh {
							for j := range p.kw {
								iy, ix := y*p.stride-p.pad+i*p.dilation, z*p.stride-p.pad+j*p.dilation
								if iy < 0 || ix < 0 || iy >= p.h || ix >= p.w {
									continue
								}
								s += (x[((n*p.c+m/mg*cg+c)*p.h+iy)*p.w+ix] - at(zx, 0)) * (w[((m*cg+c)*p.kh+i)*p.kw+j] - at(zw, m))
							}
						}
					}
					out = append(out, s)
				}
			}
		}
	}
	return out
}

var planeConvs = []planeConv{
	{1, 3, 5, 6, 4, 3, 3, 1, 1, 1, 1},
	{2, 4, 9, 7, 6, 3, 2, 2, 2, 1, 1},
	{1, 5, 6, 6, 33, 1, 1, 1, 1, 1, 0},
	{1, 4, 8, 8, 4, 3, 3, 4, 1, 2, 2},
	{2, 2, 7, 9, 6, 3, 3, 2, 2, 1, 1},
	{1, 2, 3, 3, 2, 3, 3, 2, 1, 1, 3},
	{1, 1, 4, 4, 2, 2, 2, 1, 1, 1, 0},
	{0, 3, 5, 6, 4, 3, 3, 1, 1, 1, 1},
	{1, 0, 5, 6, 4, 3, 3, 1, 1, 1, 1},
}

func TestConvInteger(t *testing.T) {
	cases := []optest.Case{{
		Name:  "example",
		Attrs: optest.Attrs("pads", []int{1, 1, 1, 1}),
		In:    optest.In(optest.U8(optest.Dims(1, 1, 3, 3), 2, 3, 4, 5, 6, 7, 8, 9, 10), optest.U8(optest.Dims(1, 1, 2, 2), 1, 1, 1, 1), optest.U8(nil, 1)),
		Want:  optest.Want(optest.I32(optest.Dims(1, 1, 4, 4), 1, 3, 5, 3, 5, 12, 16, 9, 11, 24, 28, 15, 7, 15, 17, 9)),
	}}
	for _, p := range planeConvs {
		for _, dx := range byteTypes {
			for _, dw := range byteTypes {
				cg := p.c / p.group
				x, w := byteCodes(dx, p.n*p.c*p.h*p.w, 1), byteCodes(dw, p.m*cg*p.kh*p.kw, 2)
				for form := range 3 {
					zx, zw := [][]float64{nil, {9}, {77}}[form], [][]float64{nil, {3}, byteCodes(dw, p.m, 5)}[form]
					in := optest.In(optest.Filled(dx, optest.Dims(p.n, p.c, p.h, p.w), x...), optest.Filled(dw, optest.Dims(p.m, cg, p.kh, p.kw), w...))
					if form > 0 {
						in = append(in, optest.Filled(dx, nil, zx...), optest.Filled(dw, optest.Dims(len(zw)), zw...))
					}
					oh, ow := p.out()
					cases = append(cases, optest.Case{
						Name:  fmt.Sprintf("%v %v %+v zero points %d", dx, dw, p, form),
						Attrs: optest.Attrs("group", p.group, "strides", []int{p.stride, p.stride}, "dilations", []int{p.dilation, p.dilation}, "pads", []int{p.pad, p.pad, p.pad, p.pad}),
						In:    in, Want: optest.Want(optest.Filled(tensor.I32, optest.Dims(p.n, p.m, oh, ow), p.want(x, w, zx, zw)...)),
					})
				}
			}
		}
	}
	optest.Run(t, ConvInteger, cases)
}

func TestConvIntegerOfOtherRanks(t *testing.T) {
	optest.Run(t, ConvInteger, []optest.Case{
		{
			Name: "a line", Attrs: optest.Attrs("strides", []int{2}), In: optest.In(optest.U8(optest.Dims(1, 2, 5), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10), optest.U8(optest.Dims(1, 2, 3), 1, 0, 1, 0, 1, 0)),
			Want: optest.Want(optest.I32(optest.Dims(1, 1, 2), 1+3+7, 3+5+9)),
		},
		{
			Name: "a volume", Attrs: optest.Attrs("auto_pad", "SAME_UPPER"), In: optest.In(optest.U8(optest.Dims(1, 2, 2, 1, 2), 1, 2, 3, 4, 5, 6, 7, 8), optest.U8(optest.Dims(1, 2, 2, 1, 1), 1, 10, 100, 0)),
			Want: optest.Want(optest.I32(optest.Dims(1, 1, 2, 1, 2), 1+30+500, 2+40+600, 3+700, 4+800)),
		},
		{
			Name: "a volume of one channel", Attrs: optest.Attrs("pads", []int{1, 0, 0, 0, 0, 1}), In: optest.In(optest.U8(optest.Dims(1, 1, 2, 1, 2), 1, 2, 3, 4), optest.U8(optest.Dims(1, 1, 2, 1, 2), 1, 10, 100, 0), optest.U8(nil, 1)),
			Want: optest.Want(optest.I32(optest.Dims(1, 1, 2, 1, 2), 0, 100, 10+200, 1+300)),
		},
	})
}

func TestConvIntegerErrors(t *testing.T) {
	x, w := optest.U8(optest.Dims(1, 2, 1), 1, 2), optest.U8(optest.Dims(2, 2, 1), 1, 2, 3, 4)
	optest.Run(t, ConvInteger, []optest.Case{
		{Name: "ranks", In: optest.In(x, optest.U8(nil, 1)), Err: "both need a rank of 3 or more, and the same", Code: errs.Shape},
		{Name: "channels", In: optest.In(x, optest.U8(optest.Dims(1, 1, 1), 1)), Err: "X has 2 channels, W has shape [1, 1, 1], group is 1", Code: errs.Shape},
		{Name: "kernel", Attrs: optest.Attrs("kernel_shape", []int{3}), In: optest.In(x, w), Err: "kernel_shape is [3], W has shape [2, 2, 1]", Code: errs.Shape},
		{Name: "zero point of X", In: optest.In(x, w, optest.U8(optest.Dims(2), 1, 2)), Err: "the zero point of X has shape [2]: one number expected", Code: errs.Shape},
		{Name: "zero point of W", In: optest.In(x, w, nil, optest.U8(optest.Dims(3), 1, 2, 3)), Err: "the zero point of W has shape [3]: one number or 2 expected", Code: errs.Shape},
	})
}
