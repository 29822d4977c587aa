package nn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
)

// The values are those of ONNX Runtime.
func TestNonMaxSuppression(t *testing.T) {
	optest.Run(t, NonMaxSuppression, []optest.Case{
		{
			Name: "by overlap", Version: 11,
			In:   optest.In(optest.F32(optest.Dims(1, 6, 4), 0, 0, 1, 1, 0, 0.1, 1, 1.1, 0, -0.1, 1, 0.9, 0, 10, 1, 11, 0, 10.1, 1, 11.1, 0, 100, 1, 101), optest.F32(optest.Dims(1, 1, 6), 0.9, 0.75, 0.6, 0.95, 0.5, 0.3), optest.I64(optest.Dims(1), 3), optest.F32(optest.Dims(1), 0.5), optest.F32(optest.Dims(1), 0)),
			Want: optest.Want(optest.I64(optest.Dims(3, 3), 0, 0, 3, 0, 0, 0, 0, 0, 5)),
		},
		{
			Name: "a limit of boxes", Version: 10,
			In:   optest.In(optest.F32(optest.Dims(1, 6, 4), 0, 0, 1, 1, 0, 0.1, 1, 1.1, 0, -0.1, 1, 0.9, 0, 10, 1, 11, 0, 10.1, 1, 11.1, 0, 100, 1, 101), optest.F32(optest.Dims(1, 1, 6), 0.9, 0.75, 0.6, 0.95, 0.5, 0.3), optest.I64(optest.Dims(1), 2), optest.F32(optest.Dims(1), 0.5)),
			Want: optest.Want(optest.I64(optest.Dims(2, 3), 0, 0, 3, 0, 0, 0)),
		},
		{
			Name: "a limit of scores", Version: 11,
			In:   optest.In(optest.F32(optest.Dims(1, 6, 4), 0, 0, 1, 1, 0, 0.1, 1, 1.1, 0, -0.1, 1, 0.9, 0, 10, 1, 11, 0, 10.1, 1, 11.1, 0, 100, 1, 101), optest.F32(optest.Dims(1, 1, 6), 0.9, 0.75, 0.6, 0.95, 0.5, 0.3), optest.I64(optest.Dims(1), 3), optest.F32(optest.Dims(1), 0.5), optest.F32(optest.Dims(1), 0.4)),
			Want: optest.Want(optest.I64(optest.Dims(2, 3), 0, 0, 3, 0, 0, 0)),
		},
		{
			Name: "no box may be selected", Version: 11,
			In:   optest.In(optest.F32(optest.Dims(1, 6, 4), 0, 0, 1, 1, 0, 0.1, 1, 1.1, 0, -0.1, 1, 0.9, 0, 10, 1, 11, 0, 10.1, 1, 11.1, 0, 100, 1, 101), optest.F32(optest.Dims(1, 1, 6), 0.9, 0.75, 0.6, 0.95, 0.5, 0.3)),
			Want: optest.Want(optest.I64(optest.Dims(0, 3))),
		},
		{
			Name: "equal scores", Version: 11,
			In:   optest.In(optest.F32(optest.Dims(1, 6, 4), 0, 0, 1, 1, 0, 0.1, 1, 1.1, 0, -0.1, 1, 0.9, 0, 10, 1, 11, 0, 10.1, 1, 11.1, 0, 100, 1, 101), optest.F32(optest.Dims(1, 1, 6), 0.5, 0.5, 0.5, 0.5, 0.5, 0.5), optest.I64(optest.Dims(1), 6), optest.F32(optest.Dims(1), 0.5)),
			Want: optest.Want(optest.I64(optest.Dims(3, 3), 0, 0, 0, 0, 0, 3, 0, 0, 5)),
		},
		{
			Name: "centers", Version: 11, Attrs: optest.Attrs("center_point_box", 1),
			In:   optest.In(optest.F32(optest.Dims(1, 4, 4), 0.5, 0.5, 1, 1, 0.5, 0.6, 1, 1, 0.5, 0.4, 1, 1, 0.5, 10.5, 1, 1), optest.F32(optest.Dims(1, 1, 4), 0.9, 0.75, 0.6, 0.95), optest.I64(optest.Dims(1), 3), optest.F32(optest.Dims(1), 0.5)),
			Want: optest.Want(optest.I64(optest.Dims(2, 3), 0, 0, 3, 0, 0, 0)),
		},
		{
			Name: "two classes", Version: 11,
			In:   optest.In(optest.F32(optest.Dims(1, 6, 4), 0, 0, 1, 1, 0, 0.1, 1, 1.1, 0, -0.1, 1, 0.9, 0, 10, 1, 11, 0, 10.1, 1, 11.1, 0, 100, 1, 101), optest.F32(optest.Dims(1, 2, 6), 0.9, 0.1, 0.8, 0.7, 0.6, 0.5, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6), optest.I64(optest.Dims(1), 2), optest.F32(optest.Dims(1), 0.5), optest.F32(optest.Dims(1), 0)),
			Want: optest.Want(optest.I64(optest.Dims(4, 3), 0, 0, 0, 0, 0, 3, 0, 1, 5, 0, 1, 4)),
		},
		{
			Name: "corners the other way", Version: 11,
			In:   optest.In(optest.F32(optest.Dims(1, 3, 4), 1, 1, 0, 0, 0, 0.1, 1, 1.1, 0, 10, 1, 11), optest.F32(optest.Dims(1, 1, 3), 0.9, 0.75, 0.6), optest.I64(optest.Dims(1), 3), optest.F32(optest.Dims(1), 0.5)),
			Want: optest.Want(optest.I64(optest.Dims(2, 3), 0, 0, 0, 0, 0, 2)),
		},
		{
			Name: "an overlap at the threshold is kept", Version: 11,
			In:   optest.In(optest.F32(optest.Dims(1, 2, 4), 0, 0, 1, 1, 0, 0, 1, 2), optest.F32(optest.Dims(1, 1, 2), 0.9, 0.8), optest.I64(optest.Dims(1), 2), optest.F32(optest.Dims(1), 0.5)),
			Want: optest.Want(optest.I64(optest.Dims(2, 3), 0, 0, 0, 0, 0, 1)),
		},
		{
			Name: "no boxes", Version: 11,
			In:   optest.In(optest.F32(optest.Dims(1, 0, 4)), optest.F32(optest.Dims(1, 1, 0)), optest.I64(optest.Dims(1), 2)),
			Want: optest.Want(optest.I64(optest.Dims(0, 3))),
		},
		{
			Name: "a score that is no number comes last", Version: 11,
			In:   optest.In(optest.F32(optest.Dims(1, 2, 4), 0, 0, 1, 1, 0, 5, 1, 6), optest.F32(optest.Dims(1, 1, 2), float32(math.NaN()), 0.8), optest.I64(optest.Dims(1), 2), optest.F32(optest.Dims(1), 0.5)),
			Want: optest.Want(optest.I64(optest.Dims(2, 3), 0, 0, 1, 0, 0, 0)),
		},
		{Name: "other scores", In: optest.In(optest.F32(optest.Dims(1, 6, 4), 0, 0, 1, 1, 0, 0.1, 1, 1.1, 0, -0.1, 1, 0.9, 0, 10, 1, 11, 0, 10.1, 1, 11.1, 0, 100, 1, 101), optest.F32(optest.Dims(1, 1, 5), 0, 0, 0, 0, 0)), Err: `boxes have shape [1, 6, 4], scores [1, 1, 5]: [N, B, 4] and [N, C, B] expected`, Code: errs.Shape},
		{Name: "a threshold above 1", In: optest.In(optest.F32(optest.Dims(1, 6, 4), 0, 0, 1, 1, 0, 0.1, 1, 1.1, 0, -0.1, 1, 0.9, 0, 10, 1, 11, 0, 10.1, 1, 11.1, 0, 100, 1, 101), optest.F32(optest.Dims(1, 1, 6), 0.9, 0.75, 0.6, 0.95, 0.5, 0.3), optest.I64(optest.Dims(1), 1), optest.F32(optest.Dims(1), 1.5)), Err: `iou_threshold is 1.5: it must lie in [0, 1]`, Code: errs.Argument},
		{Name: "another format", Attrs: optest.Attrs("center_point_box", 2), In: optest.In(optest.F32(optest.Dims(1, 6, 4), 0, 0, 1, 1, 0, 0.1, 1, 1.1, 0, -0.1, 1, 0.9, 0, 10, 1, 11, 0, 10.1, 1, 11.1, 0, 100, 1, 101), optest.F32(optest.Dims(1, 1, 6), 0.9, 0.75, 0.6, 0.95, 0.5, 0.3), optest.I64(optest.Dims(1), 1)), Err: `center_point_box is 2: it must be 0 or 1`, Code: errs.Argument},
		{Name: "two limits", In: optest.In(optest.F32(optest.Dims(1, 6, 4), 0, 0, 1, 1, 0, 0.1, 1, 1.1, 0, -0.1, 1, 0.9, 0, 10, 1, 11, 0, 10.1, 1, 11.1, 0, 100, 1, 101), optest.F32(optest.Dims(1, 1, 6), 0.9, 0.75, 0.6, 0.95, 0.5, 0.3), optest.I64(optest.Dims(2), 1, 2)), Err: `input 2 has shape [2] with 2 elements, one element expected`, Code: errs.Shape},
	})
}

