package exec

import (
	"math"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/goruntime/goruntime/goruntime/internal/testkit"
	"github.com/goruntime/goruntime/goruntime/kernels/igemm"
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// product is a convolution between codes, as a test draws it.
type product struct {
	name      string
	x, y      tensor.DType
	kernel    int64
	attrs     []onnx.Attr
	group     int64
	each      bool    // a scale for each filter
	axis      int64   // of the filters' scales
	biasUnits float32 // 0 is no bias
	twice     bool    // something else reads the numbers
	leaves    bool
	want      bool
}

const productChannels = 128

// build adds the model of p, and QLinearConv of the same codes as y where it takes them.
func (p *product) build(b quantized) {
	taps := int(p.kernel * p.kernel)
	b.pair("x", "a", p.x, inScale, 3)
	raw := make([]byte, productChannels*productChannels/int(p.group)*taps)
	for i := range raw {
		raw[i] = byte(i*37 - i/128*11 - 90)
	}
	filters := []int64{productChannels, productChannels / p.group, p.kernel, p.kernel}
	wCodes := b.codes("w.codes", tensor.I8, filters, raw...)
	scales, dims := []float32{0.0123}, []int64(nil)
	zeros := []byte{0}
	if p.each {
		scales, dims, zeros = make([]float32, productChannels), []int64{productChannels}, make([]byte, productChannels)
		for m := range scales {
			scales[m] = 0.01 + 0.0001*float32(m)
		}
	}
	wScale, wZero := b.init(floatsTensor(b.t, "w.scale", dims, scales...)), b.codes("w.zero", tensor.I8, dims, zeros...)
	b.node("DequantizeLinear", []string{wCodes, wScale, wZero}, []string{"w"}, intAttr("axis", p.axis))
	conv, whole := []string{"a", "w"}, []string{"a.again", "a.scale", "a.zero", wCodes, wScale, wZero, "z.scale", "z.zero"}
	if p.biasUnits != 0 {
		var list []byte
		units := make([]float32, len(scales))
		for m := range productChannels {
			list = protowire.AppendFixed32(list, uint32(int32(m*300-9000)))
		}
		for m := range units {
			units[m] = inScale * scales[m] * p.biasUnits
		}
		codes := b.init(rawTensor(b.t, "bias.codes", tensor.I32, []int64{productChannels}, list))
		b.node("DequantizeLinear", []string{codes, b.init(floatsTensor(b.t, "bias.scale", dims, units...))}, []string{"bias"}, intAttr("axis", 0))
		conv, whole = append(conv, "bias"), append(whole, codes)
	}
	attrs := append([]onnx.Attr{intAttr("group", p.group)}, p.attrs...)
	b.node("Conv", conv, []string{"c"}, attrs...)
	b.pair("c", "z", p.y, 0.9, 7)
	outputs := []string{"z"}
	defer func() { b.outputs(outputs...) }()
	if p.twice {
		b.node("Abs", []string{"c"}, []string{"d"})
		outputs = append(outputs, "d")
	}
	if p.leaves {
		outputs = append(outputs, "c")
	}
	if !p.want {
		return
	}
	b.node("QuantizeLinear", []string{"x", "a.scale", "a.zero"}, []string{"a.again"})
	b.node("QLinearConv", whole, []string{"q"}, attrs...)
	b.node("DequantizeLinear", []string{"q", "z.scale", "z.zero"}, []string{"y"})
	outputs = append(outputs, "y")
}

// Products between codes of a byte multiply bytes where that is faster, and give the codes
// of QLinearConv then, whatever the types, scales and windows.
func TestProductsOfBytes(t *testing.T) {
	testkit.NoLeaks(t)
	strides, pads := intsAttr("strides", 2, 2), intsAttr("pads", 1, 1, 1, 1)
	for _, p := range []product{
		{name: "unsigned", x: tensor.U8, y: tensor.U8, kernel: 1, group: 1, biasUnits: 1, want: true},
		{name: "signed, a scale for each filter", x: tensor.I8, y: tensor.I8, kernel: 1, group: 1, each: true, biasUnits: 1, want: true},
		{name: "mixed, no bias", x: tensor.I8, y: tensor.U8, kernel: 1, group: 1, each: true, want: true},
		{name: "strides and pads", x: tensor.I8, y: tensor.I8, kernel: 3, attrs: []onnx.Attr{strides, pads}, group: 1, each: true, biasUnits: 1, want: true},
		{name: "dilations", x: tensor.U8, y: tensor.I8, kernel: 3, attrs: []onnx.Attr{intsAttr("dilations", 2, 2)}, group: 1, want: true},
		{name: "Winograd's filters", x: tensor.U8, y: tensor.U8, kernel: 3, attrs: []onnx.Attr{pads}, group: 1},
		{name: "groups", x: tensor.U8, y: tensor.U8, kernel: 1, group: 2},
		{name: "a bias in other units", x: tensor.U8, y: tensor.U8, kernel: 1, group: 1, biasUnits: 2},
		{name: "scales along the channels of the input", x: tensor.U8, y: tensor.U8, kernel: 1, group: 1, each: true, axis: 1},
		{name: "numbers that are read twice", x: tensor.U8, y: tensor.U8, kernel: 1, group: 1, twice: true},
		{name: "numbers that leave", x: tensor.U8, y: tensor.U8, kernel: 1, group: 1, leaves: true},
	} {
		t.Run(p.name, func(t *testing.T) {
			b := quantized{newModel(t)}
			b.input("x", tensor.F32)
			p.build(b)
			s, plain := mustNew(t, &b.m, Options{}), mustNew(t, &b.m, Options{NoFusion: true})
			defer s.Close()
			defer plain.Close()
			x := f32(tensor.Shape{2, productChannels, 11, 9}, draw(2*productChannels*99)...)
			steps := fusedOf(t, s, nil, x)
			one := []string{"QuantizeLinear", "QLinearConv", "DequantizeLinear"}
			bytes := slices.Equal(steps, slices.Concat(one, one))
			if bytes != (p.want && igemm.Fast()) {
				t.Errorf("steps %q, bytes wanted: %v", steps, p.want)
			}
			p.compare(t, s, plain, x)
		})
	}
}

// compare looks at z, and at y where it is there.
func (p *product) compare(t *testing.T, s, plain *Session, x tensor.View) {
	t.Helper()
	out, ref := runWith(t, s, x), runWith(t, plain, x)
	defer release(out)
	defer release(ref)
	list := func(r []Result, name string) []float32 {
		for i, info := range s.Outputs() {
			if info.Name == name {
				return tensor.Elems[float32](&r[i].View)
			}
		}
		return nil
	}
	got, near, exact := list(out, "z"), list(ref, "z"), list(out, "y")
	seen := map[float32]bool{}
	for i, v := range got {
		seen[v] = true
		if math.Abs(float64(v-near[i])) > 0.91 {
			t.Fatalf("element %d is %v, the nodes one by one give %v", i, v, near[i])
		}
		if p.want && igemm.Fast() && v != exact[i] {
			t.Fatalf("element %d is %v, QLinearConv gives %v", i, v, exact[i])
		}
	}
	if len(seen) < 20 {
		t.Errorf("%d different numbers: the test sees too little", len(seen))
	}
}
