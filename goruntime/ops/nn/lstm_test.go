package nn

import (
	"math"
	"slices"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The layers of the tests have 3 steps, 2 sequences, 2 inputs and 2 hidden
// numbers.

// series gives the numbers ((i*a) % m - s) / d, which every type holds exactly.
func series(n, a, m, s, d int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = float64(i*a%m-s) / float64(d)
	}
	return list
}

// recurrent is a layer: which optional inputs it has and what comes out.
type recurrent struct {
	name        string
	attrs       []op.Value
	dirs        int
	bias, state bool
	peepholes   bool
	lens        []int32
	y, yh, yc   []float64
}

// inputs returns the eight inputs of the layer in type d.
func (l *recurrent) inputs(d tensor.DType) []*tensor.View {
	of := func(dims tensor.Shape, list []float64) *tensor.View { return optest.Filled(d, dims, list...) }
	n := l.dirs
	in := optest.In(of(optest.Dims(3, 2, 2), series(12, 7, 11, 5, 4)), of(optest.Dims(n, 8, 2), series(n*16, 5, 13, 6, 8)),
		of(optest.Dims(n, 8, 2), series(n*16, 3, 7, 3, 8)), nil, nil, nil, nil, nil)
	if l.bias {
		in[3] = of(optest.Dims(n, 16), series(n*16, 5, 9, 4, 8))
	}
	if l.lens != nil {
		in[4] = optest.I32(optest.Dims(len(l.lens)), l.lens...)
	}
	if l.state {
		in[5], in[6] = of(optest.Dims(n, 2, 2), series(n*4, 3, 5, 2, 4)), of(optest.Dims(n, 2, 2), series(n*4, 2, 7, 3, 4))
	}
	if l.peepholes {
		in[7] = of(optest.Dims(n, 6), series(n*6, 4, 9, 4, 8))
	}
	return in
}

func (l *recurrent) outputs(d tensor.DType) []*tensor.View {
	state := optest.Dims(l.dirs, 2, 2)
	return optest.Want(optest.Filled(d, optest.Dims(3, l.dirs, 2, 2), l.y...), optest.Filled(d, state, l.yh...), optest.Filled(d, state, l.yc...))
}

