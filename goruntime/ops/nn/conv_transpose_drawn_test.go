package nn

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// transposed is a transposed convolution of an image, by rows and columns.
type transposed struct {
	h, w, kh, kw, sh, sw, dh, dw int
	pads                         [4]int // top, left, bottom, right
}

func (c *transposed) out() (h, w int) {
	return (c.h-1)*c.sh + (c.kh-1)*c.dh + 1 - c.pads[0] - c.pads[2], (c.w-1)*c.sw + (c.kw-1)*c.dw + 1 - c.pads[1] - c.pads[3]
}

// want spreads each input element over the output, as the specification says.
func (c *transposed) want(x, f, bias []float64, channels, filters int) []float64 {
	oh, ow := c.out()
	y := make([]float64, filters*oh*ow)
	for i := range y {
		y[i] = bias[i/(oh*ow)]
	}
	for ch := range channels {
		for m := range filters {
			for i := range c.h * c.w {
				for k := range c.kh * c.kw {
					row, column := i/c.w*c.sh+k/c.kw*c.dh-c.pads[0], i%c.w*c.sw+k%c.kw*c.dw-c.pads[1]
					if row >= 0 && row < oh && column >= 0 && column < ow {
						y[(m*oh+row)*ow+column] += x[ch*c.h*c.w+i] * f[(ch*filters+m)*c.kh*c.kw+k]
					}
				}
			}
		}
	}
	return y
}

// Windows that meet, that do not, and that leave gaps.
func TestConvTransposeAsDrawn(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	list := []transposed{
		{h: 5, w: 19, kh: 2, kw: 2, sh: 2, sw: 2, dh: 1, dw: 1},
		{h: 4, w: 17, kh: 3, kw: 1, sh: 3, sw: 1, dh: 1, dw: 1},
		{h: 3, w: 9, kh: 1, kw: 4, sh: 1, sw: 4, dh: 2, dw: 1},
		{h: 3, w: 9, kh: 2, kw: 2, sh: 2, sw: 2, dh: 1, dw: 1, pads: [4]int{1, 0, 0, 1}},
		{h: 6, w: 7, kh: 2, kw: 2, sh: 3, sw: 3, dh: 1, dw: 1},
	}
	for range 60 {
		n := func(most int) int { return 1 + r.IntN(most) }
		list = append(list, transposed{n(6), n(20), n(4), n(4), n(3), n(4), n(2), n(3), [4]int{r.IntN(2), r.IntN(3), r.IntN(2), r.IntN(3)}})
	}
	var cases []optest.Case
	for _, c := range list {
		oh, ow := c.out()
		if oh < 1 || ow < 1 {
			continue
		}
		const channels, filters = 3, 2
		x, f, bias := small(r, channels*c.h*c.w), small(r, channels*filters*c.kh*c.kw), small(r, filters)
		cases = append(cases, optest.Case{
			Name:  fmt.Sprintf("%+v", c),
			Attrs: optest.Attrs("strides", []int{c.sh, c.sw}, "dilations", []int{c.dh, c.dw}, "pads", c.pads[:]),
			In: optest.In(optest.Filled(tensor.F32, optest.Dims(1, channels, c.h, c.w), x...),
				optest.Filled(tensor.F32, optest.Dims(channels, filters, c.kh, c.kw), f...), optest.Filled(tensor.F32, optest.Dims(filters), bias...)),
			Want: optest.Want(optest.Filled(tensor.F32, optest.Dims(1, filters, oh, ow), c.want(x, f, bias, channels, filters)...)),
		})
	}
	optest.Run(t, ConvTranspose, cases)
}

// small draws whole numbers whose sums of products are exact.
func small(r *rand.Rand, n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = float64(r.IntN(15) - 7)
	}
	return list
}
