package nn

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// MeanVarianceNormalization gives (x - mean) / (deviation + 1e-9) with
// statistics over some axes.
// https://onnx.ai/onnx/operators/onnx__MeanVarianceNormalization.html   Departures: none.
var MeanVarianceNormalization = op.Declare("", "MeanVarianceNormalization", func() op.Def {
	return op.Widened(op.Def{
		Versions: op.Versions{9: "", 13: "bfloat16"},
		Attrs:    op.Attrs(op.Attr{Name: "axes", Kind: op.KindInts, Default: []int{0, 2, 3}}),
		InPlace:  op.FirstOnly,
		Shape: func(c *op.Infer) error {
			for _, a := range c.Attr.Ints("axes") {
				if _, err := tensor.Axis(a, len(c.In(0))); err != nil {
					return err
				}
			}
			return op.SameAsInput(c)
		},
		Prepare: func(c *op.Context) error {
			x := c.In(0).Shape
			s, reduced := &spreadOut{}, make([]bool, len(x))
			for _, a := range c.Attr.Ints("axes") {
				i, err := tensor.Axis(a, len(x))
				if err != nil {
					return err
				}
				reduced[i] = true
			}
			s.sets, s.members, s.run = offsets(x, reduced, false), offsets(x, reduced, true), 1
			for i := len(x) - 1; i >= 0 && reduced[i]; i-- {
				s.run *= x[i]
			}
			c.State = s
			return nil
		},
		Run: func(c *op.Context) error {
			s := c.State.(*spreadOut)
			s.kernel, s.out, s.in = op.Row[spreadOutKernel](c), c.Out(0), c.In(0)
			if c.In(0).Elements() > 0 {
				c.For(len(s.sets), max(1, (16<<10)/len(s.members)), s)
			}
			return nil
		},
		DTypes: widened(meanVariance32, meanVariance(double)),
	})
})

// spreadOut is the State of an operator on sets of elements that lie anywhere in
// a tensor: where each set begins, and where its members lie from there on.
type spreadOut struct {
	sets, members []int
	run           int // members that lie side by side, from each that is a multiple of them on
	kernel        spreadOutKernel
	out, in       *tensor.View
}

type spreadOutKernel func(s *spreadOut, lo, hi int)

// Chunk implements op.Task over the sets.
func (s *spreadOut) Chunk(lo, hi int) { s.kernel(s, lo, hi) }

// offsets lists where the elements lie that differ in the marked dimensions
// alone, or in the others alone.
func offsets(x tensor.Shape, marked []bool, which bool) []int {
	list, step := []int{0}, 1
	for i := len(x) - 1; i >= 0; i-- {
		if marked[i] == which {
			longer := make([]int, 0, len(list)*x[i])
			for k := range x[i] {
				for _, at := range list {
					longer = append(longer, k*step+at)
				}
			}
			list = longer
		}
		step *= x[i]
	}
	return list
}

// deviationEpsilon is added to deviations.
const deviationEpsilon = 1e-9

// shortestRun is how many members must lie side by side to be worth vector loops.
const shortestRun = 16

func meanVariance32(s *spreadOut, lo, hi int) {
	if s.run < shortestRun {
		meanVarianceSlow32(s, lo, hi)
		return
	}
	out, in, count := tensor.Elems[float32](s.out), tensor.Elems[float32](s.in), float64(len(s.members))
	for _, at := range s.sets[lo:hi] {
		total, square := 0.0, 0.0
		for m := 0; m < len(s.members); m += s.run {
			total += added32(vec.Added, in[at+s.members[m]:][:s.run])
		}
		mean := [1]float32{float32(total / count)}
		for m := 0; m < len(s.members); m += s.run {
			square += apart32(out[at+s.members[m]:][:s.run], in[at+s.members[m]:][:s.run], mean)
		}
		deviation := [1]float32{float32(math.Sqrt(square/count) + deviationEpsilon)}
		for m := 0; m < len(s.members); m += s.run {
			dst := out[at+s.members[m]:][:s.run]
			vec.Combine(vec.Over, dst, dst, deviation[:])
		}
	}
}

var meanVarianceSlow32 = meanVariance(single)

func meanVariance[T any](n number[T]) spreadOutKernel {
	return func(s *spreadOut, lo, hi int) {
		out, in, count := tensor.Elems[T](s.out), tensor.Elems[T](s.in), float64(len(s.members))
		for _, at := range s.sets[lo:hi] {
			mean, square := 0.0, 0.0
			for _, i := range s.members {
				mean += n.Widen(in[at+i])
			}
			mean /= count
			for _, i := range s.members {
				d := n.Widen(in[at+i]) - mean
				square += d * d
			}
			deviation := math.Sqrt(square/count) + deviationEpsilon
			for _, i := range s.members {
				out[at+i] = n.Narrow((n.Widen(in[at+i]) - mean) / deviation)
			}
		}
	}
}