// Against the plain rule, that takes the best box that is left as long as there is one:
// equal scores, boxes without an area, several images and classes.
func TestNonMaxSuppressionOfManyBoxes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var cases []optest.Case
	for _, boxes := range []int{1, 2, 33, 300} {
		for _, most := range []int{1, 7, math.MaxInt32} {
			for centered := range 2 {
				cases = append(cases, drawnSuppression(r, boxes, most, centered))
			}
		}
	}
	optest.Run(t, NonMaxSuppression, cases)
}

func drawnSuppression(r *rand.Rand, n, most, centered int) optest.Case {
	const images, classes, limit, least = 2, 3, 0.3, -0.5
	boxes, scores := make([]float32, images*n*4), make([]float32, images*classes*n)
	for i := range boxes {
		boxes[i] = float32(r.IntN(40))
		if i%9 == 0 {
			boxes[i] = -boxes[i]
		}
	}
	odd := []float32{0, float32(math.Copysign(0, -1)), float32(math.Inf(1)), -0.25, float32(math.NaN()), -0.5, 1}
	for i := range scores {
		if scores[i] = float32(r.IntN(50)) / 50; i%5 == 0 {
			scores[i] = odd[r.IntN(len(odd))]
		}
	}
	var want []int64
	for c := range images * classes {
		image := c / classes
		open := make([]bool, n)
		for i, x := range scores[c*n : (c+1)*n] {
			open[i] = x > least
		}
		for taken := 0; taken < most; taken++ {
			best := -1
			for i, x := range scores[c*n : (c+1)*n] {
				if open[i] && (best < 0 || x > scores[c*n+best]) {
					best = i
				}
			}
			if best < 0 {
				break
			}
			want = append(want, int64(image), int64(c%classes), int64(best))
			for i := range n {
				open[i] = open[i] && i != best && !(share(boxes[(image*n+i)*4:], boxes[(image*n+best)*4:], centered) > limit)
			}
		}
	}
	return optest.Case{
		Name: fmt.Sprintf("%d boxes, %d at most, format %d", n, most, centered), Attrs: optest.Attrs("center_point_box", centered),
		In: optest.In(optest.F32(optest.Dims(images, n, 4), boxes...), optest.F32(optest.Dims(images, classes, n), scores...),
			optest.Ints(int64(most)), optest.F32(optest.Dims(1), limit), optest.F32(optest.Dims(1), least)),
		Want: optest.Want(optest.I64(optest.Dims(len(want)/3, 3), want...)),
	}
}

// share is the intersection of two boxes over their union.
func share(a, b []float32, centered int) float32 {
	common, areas := float32(1), [2]float32{1, 1}
	for d := range 2 {
		var from, to [2]float32
		for k, box := range [2][]float32{a, b} {
			from[k], to[k] = min(box[d], box[d+2]), max(box[d], box[d+2])
			if centered == 1 {
				// The first two numbers are x and y, the others width and height.
				from[k], to[k] = box[d]-box[d+2]/2, box[d]+box[d+2]/2
			}
			areas[k] *= max(0, to[k]-from[k])
		}
		common *= max(0, min(to[0], to[1])-max(from[0], from[1]))
	}
	if common == 0 {
		return 0
	}
	return common / (areas[0] + areas[1] - common)
}
