package nn

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/wide"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// NegativeLogLikelihoodLoss gives -input[n, target, d...], weighted by class,
// for each sample or reduced to one number.
// https://onnx.ai/onnx/operators/onnx__NegativeLogLikelihoodLoss.html   Departures: none.
// The mean over no sample that counts is NaN.
var NegativeLogLikelihoodLoss = op.Declare("", "NegativeLogLikelihoodLoss", func() op.Def {
	return op.Def{
		Versions: op.Versions{12: "", 13: "", 22: "bfloat16"},
		Attrs:    lossAttrs,
		Shape:    lossShape, Prepare: lossPrepare, Run: lossRun,
		DTypes: floats(pick(single), pick(double), pick(half), pick(brain)),
		Also:   lossTargets,
	}
})

var (
	lossAttrs   = op.Attrs(op.Optional("ignore_index", op.KindInt), op.String("reduction", "mean"))
	lossTargets = map[int][]tensor.DType{1: {tensor.I32, tensor.I64}}
)

// lossShape: input [N, C, D...], target [N, D...] -> [] or [N, D...].
func lossShape(c *op.Infer) error {
	x, target := c.In(0), c.In(1)
	if len(x) < 2 || len(target) != len(x)-1 || target[0] != x[0] || !target[1:].Equal(x[2:]) {
		return errs.New(errs.Shape, "the input has shape %v, the target %v: [N, C, D...] and [N, D...] expected", x, target)
	}
	if c.Has(2) && !c.In(2).Equal(tensor.Shape{x[1]}) {
		return errs.New(errs.Shape, "the weight has shape %v, [%d] expected", c.In(2), x[1])
	}
	switch r := c.Attr.Str("reduction"); r {
	case "none":
		c.SetOutput(0, c.DType(0), target)
	case "sum", "mean":
		c.SetOutput(0, c.DType(0), nil)
	default:
		return errs.New(errs.Argument, "reduction %q is none of none, sum, mean", r)
	}
	c.SetOutput(1, c.DType(0), x)
	return nil
}

// loss is the State of a loss: its lines run along the classes.
type loss struct {
	lines
	ignore    int
	ignores   bool
	reduction string
	kernel    lossKernel
	target    []int
	weight    []float64 // of each class, empty where all are 1
	losses    []float64 // of each sample, weighted
	probs     *tensor.View
	total     [1]float64
}

// lossKernel computes the losses of the samples [lo, hi), not weighted.
type lossKernel func(s *loss, lo, hi int)

func lossPrepare(c *op.Context) error {
	x := c.In(0).Shape
	s := &loss{lines: lines{outer: x[0], n: x[1], inner: x[2:].Elements()}, reduction: c.Attr.Str("reduction"), ignores: c.Attr.Has("ignore_index")}
	if s.ignores {
		s.ignore = c.Attr.Int("ignore_index")
	}
	c.State = s
	n := s.outer * s.inner
	if c.Has(2) {
		n += s.n
	}
	c.NeedWorkspace(8 * n)
	return nil
}

func lossRun(c *op.Context) error {
	s, work, n := c.State.(*loss), op.WorkspaceOf[float64](c), c.In(1).Elements()
	s.kernel, s.in, s.probs = op.Row[lossKernel](c), c.In(0), nil
	if c.Wants(1) {
		s.probs = c.Out(1)
	}
	s.losses, s.weight = work[:n], work[n:]
	if c.Has(2) {
		wide.Load[c.In(2).DType](s.weight, c.In(2))
	}
	var err error
	if s.target, err = op.AppendInts(s.target[:0], c.In(1)); err != nil {
		return err
	}
	for i, t := range s.target {
		if (t < 0 || t >= s.n) && !s.ignored(i) {
			return errs.New(errs.Compute, "target %d at position %d is none of the %d classes", t, i, s.n)
		}
	}
	c.For(n, max(1, (8<<10)/max(1, s.n)), s)
	total, weights := 0.0, 0.0
	for i, t := range s.target {
		w := 1.0
		switch {
		case s.ignored(i):
			w, s.losses[i] = 0, 0
		case len(s.weight) > 0:
			w = s.weight[t]
		}
		s.losses[i] *= w
		total += s.losses[i]
		weights += w
	}
	switch s.reduction {
	case "none":
		wide.Store[c.Out(0).DType](c.Out(0), s.losses)
		return nil
	case "mean":
		total /= weights
	}
	s.total[0] = total
	wide.Store[c.Out(0).DType](c.Out(0), s.total[:])
	return nil
}

// ignored reports whether sample i does not count.
func (s *loss) ignored(i int) bool { return s.ignores && s.target[i] == s.ignore }

// Chunk implements op.Task over the samples.
func (s *loss) Chunk(lo, hi int) { s.kernel(s, lo, hi) }

func pick[T any](n number[T]) lossKernel {
	return func(s *loss, lo, hi int) {
		in := tensor.Elems[T](s.in)
		for i := lo; i < hi; i++ {
			if !s.ignored(i) {
				first, _ := s.span(i)
				s.losses[i] = -n.Widen(in[first+s.target[i]*s.inner])
			}
		}
	}
}
