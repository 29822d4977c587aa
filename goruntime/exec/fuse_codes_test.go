package exec

import (
	"math"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/goruntime/goruntime/goruntime/internal/testkit"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// quantized builds models of codes.
type quantized struct{ *modelBuilder }

func (b quantized) codes(name string, dtype tensor.DType, dims []int64, raw ...byte) string {
	return b.init(rawTensor(b.t, name, dtype, dims, raw))
}

// scale adds a scale and a zero point.
func (b quantized) scale(name string, dtype tensor.DType, s float32, zero byte) (scale, point string) {
	return b.init(floatsTensor(b.t, name+".scale", nil, s)), b.codes(name+".zero", dtype, nil, zero)
}

// pair takes in to codes, and those to the number out.
func (b quantized) pair(in, out string, dtype tensor.DType, s float32, zero byte) {
	scale, point := b.scale(out, dtype, s, zero)
	b.node("QuantizeLinear", []string{in, scale, point}, []string{out + ".codes"})
	b.node("DequantizeLinear", []string{out + ".codes", scale, point}, []string{out})
}

// weights adds filters [4, 4, 1, 1] of codes.
func (b quantized) weights() (number, codes, scale, point string) {
	raw := make([]byte, 16)
	for i := range raw {
		raw[i] = byte(i*37 - 90)
	}
	codes = b.codes("w.codes", tensor.I8, []int64{4, 4, 1, 1}, raw...)
	scale, point = b.scale("w", tensor.I8, 0.0123, 3)
	b.node("DequantizeLinear", []string{codes, scale, point}, []string{"w"})
	return "w", codes, scale, point
}

// bias adds a bias of codes in units of scale.
func (b quantized) bias(scale float32, list ...int32) (number, codes string) {
	var raw []byte
	for _, v := range list {
		raw = protowire.AppendFixed32(raw, uint32(v))
	}
	codes = b.init(rawTensor(b.t, "bias.codes", tensor.I32, []int64{int64(len(list))}, raw))
	b.node("DequantizeLinear", []string{codes, b.init(floatsTensor(b.t, "bias.scale", nil, scale))}, []string{"bias"})
	return "bias", codes
}

const (
	inScale  = float32(0.02)
	outScale = float32(0.031)
)

func TestWhatIsFusedOfCodes(t *testing.T) {
	testkit.NoLeaks(t)
	product := inScale * float32(0.0123)
	conv := func(b quantized, dtype tensor.DType, biasScale float32) {
		b.pair("x", "a", dtype, inScale, 100)
		w, _, _, _ := b.weights()
		bias, _ := b.bias(biasScale, 100, -2000, 30, 5)
		b.node("Conv", []string{"a", w, bias}, []string{"c"})
		b.pair("c", "z", tensor.U8, outScale, 110)
	}
	multiplied := []string{"QuantizeLinear", "Conv+QuantizeLinear+DequantizeLinear"}
	numbers := []string{"QuantizeLinear+DequantizeLinear", "Conv+QuantizeLinear+DequantizeLinear"}
	for _, c := range []struct {
		name  string
		build func(b quantized)
		want  []string
		step  float32 // how far numbers may lie apart, which are summed in another way
	}{
		{"around an elementwise operator", func(b quantized) {
			b.pair("x", "a", tensor.I8, 0.03, 250)
			b.node("HardSwish", []string{"a"}, []string{"c"})
			b.pair("c", "z", tensor.U8, 0.02, 9)
		}, []string{"QuantizeLinear+DequantizeLinear+HardSwish+QuantizeLinear+DequantizeLinear"}, 0},
		{"codes that are read twice", func(b quantized) {
			b.pair("x", "a", tensor.U8, 0.03, 99)
			b.node("DequantizeLinear", []string{"a.codes", "a.scale", "a.zero"}, []string{"d"})
			b.node("Softmax", []string{"a"}, []string{"e"})
			b.node("Mul", []string{"e", "d"}, []string{"z"})
		}, []string{"QuantizeLinear", "DequantizeLinear", "Softmax", "DequantizeLinear+Mul"}, 0},
		{"codes that leave", func(b quantized) {
			b.pair("x", "a", tensor.U8, 0.03, 99)
			b.node("Relu", []string{"a"}, []string{"z"})
			b.outputs("z", "a.codes")
		}, []string{"QuantizeLinear", "DequantizeLinear", "Relu"}, 0},
		{"codes that something else reads", func(b quantized) {
			b.pair("x", "a", tensor.U8, 0.03, 99)
			b.node("Cast", []string{"a.codes"}, []string{"d"}, intAttr("to", int64(tensor.F32)))
			b.node("Sub", []string{"a", "d"}, []string{"z"})
		}, []string{"QuantizeLinear", "DequantizeLinear", "Cast", "Sub"}, 0},
		{"another zero point", func(b quantized) {
			b.pair("x", "a", tensor.U8, 0.03, 99)
			b.node("DequantizeLinear", []string{"a.codes", "a.scale", b.codes("other", tensor.U8, nil, 98)}, []string{"z"})
		}, []string{"QuantizeLinear", "DequantizeLinear"}, 0},
		{"a scale that comes with the run", func(b quantized) {
			b.node("ReduceMax", []string{"x"}, []string{"s"}, intAttr("keepdims", 0))
			b.node("QuantizeLinear", []string{"x", "s"}, []string{"a"})
			b.node("DequantizeLinear", []string{"a", "s"}, []string{"z"})
		}, []string{"ReduceMax", "QuantizeLinear", "DequantizeLinear"}, 0},
		{"a scale for each channel", func(b quantized) {
			s := b.init(floatsTensor(b.t, "s", []int64{4}, 0.1, 0.2, 0.3, 0.4))
			b.node("QuantizeLinear", []string{"x", s}, []string{"a"})
			b.node("DequantizeLinear", []string{"a", s}, []string{"z"})
		}, []string{"QuantizeLinear", "DequantizeLinear"}, 0},
		{"a product of codes", func(b quantized) { conv(b, tensor.U8, product) }, multiplied, outScale},
		{"a product of signed codes", func(b quantized) { conv(b, tensor.I8, product) }, numbers, 0},
		{"a bias in other units", func(b quantized) { conv(b, tensor.U8, product*2) }, numbers, 0},
		{"sums beyond what is exact", func(b quantized) {
			b.pair("x", "a", tensor.U8, inScale, 100)
			w, _, _, _ := b.weights()
			bias, _ := b.bias(product, 1<<24, 0, 0, 0)
			b.node("Conv", []string{"a", w, bias}, []string{"c"})
			b.pair("c", "z", tensor.U8, outScale, 110)
		}, numbers, 0},
		{"a product that is read twice", func(b quantized) {
			b.pair("x", "a", tensor.U8, inScale, 100)
			w, _, _, _ := b.weights()
			b.node("Conv", []string{"a", w}, []string{"c"})
			b.pair("c", "d", tensor.U8, outScale, 110)
			b.node("Add", []string{"c", "d"}, []string{"z"})
		}, []string{"QuantizeLinear+DequantizeLinear", "Conv+QuantizeLinear+DequantizeLinear+Add"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := quantized{newModel(t)}
			b.input("x", tensor.F32)
			b.outputs("z")
			c.build(b)
			s, plain := mustNew(t, &b.m, Options{}), mustNew(t, &b.m, Options{NoFusion: true})
			defer s.Close()
			defer plain.Close()
			x := f32(tensor.Shape{1, 4, 6, 6}, draw(144)...)
			if got := fusedOf(t, s, nil, x); !slices.Equal(got, c.want) {
				t.Errorf("steps %q, want %q", got, c.want)
			}
			out, ref := runWith(t, s, x), runWith(t, plain, x)
			defer release(out)
			defer release(ref)
			if c.step == 0 {
				if !same(copyOf(out), copyOf(ref)) {
					t.Error("the fused steps give other bytes than the nodes one by one")
				}
				return
			}
			want := tensor.Elems[float32](&ref[0].View)
			for i, v := range tensor.Elems[float32](&out[0].View) {
				if math.Abs(float64(v-want[i])) > 1.001*float64(c.step) {
					t.Fatalf("element %d is %v, the nodes one by one give %v", i, v, want[i])
				}
			}
		})
	}
}

// A product between codes gives the codes of QLinearConv, which multiplies whole
// numbers, and a trace of it those of the nodes one by one.
func TestAProductOfCodesIsThatOfQLinearConv(t *testing.T) {
	testkit.NoLeaks(t)
	b := quantized{newModel(t)}
	b.input("x", tensor.F32)
	b.pair("x", "a", tensor.U8, inScale, 100)
	w, wCodes, wScale, wZero := b.weights()
	bias, biasCodes := b.bias(inScale*float32(0.0123), 100, -2000, 30, 5)
	b.node("Conv", []string{"a", w, bias}, []string{"c"})
	b.pair("c", "z", tensor.U8, outScale, 110)
	b.node("QLinearConv", []string{"a.again", "a.scale", "a.zero", wCodes, wScale, wZero, "z.scale", "z.zero", biasCodes}, []string{"q"})
	b.node("QuantizeLinear", []string{"x", "a.scale", "a.zero"}, []string{"a.again"})
	b.node("DequantizeLinear", []string{"q", "z.scale", "z.zero"}, []string{"y"})
	b.outputs("z", "y")
	s := mustNew(t, &b.m, Options{})
	defer s.Close()
	x := f32(tensor.Shape{1, 4, 6, 6}, draw(144)...)
	if got := fusedOf(t, s, nil, x); !slices.Contains(got, "Conv+QuantizeLinear+DequantizeLinear") {
		t.Fatalf("steps %q", got)
	}
	out := runWith(t, s, x)
	defer release(out)
	want := tensor.Elems[float32](&out[1].View)
	seen := map[float32]bool{}
	for i, v := range tensor.Elems[float32](&out[0].View) {
		if v != want[i] {
			t.Fatalf("element %d is %v, QLinearConv gives %v", i, v, want[i])
		}
		seen[v] = true
	}
	if len(seen) < 20 {
		t.Errorf("%d different numbers: the test sees too little", len(seen))
	}
}
