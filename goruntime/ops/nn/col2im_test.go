package nn

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The values are those of the reference implementation.
func TestCol2Im(t *testing.T) {
	for _, d := range []tensor.DType{tensor.F32, tensor.F64, tensor.F16, tensor.BF16, tensor.I8, tensor.I16, tensor.I32, tensor.I64, tensor.U8, tensor.U16, tensor.U32, tensor.U64} {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, Col2Im, []optest.Case{
			{
				Name: d.String() + " overlapping blocks", Version: 18,
				In:   optest.In(of(optest.Dims(1, 4, 4), 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0), optest.I64(optest.Dims(2), 3, 3), optest.I64(optest.Dims(2), 2, 2)),
				Want: optest.Want(of(optest.Dims(1, 1, 3, 3), 0, 5, 0, 5, 10, 5, 0, 5, 0)),
			},
			{
				Name: d.String() + " strides, pads, dilations", Version: 18, Attrs: optest.Attrs("strides", []int{2, 2}, "pads", []int{1, 0, 1, 0}, "dilations", []int{1, 2}),
				In:   optest.In(of(optest.Dims(1, 8, 6), 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3), optest.I64(optest.Dims(2), 4, 5), optest.I64(optest.Dims(2), 2, 2)),
				Want: optest.Want(of(optest.Dims(1, 2, 4, 5), 0, 0, 3, 0, 3, 2, 0, 3, 0, 1, 2, 0, 3, 0, 1, 0, 0, 3, 0, 3, 0, 0, 3, 0, 3, 2, 0, 3, 0, 1, 2, 0, 3, 0, 1, 0, 0, 3, 0, 3)),
			},
			{
				Name: d.String() + " three dimensions", Version: 18,
				In:   optest.In(of(optest.Dims(1, 2, 4), 0, 1, 2, 3, 4, 0, 1, 2), optest.I64(optest.Dims(3), 1, 2, 3), optest.I64(optest.Dims(3), 1, 1, 2)),
				Want: optest.Want(of(optest.Dims(1, 1, 1, 2, 3), 0, 5, 0, 2, 4, 2)),
			},
		})
	}
}

// What is true in one block is true.
func TestCol2ImOfBool(t *testing.T) {
	optest.Run(t, Col2Im, []optest.Case{{
		Name: "bool", In: optest.In(optest.Bool(optest.Dims(1, 2, 2), false, true, true, false), optest.Ints(3), optest.Ints(2)),
		Want: optest.Want(optest.Bool(optest.Dims(1, 1, 3), false, true, false)),
	}})
}

// Complex numbers are summed.
func TestCol2ImOfComplex(t *testing.T) {
	for _, d := range []tensor.DType{tensor.C64, tensor.C128} {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, Col2Im, []optest.Case{{
			Name: d.String(), In: optest.In(of(optest.Dims(1, 2, 2), 1, 2, 3, 4), optest.Ints(3), optest.Ints(2)), Want: optest.Want(of(optest.Dims(1, 1, 3), 1, 5, 4)),
		}})
	}
}

// The messages of the shape rule.
func TestCol2ImErrors(t *testing.T) {
	of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(tensor.F32, dims, v...) }
	optest.Run(t, Col2Im, []optest.Case{
		{Name: "other columns", In: optest.In(of(optest.Dims(1, 4, 3), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11), optest.I64(optest.Dims(2), 3, 3), optest.I64(optest.Dims(2), 2, 2)), Err: `the input has shape [1, 4, 3], [N, C*4, 4] expected`, Code: errs.Shape},
		{Name: "a block of another rank", In: optest.In(of(optest.Dims(1, 4, 3), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11), optest.I64(optest.Dims(2), 3, 3), optest.I64(optest.Dims(1), 2)), Err: `one entry for each spatial dimension expected`, Code: errs.Shape},
		{Name: "a negative size", In: optest.In(of(optest.Dims(1, 4, 3), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11), optest.I64(optest.Dims(2), -3, 3), optest.I64(optest.Dims(2), 2, 2)), Err: `image_shape is [-3 3]: no size may be negative`, Code: errs.Shape},
		{Name: "too large a block", In: optest.In(of(optest.Dims(1, 4, 3), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11), optest.I64(optest.Dims(2), 3, 3), optest.I64(optest.Dims(2), 4, 2)), Err: `a window of 4 does not fit into dimension 0 of 3`, Code: errs.Shape},
	})
}

// Against the rule of each element: strides, pads and dilations of one, two and three
// dimensions, several images.
func TestCol2ImOfDrawnWindows(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		rank := 1 + r.IntN(3)
		image, block := make([]int64, rank), make([]int64, rank)
		strides, dilations, pads, out := make([]int, rank), make([]int, rank), make([]int, 2*rank), make([]int, rank)
		taps, places, plane := 1, 1, 1
		for d := range rank {
			image[d], block[d], strides[d], dilations[d] = int64(5+r.IntN(9)), int64(1+r.IntN(3)), 1+r.IntN(2), 1+r.IntN(2)
			pads[d], pads[rank+d] = r.IntN(3), r.IntN(3)
			out[d] = (int(image[d])+pads[d]+pads[rank+d]-dilations[d]*(int(block[d])-1)-1)/strides[d] + 1
			taps, places, plane = taps*int(block[d]), places*out[d], plane*int(image[d])
		}
		const images, channels = 2, 3
		x, want := make([]float64, images*channels*taps*places), make([]float64, images*channels*plane)
		for i := range x {
			x[i] = float64(r.IntN(9) - 4)
			if at := imagePlace(i/places%taps, i%places, image, block, out, strides, dilations, pads); at >= 0 {
				want[i/(taps*places)*plane+at] += x[i]
			}
		}
		dims := optest.Dims(images, channels)
		for _, n := range image {
			dims = append(dims, int(n))
		}
		for _, d := range []tensor.DType{tensor.F32, tensor.F16, tensor.I8} {
			optest.Run(t, Col2Im, []optest.Case{{
				Name:  fmt.Sprintf("%v of %v by %v, pads %v, dilations %v %v", block, image, strides, pads, dilations, d),
				Attrs: optest.Attrs("strides", strides, "pads", pads, "dilations", dilations),
				In:    optest.In(optest.Filled(d, optest.Dims(images, channels*taps, places), x...), optest.Ints(image...), optest.Ints(block...)),
				Want:  optest.Want(optest.Filled(d, dims, want...)),
			}})
		}
	}
}

// imagePlace is where in the image a tap of the window at a place lies, below zero in the
// padding.
func imagePlace(tap, place int, image, block []int64, out, strides, dilations, pads []int) int {
	at, step := 0, 1
	for d := len(image) - 1; d >= 0; d-- {
		i := place%out[d]*strides[d] - pads[d] + tap%int(block[d])*dilations[d]
		if i < 0 || i >= int(image[d]) {
			return -1
		}
		at, step = at+i*step, step*int(image[d])
		place, tap = place/out[d], tap/int(block[d])
	}
	return at
}