// The outputs are those of ONNX Runtime.
var layers = []recurrent{
	{
		name: "forward", dirs: 1, bias: true,
		y:  []float64{-0.1177307, 0.08563975, -0.1829391, 0.1066623, 0.04526115, 0.03748057, 0.007144622, 0.1064264, -0.09575828, 0.1111399, 0.08177637, 0.02007709},
		yh: []float64{-0.09575828, 0.1111399, 0.08177637, 0.02007709}, yc: []float64{-0.1768102, 0.1879828, 0.3830747, 0.05564559},
	},
	{
		name: "without bias", dirs: 1,
		y:  []float64{-0.2205118, 0.070259, -0.2896922, 0.1118911, 0.03529128, -0.04710956, -0.02245505, 0.04467566, -0.2222729, 0.06402256, 0.1015129, -0.1018765},
		yh: []float64{-0.2222729, 0.06402256, 0.1015129, -0.1018765}, yc: []float64{-0.3801721, 0.1011816, 0.3924729, -0.2637847},
	},
	{
		name: "reverse, sequences of different lengths", attrs: optest.Attrs("direction", "reverse"), dirs: 1, bias: true, lens: []int32{3, 1},
		y:  []float64{-0.0728322, 0.1044829, -0.1829391, 0.1066623, 0.04160137, 0.04210607, 0, 0, -0.1465674, 0.09332228, 0, 0},
		yh: []float64{-0.0728322, 0.1044829, -0.1829391, 0.1066623}, yc: []float64{-0.1490805, 0.1789433, -0.2886147, 0.1751801},
	},
	{
		name: "bidirectional with everything", attrs: optest.Attrs("direction", "bidirectional"), dirs: 2, bias: true, state: true, peepholes: true, lens: []int32{2, 3},
		y: []float64{
			-0.2152346, 0.03015671, -0.05410633, 0.2145211, -0.09684624, -0.009316606, -0.05807627, 0.2203688, 0.01885279, 0.02251879, 0.03824565, 0.1464314,
			0.04005322, -0.06807262, 0.1681569, 0.04898145, 0, 0, 0.101311, 0.0433254, 0, 0, 0.2392088, -0.1946856,
		},
		yh: []float64{0.01885279, 0.02251879, 0.101311, 0.0433254, -0.09684624, -0.009316606, -0.05807627, 0.2203688},
		yc: []float64{0.06138986, 0.06026095, 0.4096954, 0.1226209, -0.4930297, -0.01939476, -0.3320285, 0.4216505},
	},
	{
		name: "clip", attrs: optest.Attrs("clip", 0.25), dirs: 1, bias: true,
		y:  []float64{-0.06734312, 0.06005282, -0.06005282, 0.06005282, 0.01880773, 0.02499289, 0.02777609, 0.08158833, -0.0584611, 0.07391808, 0.06314057, -0.005980325},
		yh: []float64{-0.0584611, 0.07391808, 0.06314057, -0.005980325}, yc: []float64{-0.1074132, 0.1322512, 0.1452271, -0.01366007},
	},
	{
		name:  "other activations with their parameters",
		attrs: optest.Attrs("activations", []string{"HardSigmoid", "Relu", "Softsign"}, "activation_alpha", []float32{0.25}, "activation_beta", []float32{0.4}),
		dirs:  1, bias: true, state: true,
		y:  []float64{-0.1094534, -0.01034909, 0.05909875, 0.09609251, 0.01279016, -0.002371138, 0.02522513, 0.06058073, 0.01651724, 0.03525744, 0.02830079, 0.03020493},
		yh: []float64{0.01651724, 0.03525744, 0.02830079, 0.03020493}, yc: []float64{0.03829594, 0.07550952, 0.4367271, 0.1301424},
	},
	{
		name: "coupled gates", attrs: optest.Attrs("input_forget", 1), dirs: 1, bias: true, state: true,
		y:  []float64{-0.1867996, -0.03500297, -0.08072142, 0.3616343, -0.003380699, -0.004094029, 0.005982679, 0.1758319, -0.1491733, 0.08851114, 0.08067925, 0.04530678},
		yh: []float64{-0.1491733, 0.08851114, 0.08067925, 0.04530678}, yc: []float64{-0.2799085, 0.1484885, 0.3831647, 0.1282665},
	},
}

func TestLSTM(t *testing.T) {
	for _, d := range LSTM.Def().DTypes.Types() {
		var cases []optest.Case
		for i := range layers {
			l := &layers[i]
			tol := max(precision[d], 1e-6)
			cases = append(cases, optest.Case{Name: d.String() + " " + l.name, Attrs: l.attrs, In: l.inputs(d), Want: l.outputs(d), Tol: tol})
			want := l.outputs(d)
			cases = append(cases, optest.Case{Name: d.String() + " " + l.name + ", the last state alone", Attrs: l.attrs, In: l.inputs(d), Want: optest.Want(nil, want[1], nil), Tol: tol})
			attrs := append(slices.Clone(l.attrs), optest.Attrs("layout", 1)...)
			cases = append(cases, optest.Case{Name: d.String() + " " + l.name + ", batch first", Attrs: attrs, In: batchFirstIn(l.inputs(d)), Want: batchFirstOut(want), Tol: tol})
		}
		optest.Run(t, LSTM, cases)
	}
	forward := &layers[0]
	optest.Run(t, LSTM1, []optest.Case{{
		Name: "version 1", Attrs: optest.Attrs("output_sequence", 1, "hidden_size", 2), In: forward.inputs(tensor.F32), Want: forward.outputs(tensor.F32), Tol: 1e-6,
	}})
}

// permuted is v with its dimensions in another order.
func permuted(v *tensor.View, perm ...int) *tensor.View {
	if v == nil {
		return nil
	}
	dims := make(tensor.Shape, len(perm))
	for i, p := range perm {
		dims[i] = v.Shape[p]
	}
	w := v.DType.Width()
	raw := make([]byte, len(v.Raw()))
	for i := range dims.Elements() {
		x, from := at(dims, i), 0
		for k := range v.Shape {
			from = from*v.Shape[k] + x[slices.Index(perm, k)]
		}
		copy(raw[i*w:(i+1)*w], v.Raw()[from*w:])
	}
	out := optest.Filled(v.DType, dims, make([]float64, dims.Elements())...)
	copy(out.Raw(), raw)
	return out
}

