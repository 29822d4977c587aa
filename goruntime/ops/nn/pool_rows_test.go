package nn

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/tensor"
)

// anyWindow returns the window of a pooling of lines, images or volumes; some are too large
// for a single band, or have rows that are.
func anyWindow(t *testing.T, r *rand.Rand) *window {
	in := []int{1 + r.IntN(6), 1 + r.IntN(20), 1 + r.IntN(40)}[r.IntN(3):]
	if len(in) == 2 && r.IntN(5) == 0 {
		in = []int{100 + r.IntN(50), 60 + r.IntN(80)}
	}
	if r.IntN(8) == 0 {
		in[len(in)-1] = bandFloats - 5 + r.IntN(2*bandFloats)/min(r.IntN(9)+1, 4)
		if len(in) == 3 {
			in[1] = min(in[1], 3)
		}
	}
	win := &window{in: in, out: make([]int, len(in))}
	for _, n := range in {
		k := 1 + r.IntN(min(4, n))
		win.kernel, win.stride, win.dilation = append(win.kernel, k), append(win.stride, 1+r.IntN(3)), append(win.dilation, 1+r.IntN(max(1, min(3, (n-1)/max(1, k-1)))))
		win.begin, win.end = append(win.begin, r.IntN(k)), append(win.end, r.IntN(k))
	}
	for d := range in {
		if err := win.place(d, "NOTSET", r.IntN(2) == 0); err != nil {
			t.Fatal(err)
		}
	}
	return win
}

// The kernel by bands and the kernel by taps are two ways to the same numbers.
func TestPoolingByBandsAgreesWithTaps(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 600 {
		win := anyWindow(t, r)
		shape := append(tensor.Shape{1, 3}, win.in...)
		x := make([]float32, shape.Elements())
		for i := range x {
			x[i] = float32(r.NormFloat64())
			if r.IntN(50) == 0 {
				x[i] = float32(math.NaN())
			}
		}
		p := newPooling(win, shape)
		p.list()
		p.counts = make([]float32, p.pixels)
		for i := range p.counts {
			p.counts[i] = float32(1 + r.IntN(9))
		}
		p.in = &tensor.View{DType: tensor.F32, Shape: shape, Data: unsafe.Pointer(&x[0])}
		for _, pair := range [][2]poolKernel{{maxPool32, slowMaxPool32}, {averagePool32, slowAveragePool32}} {
			var got [2][]float32
			for k, f := range pair {
				got[k] = make([]float32, 3*p.pixels+1)
				p.out = &tensor.View{DType: tensor.F32, Shape: append(tensor.Shape{1, 3}, win.out...), Data: unsafe.Pointer(&got[k][0])}
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
