package ml

import (
	"slices"

	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// TreeEnsembleClassifier adds up the votes of many trees for classes: the label of
// the class with the most, and all scores.
// https://onnx.ai/onnx/operators/onnx_aionnxml_TreeEnsembleClassifier.html
// Departures: none. What the specification leaves open, two classes of which the
// leaves vote for one only and at most one base value, is as in ONNX Runtime, but for
// PROBIT, of which it leaves one score unset: there both are the probits of what NONE
// gives, as onnx.reference has them. Where the leaves vote for both, ONNX Runtime takes
// the second class for any vote above 0; where there are two base values, which the
// specification adds to the scores, it leaves some of them out.
var TreeEnsembleClassifier = op.Declare(Domain, "TreeEnsembleClassifier", func() op.Def {
	return op.Def{
		Versions: op.Versions{1: "", 3: "double thresholds", 5: "deprecated"},
		Attrs: append(slices.Clone(nodeAttrs), op.Ints("class_ids"), op.Ints("class_nodeids"), op.Ints("class_treeids"), op.Floats("class_weights"),
			op.Tensor("class_weights_as_tensor"), op.Ints("classlabels_int64s"), op.Strings("classlabels_strings")),
		Shape: func(c *op.Infer) error {
			x := c.In(0)
			if err := matrixShape(x); err != nil {
				return err
			}
			classes := len(c.Attr.Ints("classlabels_int64s")) + len(c.Attr.Strs("classlabels_strings"))
			return classifierShape(c, labelType(c.Attr, "classlabels_strings"), classes)
		},
		Prepare: func(c *op.Context) error { return op.Row[classification](c).prepare(c) },
		Run:     func(c *op.Context) error { return op.Row[classification](c).run(c) },
		DTypes: op.ByType(map[tensor.DType]classification{
			tensor.F32: classificationOf[float32](load[float32]), tensor.F64: classificationOf[float64](load[float64]),
			tensor.I64: classificationOf[float64](load[int64]), tensor.I32: classificationOf[float64](load[int32]),
		}),
		Columns: op.AnyMatrix,
	}
})

// classifierShape: X [N, F] or [F] -> labels [N], scores [N, scores].
func classifierShape(c *op.Infer, labels tensor.DType, scores int) error {
	rows := rowsOf(c.In(0))
	if c.Outputs() > 0 {
		c.Grow(0, labels, 1)[0] = rows
	}
	if c.Outputs() > 1 {
		out := c.Grow(1, tensor.F32, 2)
		out[0], out[1] = rows, scores
	}
	return nil
}

// classification prepares and runs for one input type.
type classification struct {
	prepare, run func(c *op.Context) error
}

// treeClassifier is the State.
type treeClassifier[T number] struct {
	*classes[T]
	ensemble  *ensemble[T]
	labels    labels
	base      []T
	transform transform
	out       []float32
}

func classificationOf[T number](load loader) classification {
	return classification{
		prepare: func(c *op.Context) error {
			f, err := newTreeClassifier[T](c, load)
			c.State = f
			return err
		},
		run: func(c *op.Context) error {
			f := c.State.(*treeClassifier[T])
			if err := f.labels.bind(c); err != nil {
				return err
			}
			f.out = nil
			if c.Wants(1) {
				f.out = tensor.Elems[float32](c.Out(1))
			}
			f.ensemble.run(c)
			return nil
		},
	}
}

func newTreeClassifier[T number](c *op.Context, load loader) (*treeClassifier[T], error) {
	a := c.Attr
	f := &treeClassifier[T]{}
	var err error
	if f.labels, err = labelsOf(a, "classlabels_int64s", "classlabels_strings"); err != nil {
		return nil, err
	}
	if f.transform, err = transformOf(a.Str("post_transform")); err != nil {
		return nil, err
	}
	n := f.labels.count()
	if f.base, err = baseOf[T](a, n); err != nil {
		return nil, err
	}
	g, err := woodOf[T](c, func(features int) (*classes[T], error) { return newClasses[T](c, features, n) })
	if err != nil {
		return nil, err
	}
	f.classes, f.ensemble = g, newEnsemble(c, g.wood, load, f)
	return f, nil
}

// classes are a wood whose targets are classes.
type classes[T number] struct {
	*wood[T]
	binary   bool // of two classes, the leaves vote for one
	positive bool // no weight is negative
}

func newClasses[T number](c *op.Context, features, n int) (*classes[T], error) {
	forest, votes, err := newForest[T](c.Attr, "class_", features, n)
	if err != nil {
		return nil, err
	}
	ids, positive := map[int32]bool{}, true
	for _, w := range votes.list {
		ids[w.target] = true
		positive = positive && w.value >= 0
	}
	return &classes[T]{wood: newWood(c.In(0).DType, forest, votes, n, features, sum), binary: n == 2 && len(ids) == 1, positive: positive}, nil
}

// finish implements finisher.
func (f *treeClassifier[T]) finish(row int, s []T, given []bool) {
	class := 0
	switch {
	case len(s) == 1:
		if len(f.base) == 1 {
			s[0] += f.base[0]
		}
	case f.binary && len(f.base) < 2:
		class = f.two(s, given)
	default:
		class = f.many(s, given)
	}
	f.labels.put(row, class)
	if f.out == nil {
		return
	}
	out := f.out[row*len(s) : (row+1)*len(s)]
	for i, x := range s {
		out[i] = float32(x)
	}
}

// many adds the base values to the scores, transforms them and returns the class
// that comes first; only classes with a vote or a base value count.
func (f *treeClassifier[T]) many(s []T, given []bool) int {
	best := -1
	for i := range s {
		if i < len(f.base) {
			s[i] += f.base[i]
		} else if !given[i] {
			continue
		}
		if best < 0 || s[i] > s[best] {
			best = i
		}
	}
	apply(f.transform, s)
	return max(best, 0)
}

// two finishes two classes of which the leaves vote for one alone. Its score is
// compared with a limit; votes for class 0 stand for class 1, and the score of the
// other follows from theirs.
func (f *treeClassifier[T]) two(s []T, given []bool) int {
	weight := s[1]
	if !given[1] {
		if len(f.base) == 1 {
			s[0] += f.base[0]
		}
		weight = s[0]
	}
	class, limit := 0, T(0)
	if f.positive {
		limit = 0.5
	}
	if weight > limit {
		class = 1
	}
	switch {
	case given[1]:
		apply(f.transform, s)
	case f.transform == logistic:
		s[0], s[1] = sigmoid(-weight), sigmoid(weight)
	case f.positive:
		s[0], s[1] = 1-weight, weight
	default:
		s[0], s[1] = -weight, weight
	}
	if f.transform == probit && !given[1] {
		apply(probit, s)
	}
	return class
}
