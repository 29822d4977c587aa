package nn

import (
	"math"
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
