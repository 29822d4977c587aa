package nn

import (
	"slices"

	"github.com/goruntime/goruntime/goruntime/kernels/gemm"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// GRU runs a layer of gated recurrent units over a sequence.
// https://onnx.ai/onnx/operators/onnx__GRU.html   Departures: none.
var GRU = op.Declare("", "GRU", func() op.Def {
	return gru(op.Versions{7: "", 14: "layout", 22: "bfloat16"}, gruAttrs)
})

// The versions before have the attribute output_sequence; the first knows no
// linear_before_reset.
var (
	GRU3 = op.Declare("", "GRU", func() op.Def {
		return gru(op.Versions{3: "output_sequence"}, withSequence(gruAttrs))
	})
	GRU1 = op.Declare("", "GRU", func() op.Def {
		return gru(op.Versions{1: "without linear_before_reset"}, append(slices.DeleteFunc(withSequence(gruAttrs), func(a op.Attr) bool {
			return a.Name == "linear_before_reset" || a.Name == "direction"
		}), op.String("direction", "foward")))
	})
)

var gruAttrs = op.Attrs(op.Floats("activation_alpha"), op.Floats("activation_beta"), op.Strings("activations"), op.Float("clip", 0),
	op.String("direction", "forward"), op.Optional("hidden_size", op.KindInt), op.Int("layout", 0), op.Int("linear_before_reset", 0))

func gru(versions op.Versions, attrs []op.Attr) op.Def {
	return op.Widened(op.Def{
		Versions: versions, Attrs: attrs, Shape: gruUnit.shape, Run: recurrentRun, DTypes: recurrentKernels,
		Also: map[int][]tensor.DType{4: {tensor.I32}},
		Prepare: func(c *op.Context) error {
			err := gruUnit.prepare(c)
			if s, ok := c.State.(*recurrence); ok {
				s.after = c.Attr.Has("linear_before_reset") && c.Attr.Bool("linear_before_reset")
			}
			return err
		},
	})
}

// gruUnit has the gates in the order z, r, h. R is multiplied in two parts: that
// of h takes the state behind the reset.
var gruUnit = unit{gates: 3, activations: []string{"Sigmoid", "Tanh"}, states: 1, split: []int{0, 2, 3}, step: gruStep}

func gruStep(s *recurrence, d, t int) {
	h := s.hidden
	s.load(d, t)
	s.recur(d, 1, s.hid, 0, 2)
	for b := range s.batch {
		row, hid, _ := s.row(b)
		s.activate(s.act[d][0], vec.Logistic, row[:2*h])
		if !s.after {
			vec.Combine(vec.Times, s.extra[b*h:(b+1)*h], row[h:2*h], hid)
		}
	}
	if s.after {
		s.linear(d)
		for b := range s.batch {
			row, _, _ := s.row(b)
			part := s.extra[b*h : (b+1)*h]
			vec.Combine(vec.Times, part, part, row[h:2*h])
			vec.Combine(vec.Plus, row[2*h:], row[2*h:], part)
		}
	} else {
		s.recur(d, 2, s.extra, 2, 3)
	}
	for b := range s.batch {
		at, ok := s.time(d, t, b)
		if !ok {
			continue
		}
		row, hid, _ := s.row(b)
		next := row[2*h:]
		s.activate(s.act[d][1], vec.HyperbolicTangent, next)
		vec.Combine(vec.Minus, hid, hid, next)
		vec.Combine(vec.Times, hid, hid, row[:h])
		vec.Combine(vec.Plus, hid, hid, next)
		s.emit(at, d, b)
	}
}

// linear writes H * Rh^T + Rbh to extra: the state's part of h before the reset.
func (s *recurrence) linear(d int) {
	g, h := 3*s.hidden, s.hidden
	a := gemm.Args{M: s.batch, N: h, K: h, A: first(s.hid), LDA: h, C: first(s.extra), LDC: h}
	if s.b != nil {
		a.Start, a.Bias = gemm.Columns, first(s.b[d*2*g+g+2*h:])
	}
	s.product(&a, s.panels[d][2], s.r[(d*g+2*h)*h:])
}

// activate applies f, which is the vector function usual where the layer is
// plain, after the clip.
func (s *recurrence) activate(f func(float32) float32, usual vec.Function, x []float32) {
	if s.plain {
		vec.Apply(usual, x, x)
		return
	}
	for i, v := range x {
		x[i] = f(s.bound(v))
	}
}
