package nn

import (
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// RNN runs a simple recurrent layer over a sequence. RNN1 is it before version
// 7, with the attribute output_sequence.
// https://onnx.ai/onnx/operators/onnx__RNN.html   Departures: none.
var (
	RNN = op.Declare("", "RNN", func() op.Def {
		return rnn(op.Versions{7: "", 14: "layout", 22: "bfloat16"}, rnnAttrs)
	})
	RNN1 = op.Declare("", "RNN", func() op.Def {
		return rnn(op.Versions{1: "output_sequence"}, withSequence(rnnAttrs))
	})
)

var rnnAttrs = op.Attrs(op.Floats("activation_alpha"), op.Floats("activation_beta"), op.Attr{Name: "activations", Kind: op.KindStrings, Default: []string{"Tanh", "Tanh"}}, op.Float("clip", 0),
	op.String("direction", "forward"), op.Optional("hidden_size", op.KindInt), op.Int("layout", 0))

func rnn(versions op.Versions, attrs []op.Attr) op.Def {
	return op.Widened(op.Def{
		Versions: versions, Attrs: attrs, Shape: rnnUnit.shape, Prepare: rnnUnit.prepare, Run: recurrentRun,
		DTypes: recurrentKernels, Also: map[int][]tensor.DType{4: {tensor.I32}},
	})
}

var rnnUnit = unit{gates: 1, activations: []string{"Tanh"}, states: 1, split: []int{0, 1}, step: rnnStep}

func rnnStep(s *recurrence, d, t int) {
	s.load(d, t)
	s.recur(d, 1, s.hid, 0, 1)
	for b := range s.batch {
		at, ok := s.time(d, t, b)
		if !ok {
			continue
		}
		row, hid, _ := s.row(b)
		s.activate(s.act[d][0], vec.HyperbolicTangent, row)
		copy(hid, row)
		s.emit(at, d, b)
	}
}