func batchFirstIn(in []*tensor.View) []*tensor.View {
	in[0], in[5], in[6] = permuted(in[0], 1, 0, 2), permuted(in[5], 1, 0, 2), permuted(in[6], 1, 0, 2)
	return in
}

func batchFirstOut(out []*tensor.View) []*tensor.View {
	return optest.Want(permuted(out[0], 2, 0, 1, 3), permuted(out[1], 1, 0, 2), permuted(out[2], 1, 0, 2))
}

func TestLSTMErrors(t *testing.T) {
	in := func(change func(in []*tensor.View)) []*tensor.View {
		l := recurrent{dirs: 1, bias: true, state: true, lens: []int32{3, 3}}
		list := l.inputs(tensor.F32)
		change(list)
		return list
	}
	nothing := func([]*tensor.View) {}
	optest.Run(t, LSTM, []optest.Case{
		{Name: "a direction", Attrs: optest.Attrs("direction", "back"), In: in(nothing), Err: `direction "back" is none of forward, reverse, bidirectional`, Code: errs.Argument},
		{Name: "hidden_size", Attrs: optest.Attrs("hidden_size", 3), In: in(nothing), Err: "hidden_size is 3, R has shape [1, 8, 2]", Code: errs.Shape},
		{Name: "one direction given, two wanted", Attrs: optest.Attrs("direction", "bidirectional"), In: in(nothing), Err: "[2, 8, 2] and [2, 8, 2] expected", Code: errs.Shape},
		{Name: "a matrix", In: in(func(in []*tensor.View) { in[0] = optest.F32(optest.Dims(2, 2), 1, 2, 3, 4) }), Err: "X has shape [2, 2]", Code: errs.Shape},
		{Name: "a bias", In: in(func(in []*tensor.View) { in[3] = optest.F32(optest.Dims(1, 1), 1) }), Err: "input 3 has shape [1, 1], [1, 16] expected", Code: errs.Shape},
		{Name: "a state", In: in(func(in []*tensor.View) { in[6] = optest.F32(optest.Dims(1, 1), 1) }), Err: "input 6 has shape [1, 1], [1, 2, 2] expected", Code: errs.Shape},
		{Name: "too long a sequence", In: in(func(in []*tensor.View) { in[4] = optest.I32(optest.Dims(2), 3, 4) }), Err: "a sequence length is 4: it must lie in [0, 3]", Code: errs.Compute},
		{Name: "lengths of i64", In: in(func(in []*tensor.View) { in[4] = optest.Ints(3, 3) }), Err: "input 4 is i64, one of [i32] expected", Code: errs.Type},
		{Name: "too few activations", Attrs: optest.Attrs("activations", []string{"Tanh"}), In: in(nothing), Err: "1 activations given, 3 expected", Code: errs.Argument},
		{Name: "an unknown activation", Attrs: optest.Attrs("activations", []string{"Tanh", "Gelu", "Tanh"}), In: in(nothing), Err: `the activation "Gelu" is not one`, Code: errs.Unsupported},
	})
}

// The activations by their formulas in the specification; parameters are taken
// in order, then the defaults.
func TestRecurrentActivations(t *testing.T) {
	alpha, beta := []float32{2, 3, 0.5}, []float32{0.25}
	for _, c := range []struct {
		name    string
		x, want float64
	}{
		{"Relu", -1, 0},
		{"Tanh", 0.5, 0.46211715726000973},
		{"Affine", 3, 6.25},
		{"LeakyRelu", -2, -6},
		{"ThresholdedRelu", 0.5, 0},
		{"ThresholdedRelu", 1.5, 1.5},
		{"HardSigmoid", 1, 0.7},
		{"ScaledTanh", 1, 0.7615941559557649},
		{"Elu", -1, -0.6321205588285577},
		{"Softsign", -3, -0.75},
		{"Softplus", 1, 1.3132616875182228},
		{"Softplus", 1000, 1000},
		{"Softplus", -1000, 0},
		{"Sigmoid", 1, 0.7310585786300049},
	} {
		f, err := activation(c.name, &alpha, &beta)
		if err != nil {
			t.Fatal(err)
		}
		if got := float64(f(float32(c.x))); math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%s(%v) is %v, want %v", c.name, c.x, got, c.want)
		}
	}
	if len(alpha)+len(beta) != 0 {
		t.Errorf("the parameters %v and %v are left", alpha, beta)
	}
}
