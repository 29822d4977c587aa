package nn

import (
	"math"

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
	queue          []candidate
	kept           []box
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
	if s.queue, err = op.Temporary[candidate](c, s.n); err != nil {
		return err
	}
	if s.kept, err = op.Temporary[box](c, min(s.most, s.n)); err != nil {
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
	queue := s.queue[:0]
	for i, x := range scores {
		if !s.limited || x > s.threshold {
			queue = append(queue, candidateOf(x, i))
		}
	}
	for i := len(queue)/2 - 1; i >= 0; i-- {
		sink(queue, i)
	}
	kept := s.kept[:0]
	for len(queue) > 0 && len(kept) < s.most {
		i, last := queue[0].box(), len(queue)-1
		queue[0] = queue[last]
		queue = queue[:last]
		sink(queue, 0)
		if b := s.corners(boxes[4*i:]); !b.overlaps(kept, s.iou) {
			kept = append(kept, b)
			copy(s.chosen[3*count:], []int64{int64(image), int64(class), int64(i)})
			count++
		}
	}
	return count
}

// candidate is a box by its score, high before low and NaN last, then by its number: the
// least comes first.
type candidate uint64

func candidateOf(score float32, i int) candidate {
	bits := math.Float32bits(score + 0) // one zero
	switch {
	case score != score:
		bits = math.MaxUint32
	case bits>>31 == 0:
		bits ^= 1<<31 - 1
	}
	return candidate(bits)<<32 | candidate(i)
}

func (c candidate) box() int { return int(uint32(c)) }

// sink restores the heap at i: none comes before the one that it is below.
func sink(heap []candidate, i int) {
	for {
		least := 2*i + 1
		if least >= len(heap) {
			return
		}
		if least+1 < len(heap) && heap[least+1] < heap[least] {
			least++
		}
		if heap[i] <= heap[least] {
			return
		}
		heap[i], heap[least] = heap[least], heap[i]
		i = least
	}
}

// box is a rectangle from the lower to the higher corner.
type box struct{ x0, y0, x1, y1, area float32 }

// corners reads a box of four numbers.
func (s *suppression) corners(b []float32) box {
	r := box{x0: min(b[1], b[3]), y0: min(b[0], b[2]), x1: max(b[1], b[3]), y1: max(b[0], b[2])}
	if s.centered {
		r = box{x0: b[0] - b[2]/2, y0: b[1] - b[3]/2, x1: b[0] + b[2]/2, y1: b[1] + b[3]/2}
	}
	r.area = (r.x1 - r.x0) * (r.y1 - r.y0)
	return r
}

// overlaps reports whether the intersection of a box and one of others is more of their
// union than a limit; it is nothing where one has no area.
func (b box) overlaps(others []box, limit float32) bool {
	for i := range others {
		o := &others[i]
		w, h := min(b.x1, o.x1)-max(b.x0, o.x0), min(b.y1, o.y1)-max(b.y0, o.y0)
		if w > 0 && h > 0 && b.area > 0 && o.area > 0 && w*h/(b.area+o.area-w*h) > limit {
			return true
		}
	}
	return false
}
