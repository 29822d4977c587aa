package nn

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/tensor"
)

// anyWindow returns the window of a pooling of an image; one of ten images is
// too large for a single band.
func anyWindow(t *testing.T, r *rand.Rand) *window {
	h, w := 1+r.IntN(20), 1+r.IntN(40)
	if r.IntN(10) == 0 {
		h, w = 100+r.IntN(50), 60+r.IntN(80)
	}
	win := &window{
		in: []int{h, w}, kernel: []int{1 + r.IntN(min(4, h)), 1 + r.IntN(min(4, w))}, stride: []int{1 + r.IntN(3), 1 + r.IntN(3)},
		dilation: []int{1, 1}, out: make([]int, 2),
	}
	win.begin = []int{r.IntN(win.kernel[0]), r.IntN(win.kernel[1])}
	win.end = []int{r.IntN(win.kernel[0]), r.IntN(win.kernel[1])}
	for d := range 2 {
		if err := win.place(d, "NOTSET", r.IntN(2) == 0); err != nil {
			t.Fatal(err)
		}
	}
	return win
}

// The kernel by bands and the kernel by taps are two ways to the same numbers.
func TestPoolingByBandsAgreesWithTaps(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		win := anyWindow(t, r)
		h, w := win.in[0], win.in[1]
		x := make([]float32, 3*h*w)
		for i := range x {
			x[i] = float32(r.NormFloat64())
			if r.IntN(50) == 0 {
				x[i] = float32(math.NaN())
			}
		}
		p := newPooling(win, tensor.Shape{1, 3, h, w})
		p.list()
		p.counts = make([]float32, p.pixels)
		for i := range p.counts {
			p.counts[i] = float32(1 + r.IntN(9))
		}
		p.in = &tensor.View{DType: tensor.F32, Shape: tensor.Shape{1, 3, h, w}, Data: unsafe.Pointer(&x[0])}
		for _, pair := range [][2]poolKernel{{maxPool32, slowMaxPool32}, {averagePool32, slowAveragePool32}} {
			var got [2][]float32
			for k, f := range pair {
				got[k] = make([]float32, 3*p.pixels+1)
				p.out = &tensor.View{DType: tensor.F32, Shape: tensor.Shape{1, 3, win.out[0], win.out[1]}, Data: unsafe.Pointer(&got[k][0])}
				f(p, 0, 3)
			}
			for i, want := range got[1] {
				if v := got[0][i]; math.Abs(float64(v-want)) > 1e-5 || (v != v) != (want != want) {
					t.Fatalf("window %+v: element %d is %v by bands, %v by taps", win, i, v, want)
				}
			}
		}
	}
}
