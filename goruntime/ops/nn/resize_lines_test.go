package nn

import (
	"fmt"
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Few lines and many, which are turned, are weighed alike; an infinity or NaN stays where it
// is seen. The weights are those of the specification's formulas.
func TestResizeOfManyLines(t *testing.T) {
	var cases []optest.Case
	for _, size := range [][4]int{{1, 9, 11, 20}, {3, 9, 20, 11}, {70, 1, 9, 5}, {131, 2, 7, 23}, {9, 40, 33, 50}} {
		for _, mode := range []string{"linear", "cubic"} {
			for _, bad := range []bool{false, true} {
				c, h, in, out := size[0], size[1], size[2], size[3]
				x := make([]float64, c*h*in)
				for i := range x {
					x[i] = math.Sin(float64(i)) * 3
				}
				if bad {
					x[len(x)/2], x[len(x)-1] = math.Inf(1), math.NaN()
				}
				cases = append(cases, optest.Case{
					Name: fmt.Sprint(size, mode, bad), Version: 19, Attrs: optest.Attrs("mode", mode),
					In:   optest.In(optest.Filled(tensor.F32, optest.Dims(1, c, h, in), x...), nil, nil, optest.I64(optest.Dims(4), 1, int64(c), int64(h), int64(out))),
					Want: optest.Want(optest.Filled(tensor.F32, optest.Dims(1, c, h, out), interpolated(x, in, out, mode)...)), Tol: 2e-6,
				})
			}
		}
	}
	optest.Run(t, Resize, cases)
}

// interpolated resizes each line of length in to length out.
func interpolated(x []float64, in, out int, mode string) []float64 {
	const a = -0.75
	var y []float64
	for line := range len(x) / in {
		for o := range out {
			at := (float64(o)+0.5)*float64(in)/float64(out) - 0.5
			first := int(math.Floor(at))
			d := at - float64(first)
			weights := []float64{0, 1 - d, d, 0}
			if mode == "cubic" {
				weights = []float64{
					((a*(d+1)-5*a)*(d+1)+8*a)*(d+1) - 4*a, ((a+2)*d-(a+3))*d*d + 1,
					((a+2)*(1-d)-(a+3))*(1-d)*(1-d) + 1, ((a*(2-d)-5*a)*(2-d)+8*a)*(2-d) - 4*a,
				}
			}
			sum := 0.0
			for k, w := range weights {
				if w != 0 {
					sum += w * x[line*in+min(in-1, max(0, first-1+k))]
				}
			}
			y = append(y, sum)
		}
	}
	return y
}
