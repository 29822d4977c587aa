package nn

import (
	"slices"

	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// LSTM runs a long short-term memory layer over a sequence.
// https://onnx.ai/onnx/operators/onnx__LSTM.html   Departures: none.
var LSTM = op.Declare("", "LSTM", func() op.Def {
	return op.Widened(op.Def{
		Versions: op.Versions{7: "", 14: "layout", 22: "bfloat16"},
		Attrs: op.Attrs(op.Floats("activation_alpha"), op.Floats("activation_beta"), op.Strings("activations"), op.Float("clip", 0),
			op.String("direction", "forward"), op.Optional("hidden_size", op.KindInt), op.Int("input_forget", 0), op.Int("layout", 0)),
		Shape:   lstmUnit.shape,
		Prepare: lstmPrepare,
		Run:     recurrentRun,
		DTypes:  recurrentKernels,
		Also:    map[int][]tensor.DType{4: {tensor.I32}},
	})
})

// LSTM1 is LSTM before version 7, which has the attribute output_sequence.
var LSTM1 = op.Declare("", "LSTM", func() op.Def {
	return op.Widened(op.Def{
		Versions: op.Versions{1: "output_sequence"}, Attrs: withSequence(LSTM.Def().Attrs),
		Shape: lstmUnit.shape, Prepare: lstmPrepare, Run: recurrentRun, DTypes: recurrentKernels, Also: LSTM.Def().Also,
	})
})

// withSequence returns attributes without layout, with output_sequence: what it
// asks for is whether the node names Y.
func withSequence(attrs []op.Attr) []op.Attr {
	return append(slices.DeleteFunc(slices.Clone(attrs), func(a op.Attr) bool { return a.Name == "layout" }), op.Int("output_sequence", 0))
}

// lstmUnit has the gates in the order i, o, f, c.
var lstmUnit = unit{
	gates: 4, activations: []string{"Sigmoid", "Tanh", "Tanh"}, states: 2, split: []int{0, 4}, step: lstmStep,
}

func lstmPrepare(c *op.Context) error {
	err := lstmUnit.prepare(c)
	if s, ok := c.State.(*recurrence); ok {
		s.coupled = c.Attr.Bool("input_forget")
		s.plain = s.plain && !s.coupled
	}
	return err
}

func lstmStep(s *recurrence, d, t int) {
	s.load(d, t)
	s.recur(d, 1, s.hid, 0, 4)
	for b := range s.batch {
		at, ok := s.time(d, t, b)
		if !ok {
			continue
		}
		row, hid, cell := s.row(b)
		if s.plain {
			vec.LSTMCell(row, hid, cell)
		} else {
			s.anyCell(d, row, hid, cell)
		}
		s.emit(at, d, b)
	}
}

// anyCell is the cell with peepholes, clip and any activations.
func (s *recurrence) anyCell(d int, row, hid, cell []float32) {
	h := s.hidden
	f, g, out := s.act[d][0], s.act[d][1], s.act[d][2]
	for i := range hid {
		c := cell[i]
		in := f(s.bound(row[i] + s.peep(d, i, c)))
		forget := f(s.bound(row[2*h+i] + s.peep(d, 2*h+i, c)))
		if s.coupled {
			forget = 1 - in
		}
		c = forget*c + in*g(s.bound(row[3*h+i]))
		cell[i] = c
		hid[i] = f(s.bound(row[h+i]+s.peep(d, h+i, c))) * out(c)
	}
}

// peep returns what the peephole i, in the order i, o, f, lets through of the
// cell.
func (s *recurrence) peep(d, i int, c float32) float32 {
	if s.p == nil {
		return 0
	}
	return s.p[d*3*s.hidden+i] * c
}
