package reduce

import (
	"math"
	"testing"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Every set of axes of a small tensor against plain loops.
func TestSumsOverEveryMaskAgreeWithLoops(t *testing.T) {
	shape := tensor.Shape{2, 3, 1, 4}
	x := make([]float64, shape.Elements())
	for i := range x {
		x[i] = float64(i*i%17) - 5
	}
	for mask := range 16 {
		f := &fold{count: 1}
		step := 1
		kept := 1
		for i := len(shape) - 1; i >= 0; i-- {
			if mask>>i&1 == 0 {
				f.keepDims, f.keepSteps = append(f.keepDims, shape[i]), append(f.keepSteps, step)
				kept *= shape[i]
			} else {
				f.fold(shape[i], step)
			}
			step *= shape[i]
		}
		want := make([]float64, kept)
		for i, v := range x {
			at, rest, scale := 0, i, 1
			for d := len(shape) - 1; d >= 0; d-- {
				if mask>>d&1 == 0 {
					at += rest % shape[d] * scale
					scale *= shape[d]
				}
				rest /= shape[d]
			}
			want[at] += v
		}
		got := make([]float64, kept)
		f.in = &tensor.View{DType: tensor.F64, Shape: shape, Data: unsafe.Pointer(&x[0])}
		f.out = &tensor.View{DType: tensor.F64, Shape: tensor.Shape{kept}, Data: unsafe.Pointer(&got[0])}
		sumOf(same[float64], same[float64], floatTotal[float64](false))(f, 0, kept)
		for i := range want {
			if math.Abs(got[i]-want[i]) > 1e-12 {
				t.Errorf("mask %b: sum %d is %v, want %v", mask, i, got[i], want[i])
			}
		}
	}
}
