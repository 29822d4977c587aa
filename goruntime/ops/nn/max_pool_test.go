package nn

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The row kernel and the tap kernel are two ways to the same numbers.
func TestMaxPoolByRowsAgreesWithTaps(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		h, w := 1+r.IntN(20), 1+r.IntN(40)
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
		x := make([]float32, 3*h*w)
		for i := range x {
			x[i] = float32(r.NormFloat64())
			if r.IntN(50) == 0 {
				x[i] = float32(math.NaN())
			}
		}
		p := newPooling(win, tensor.Shape{1, 3, h, w}, false)
		fast, slow := make([]float32, 3*p.pixels), make([]float32, 3*p.pixels)
		p.in = &tensor.View{DType: tensor.F32, Shape: tensor.Shape{1, 3, h, w}, Data: unsafe.Pointer(&x[0])}
		for _, run := range []struct {
			out []float32
			f   poolKernel
		}{{fast, maxPool32}, {slow, slowMaxPool32}} {
			if len(run.out) == 0 {
				continue
			}
			p.out = &tensor.View{DType: tensor.F32, Shape: tensor.Shape{1, 3, win.out[0], win.out[1]}, Data: unsafe.Pointer(&run.out[0])}
			run.f(p, 0, 3)
		}
		for i := range fast {
			if fast[i] != slow[i] && !(fast[i] != fast[i] && slow[i] != slow[i]) {
				t.Fatalf("window %+v: element %d is %v by rows, %v by taps", win, i, fast[i], slow[i])
			}
		}
	}
}
