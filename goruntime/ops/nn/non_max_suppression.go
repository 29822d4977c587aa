package nn

import (
	"slices"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// NonMaxSuppression selects, for each image and class, boxes in the order of
// their scores that overlap none of those selected before by more than
// iou_threshold. Of equal scores the first comes first.
// https://onnx.ai/onnx/operators/onnx__NonMaxSuppression.html   Departures: none.
var NonMaxSuppression = op.Declare("", "NonMaxSuppression", func() op.Def {
	return op.Def{
		Versions: op.Versions{10: "", 11: ""},
		Attrs:    op.Attrs(op.Int("center_point_box", 0)),
		Computes: true,
		Run:      suppress,
		DTypes:   op.Uniform(struct{}{}, tensor.F32),
		Also:     map[int][]tensor.DType{1: {tensor.F32}, 2: {tensor.I64}, 3: {tensor.F32}, 4: {tensor.F32}},
	}
})

// suppression is one run of a NonMaxSuppression.
type suppression struct {
	boxes, scores  []float32
	n              int // boxes of an image
	most           int // selected of a class
	iou, threshold float32
	limited        bool // scores must exceed threshold
	centered       bool
	order          []int32
	chosen         []int64 // {image, class, box} of each
}

func suppress(c *op.Context) error {
	boxes, scores := c.In(0).Shape, c.In(1).Shape
	if len(boxes) != 3 || boxes[2] != 4 || len(scores) != 3 || scores[0] != boxes[0] || scores[2] != boxes[1] {
		return errs.New(errs.Shape, "boxes have shape %v, scores %v: [N, B, 4] and [N, C, B] expected", boxes, scores)
	}
	s := suppression{boxes: tensor.Elems[float32](c.In(0)), scores: tensor.Elems[float32](c.In(1)), n: boxes[1], limited: c.Has(4)}
	switch k := c.Attr.Int("center_point_box"); k {
	case 0:
	case 1:
		s.centered = true
	default:
		return errs.New(errs.Argument, "center_point_box is %d: it must be 0 or 1", k)
	}
	if err := s.limits(c); err != nil {
		return err
	}
	var err error
	if s.order, err = op.Temporary[int32](c, s.n); err != nil {
		return err
	}
	if s.chosen, err = op.Temporary[int64](c, 3*scores[0]*scores[1]*min(s.most, s.n)); err != nil {
		return err
	}
	count := 0
	for i := range scores[0] * scores[1] {
		if err := c.Stopped(); err != nil {
			return err
		}
		count = s.class(i/max(1, scores[1]), i%max(1, scores[1]), scores[1], count)
	}
	out, err := c.MakeOutputTensor(0, tensor.I64, tensor.Shape{count, 3})
	if err != nil {
		return err
	}
	copy(tensor.Elems[int64](out), s.chosen)
	return nil
}

// limits reads the optional inputs.
func (s *suppression) limits(c *op.Context) error {
	if c.Has(2) {
		most, err := op.Scalar[int64](c, 2)
		if err != nil {
			return err
		}
		s.most = int(max(0, most))
	}
	for i, dst := range [...]*float32{3: &s.iou, 4: &s.threshold} {
		if dst == nil || !c.Has(i) {
			continue
		}
		v, err := op.Scalar[float32](c, i)
		if err != nil {
			return err
		}
		*dst = v
	}
	if !(s.iou >= 0 && s.iou <= 1) {
		return errs.New(errs.Argument, "iou_threshold is %v: it must lie in [0, 1]", s.iou)
	}
	return nil
}

// class selects boxes of one class of an image; count are those selected before.
func (s *suppression) class(image, class, classes, count int) int {
	scores := s.scores[(image*classes+class)*s.n:][:s.n]
	boxes := s.boxes[image*s.n*4:][:s.n*4]
	order := s.order[:0]
	for i, x := range scores {
		if !s.limited || x > s.threshold {
			order = append(order, int32(i))
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		switch x, y := scores[a], scores[b]; {
		case x > y || x == x && y != y:
			return -1
		case x < y || x != x && y == y:
			return 1
		}
		return int(a - b)
	})
	first := count
	for _, i := range order {
		if count-first >= s.most {
			break
		}
		box, keep := s.corners(boxes[4*i:]), true
		for k := first; keep && k < count; k++ {
			keep = !(box.overlap(s.corners(boxes[4*s.chosen[3*k+2]:])) > s.iou)
		}
		if keep {
			copy(s.chosen[3*count:], []int64{int64(image), int64(class), int64(i)})
			count++
		}
	}
	return count
}

// box is a rectangle from the lower to the higher corner.
type box struct{ x0, y0, x1, y1 float32 }

// corners reads a box of four numbers.
func (s *suppression) corners(b []float32) box {
	if s.centered {
		return box{b[0] - b[2]/2, b[1] - b[3]/2, b[0] + b[2]/2, b[1] + b[3]/2}
	}
	return box{min(b[1], b[3]), min(b[0], b[2]), max(b[1], b[3]), max(b[0], b[2])}
}

// overlap returns the intersection of two boxes over their union, 0 where one
// has no area.
func (a box) overlap(b box) float32 {
	w, h := min(a.x1, b.x1)-max(a.x0, b.x0), min(a.y1, b.y1)-max(a.y0, b.y0)
	areaA, areaB := (a.x1-a.x0)*(a.y1-a.y0), (b.x1-b.x0)*(b.y1-b.y0)
	if !(w > 0 && h > 0 && areaA > 0 && areaB > 0) {
		return 0
	}
	return w * h / (areaA + areaB - w*h)
}
