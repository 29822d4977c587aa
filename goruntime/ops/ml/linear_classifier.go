package ml

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// LinearClassifier gives the label of the class whose score X * coefficients +
// intercepts is the greatest, and all scores.
// https://onnx.ai/onnx/operators/onnx_aionnxml_LinearClassifier.html
// Departures: none. What the specification leaves open, one score for two
// classes, is as in ONNX Runtime: it speaks for the second, which a score above 0
// chooses.
var LinearClassifier = op.Declare(Domain, "LinearClassifier", func() op.Def {
	return op.Def{
		Versions: op.Versions{1: ""},
		Attrs: op.Attrs(op.Ints("classlabels_ints"), op.Strings("classlabels_strings"), op.Required("coefficients", op.KindFloats), op.Floats("intercepts"),
			op.Int("multi_class", 0), op.String("post_transform", "NONE")),
		Shape: func(c *op.Infer) error {
			x := c.In(0)
			if err := matrixShape(x); err != nil {
				return err
			}
			labels := len(c.Attr.Ints("classlabels_ints")) + len(c.Attr.Strs("classlabels_strings"))
			return classifierShape(c, labelType(c.Attr, "classlabels_strings"), labels)
		},
		Prepare: func(c *op.Context) error {
			f, err := newLinearClassifier(c)
			c.State = f
			return err
		},
		Run: func(c *op.Context) error {
			f := c.State.(*linearClassifier)
			if err := f.labels.bind(c); err != nil {
				return err
			}
			f.shape = [2]int{rowsOf(c.In(0).Shape), f.affine.stride}
			var err error
			if c.Wants(1) {
				f.affine.out = *c.Out(1)
			} else if f.affine.out, err = c.MakeTemporaryTensor(tensor.F32, f.shape[:]); err != nil {
				return err
			}
			f.affine.run(c, op.Row[affineKernel](c))
			return nil
		},
		DTypes:  affineKernels,
		Columns: op.AnyMatrix,
	}
})

// linearClassifier is the State.
type linearClassifier struct {
	affine    *affine
	labels    labels
	transform transform
	shape     [2]int
}

func newLinearClassifier(c *op.Context) (*linearClassifier, error) {
	f := &linearClassifier{}
	var err error
	if f.labels, err = labelsOf(c.Attr, "classlabels_ints", "classlabels_strings"); err != nil {
		return nil, err
	}
	if f.transform, err = transformOf(c.Attr.Str("post_transform")); err != nil {
		return nil, err
	}
	if f.affine, err = newAffine(c, 0); err != nil {
		return nil, err
	}
	classes := f.labels.count()
	if t := f.affine.targets; t != classes && (t != 1 || classes != 2) {
		return nil, errs.New(errs.Model, "%d coefficients are %d scores of %d features, %d labels given", len(f.affine.coefficients), t, f.affine.features, classes)
	}
	f.affine.stride, f.affine.end = classes, f
	if f.affine.targets == classes { // else two sees to it
		f.affine.transform = f.transform
	}
	return f, nil
}

// finishRow implements rowFinisher.
func (f *linearClassifier) finishRow(row int, s []float32) {
	if len(s) == 2 && f.affine.targets == 1 {
		f.labels.put(row, f.two(s))
		return
	}
	f.labels.put(row, largest(s))
}

// two makes two scores of the one that was computed.
func (f *linearClassifier) two(s []float32) int {
	class := 0
	if s[0] > 0 {
		class = 1
	}
	switch f.transform {
	case logistic:
		s[0], s[1] = sigmoid(-s[0]), sigmoid(s[0])
	case probit:
		s[0], s[1] = 1-s[0], s[0]
		apply(probit, s)
	default:
		s[0], s[1] = 1-s[0], s[0]
	}
	return class
}

// largest returns the first place of the greatest number.
func largest[T score](s []T) int {
	best := 0
	for i, x := range s {
		if x > s[best] {
			best = i
		}
	}
	return best
}
