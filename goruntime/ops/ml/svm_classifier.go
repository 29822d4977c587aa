package ml

import (
	"slices"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/dot"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// SVMClassifier lets a classifier for each pair of classes vote, or, without
// support vectors, takes the class of the greatest score. With prob_a and prob_b
// the scores are probabilities by pairwise coupling.
// https://onnx.ai/onnx/operators/onnx_aionnxml_SVMClassifier.html
// Departures: none. What the specification leaves open is as in ONNX Runtime: the
// scores are those of the pairs, and of two classes both have one. Without support
// vectors ONNX Runtime takes the second of two classes for any score above 0.
var SVMClassifier = op.Declare(Domain, "SVMClassifier", func() op.Def {
	return op.Def{
		Versions: op.Versions{1: ""},
		Attrs:    append(slices.Clone(svmAttrs), op.Ints("classlabels_ints"), op.Strings("classlabels_strings"), op.Floats("prob_a"), op.Floats("prob_b"), op.Ints("vectors_per_class")),
		Shape: func(c *op.Infer) error {
			if err := matrixShape(c.In(0)); err != nil {
				return err
			}
			classes := len(c.Attr.Ints("classlabels_ints")) + len(c.Attr.Strs("classlabels_strings"))
			scores := classes
			if supports(c.Attr) > 0 && len(c.Attr.Floats("prob_a")) == 0 && classes > 2 {
				scores = classes * (classes - 1) / 2
			}
			return classifierShape(c, labelType(c.Attr, "classlabels_strings"), scores)
		},
		Prepare: func(c *op.Context) error {
			f, err := newSVMClassifier(c)
			c.State = f
			return err
		},
		Run: func(c *op.Context) error {
			f := c.State.(*svmClassifier)
			if err := f.labels.bind(c); err != nil {
				return err
			}
			f.out = nil
			if c.Wants(1) {
				f.out = tensor.Elems[float32](c.Out(1))
			}
			f.machine.run(c)
			return nil
		},
		DTypes:  rowLoaders,
		Columns: op.AnyMatrix,
	}
})

// supports returns the number of support vectors.
func supports(a *op.Values) int {
	n := 0
	for _, k := range a.Ints("vectors_per_class") {
		n += k
	}
	return n
}

// svmClassifier is the State.
type svmClassifier struct {
	machine      *machine
	labels       labels
	classes      int
	per, starts  []int         // vectors of each class and where they begin
	coefficients []float32     // [classes-1, vectors]
	weights      []dot.Factors // those of the vectors of each class
	rho          []float32
	winners      []int32   // the class with the most votes, by a bit for each pair that its first class wins; nil for many pairs
	a, b         []float32 // of the pairs' sigmoids, none for plain scores
	transform    transform
	out          []float32
}

func newSVMClassifier(c *op.Context) (*svmClassifier, error) {
	a := c.Attr
	f := &svmClassifier{coefficients: a.Floats("coefficients"), rho: a.Floats("rho"), a: a.Floats("prob_a"), b: a.Floats("prob_b"), per: a.Ints("vectors_per_class")}
	var err error
	if f.labels, err = labelsOf(a, "classlabels_ints", "classlabels_strings"); err != nil {
		return nil, err
	}
	if f.transform, err = transformOf(a.Str("post_transform")); err != nil {
		return nil, err
	}
	f.classes = f.labels.count()
	if n := supports(a); n > 0 {
		if err := f.check(n); err != nil {
			return nil, err
		}
		at := 0
		for _, k := range f.per {
			f.starts = append(f.starts, at)
			f.weights = append(f.weights, dot.NewFactors(f.coefficients[min(at, len(f.coefficients)):], f.classes-1, k, n))
			at += k
		}
		pairs := f.classes * (f.classes - 1) / 2
		f.winners = winnersOf(f.classes, pairs)
		f.machine, err = newMachine(c, a.Floats("support_vectors"), n, together*f.classes*(f.classes-1)+pairs+f.classes+3*f.classes*f.classes, false)
	} else {
		if len(f.rho) == 0 {
			return nil, errs.New(errs.Model, "rho is empty: at least one number is expected")
		}
		f.machine, err = newMachine(c, f.coefficients, f.classes, 0, true)
	}
	if err == nil {
		f.machine.end = f
	}
	return f, err
}

func (f *svmClassifier) check(vectors int) error {
	pairs := f.classes * (f.classes - 1) / 2
	if f.classes < 2 || len(f.per) != f.classes || slices.Min(f.per) < 0 || slices.Max(f.per) > vectors {
		return errs.New(errs.Model, "vectors_per_class is %v for %d labels: as many numbers as labels, two at least, none negative, are expected", f.per, f.classes)
	}
	if len(f.coefficients) < (f.classes-1)*vectors || len(f.rho) < pairs {
		return errs.New(errs.Model, "%d coefficients and %d rho given for %d classes with %d vectors: %d and %d are needed", len(f.coefficients), len(f.rho), f.classes, vectors, (f.classes-1)*vectors, pairs)
	}
	if len(f.a) != len(f.b) || len(f.a) != 0 && len(f.a) < pairs {
		return errs.New(errs.Model, "prob_a and prob_b have %d and %d numbers: none or %d are expected, one for each pair", len(f.a), len(f.b), pairs)
	}
	return nil
}

// finishSimilar implements similarityFinisher.
func (f *svmClassifier) finishSimilar(row, n int, similar []float32, scratch []float64) {
	if len(f.starts) == 0 {
		for i := range n {
			f.linear(row+i, similar[i*f.classes:(i+1)*f.classes])
		}
		return
	}
	size := n * (f.classes - 1)
	sums, scratch := scratch[:size*f.classes], scratch[size*f.classes:]
	for class, at := range f.starts {
		f.weights[class].Sums(sums[class*size:(class+1)*size], similar[at:], n, f.machine.vectors)
	}
	for i := range n {
		f.finishRow(row+i, sums[i*(f.classes-1):], size, scratch)
	}
}

// finishRow makes the outputs of a row. The sums of class c by each row of coefficients
// begin at sums[c*step].
func (f *svmClassifier) finishRow(row int, sums []float64, step int, scratch []float64) {
	pairs := f.classes * (f.classes - 1) / 2
	scores, votes := scratch[:pairs], scratch[pairs:pairs+f.classes]
	won := f.decide(sums, step, scores)
	if f.winners != nil {
		f.labels.put(row, int(f.winners[won]))
	} else {
		f.labels.put(row, mostVotes(votes, func(pair int) bool { return scores[pair] > 0 }))
	}
	if f.out == nil {
		return
	}
	if len(f.a) > 0 {
		out := f.out[row*f.classes : (row+1)*f.classes]
		f.couple(scores, scratch[pairs+f.classes:], out)
		apply(f.transform, out)
		return
	}
	if f.classes == 2 {
		f.both(float32(scores[0]), f.out[2*row:2*row+2])
		return
	}
	out := f.out[row*pairs : (row+1)*pairs]
	for i, s := range scores {
		out[i] = float32(s)
	}
	apply(f.transform, out)
}

// linear finishes a row of a machine without support vectors.
func (f *svmClassifier) linear(row int, scores []float32) {
	for i := range scores {
		scores[i] += f.rho[0]
	}
	f.labels.put(row, largest(scores))
	if f.out != nil {
		out := f.out[row*f.classes : (row+1)*f.classes]
		copy(out, scores)
		apply(f.transform, out)
	}
}

// decide computes the score of each pair of classes: above 0 the first one wins. It returns
// a bit for each of the first pairs that is won so.
func (f *svmClassifier) decide(sums []float64, step int, scores []float64) (won uint) {
	pair := 0
	for i := range f.classes {
		for j := i + 1; j < f.classes; j++ {
			s := sums[i*step+j-1] + sums[j*step+i] + float64(f.rho[pair])
			scores[pair] = s
			bit := uint(1) << pair
			if s <= 0 || s != s {
				bit = 0
			}
			won |= bit
			pair++
		}
	}
	return won
}

// mostPairs is up to how many pairs the class with the most votes is looked up.
const mostPairs = 10

// winnersOf returns the class with the most votes for each set of pairs that are won by
// their first class, nil where there are too many.
func winnersOf(classes, pairs int) []int32 {
	if pairs > mostPairs {
		return nil
	}
	list, votes := make([]int32, 1<<pairs), make([]float64, classes)
	for won := range list {
		list[won] = int32(mostVotes(votes, func(pair int) bool { return won>>pair&1 != 0 }))
	}
	return list
}

// mostVotes returns the first class with the most votes, each pair's for its first class
// where that wins, else for its second.
func mostVotes(votes []float64, wins func(pair int) bool) int {
	clear(votes)
	pair := 0
	for i := range votes {
		for j := i + 1; j < len(votes); j++ {
			if wins(pair) {
				votes[i]++
			} else {
				votes[j]++
			}
			pair++
		}
	}
	return largest(votes)
}

// both makes two scores of the one of a pair.
func (f *svmClassifier) both(s float32, out []float32) {
	switch f.transform {
	case none:
		out[0], out[1] = -s, s
	case logistic:
		out[0], out[1] = sigmoid(-s), sigmoid(s)
	default:
		out[0], out[1] = 1-s, s
	}
	if f.transform == probit {
		apply(probit, out)
	}
}
