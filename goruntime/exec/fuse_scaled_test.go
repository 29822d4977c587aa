package exec

import (
	"math"
	"slices"
	"testing"

	"github.com/goruntime/goruntime/goruntime/internal/testkit"
	"github.com/goruntime/goruntime/goruntime/kernels/igemm"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// matrices is a product of numbers that were codes, as a test draws it.
type matrices struct {
	name        string
	x, w        tensor.DType
	rows, k, n  int
	each        bool  // a scale and a zero point for each column
	axis        int64 // of them
	tail, twice bool
	want        bool
}

// build adds the model and returns what the codes of the weights stand for.
func (p *matrices) build(b quantized) []float64 {
	b.pair("x", "a", p.x, inScale, 3)
	raw, number := make([]byte, p.k*p.n), make([]float64, p.k*p.n)
	scales, zeros, dims := []float32{0.0123}, []byte{7}, []int64(nil)
	if p.each {
		scales, zeros, dims = make([]float32, p.n), make([]byte, p.n), []int64{int64(p.n)}
		for j := range scales {
			scales[j], zeros[j] = 0.01+0.0001*float32(j%50), byte(j%5)
		}
	}
	for i := range raw {
		raw[i] = byte(i*37 - i/128*11 - 90)
		code, of := float64(raw[i]), 0
		if p.w == tensor.I8 {
			code = float64(int8(raw[i]))
		}
		if p.each && p.axis == 0 {
			of = i / p.n
		} else if p.each {
			of = i % p.n
		}
		number[i] = (code - float64(zeros[of])) * float64(scales[of])
	}
	codes := b.codes("w.codes", p.w, []int64{int64(p.k), int64(p.n)}, raw...)
	scale, zero := b.init(floatsTensor(b.t, "w.scale", dims, scales...)), b.codes("w.zero", p.w, dims, zeros...)
	b.node("DequantizeLinear", []string{codes, scale, zero}, []string{"w"}, intAttr("axis", p.axis))
	b.node("MatMul", []string{"a", "w"}, []string{"y"})
	outputs := []string{"y"}
	if p.tail {
		b.node("Add", []string{"y", b.init(floatsTensor(b.t, "bias", []int64{int64(p.n)}, draw(p.n)...))}, []string{"s"})
		b.node("Relu", []string{"s"}, []string{"z"})
		outputs = []string{"z"}
	}
	if p.twice {
		b.node("Abs", []string{"a"}, []string{"again"})
		outputs = append(outputs, "again")
	}
	b.outputs(outputs...)
	return number
}

// A product of codes by constant ones multiplies the bytes, where that is faster, and is as
// near to what the numbers give as f32 can be.
func TestScaledProductsOfBytes(t *testing.T) {
	testkit.NoLeaks(t)
	for _, p := range []matrices{
		{name: "unsigned by signed", x: tensor.U8, w: tensor.I8, rows: 13, k: 130, n: 70, axis: 1, want: true},
		{name: "signed by unsigned", x: tensor.I8, w: tensor.U8, rows: 13, k: 130, n: 70, axis: 1, want: true},
		{name: "a scale for each column", x: tensor.U8, w: tensor.U8, rows: 50, k: 96, n: 96, each: true, axis: 1, want: true},
		{name: "columns counted from the end", x: tensor.I8, w: tensor.I8, rows: 1, k: 96, n: 96, each: true, axis: -1, want: true},
		{name: "a chain behind it", x: tensor.U8, w: tensor.I8, rows: 50, k: 128, n: 100, axis: 1, tail: true, want: true},
		{name: "numbers that are read twice", x: tensor.U8, w: tensor.I8, rows: 9, k: 128, n: 100, axis: 1, twice: true, want: true},
		{name: "a scale for each row of the weights", x: tensor.U8, w: tensor.I8, rows: 9, k: 96, n: 96, each: true, axis: 0},
		{name: "few columns", x: tensor.U8, w: tensor.I8, rows: 9, k: 96, n: 16, axis: 1},
	} {
		t.Run(p.name, func(t *testing.T) {
			b := quantized{newModel(t)}
			b.input("x", tensor.F32)
			w := p.build(b)
			s := mustNew(t, &b.m, Options{})
			defer s.Close()
			x := f32(tensor.Shape{2, p.rows, p.k}, draw(2*p.rows*p.k)...)
			steps := fusedOf(t, s, nil, x)
			bytes := slices.ContainsFunc(steps, func(n string) bool {
				return n == "MatMulIntegerToFloat" || p.tail && n == "MatMulIntegerToFloat+Add+Relu"
			})
			if bytes != (p.want && igemm.Fast()) {
				t.Errorf("steps %q, bytes wanted: %v", steps, p.want)
			}
			out := runWith(t, s, x)
			defer release(out)
			p.compare(t, tensor.Elems[float32](&x), w, tensor.Elems[float32](&out[0].View))
		})
	}
}

// compare computes the product of the numbers that the codes stand for.
func (p *matrices) compare(t *testing.T, x []float32, w []float64, got []float32) {
	t.Helper()
	low, high := 0.0, 255.0
	if p.x == tensor.I8 {
		low, high = -128, 127
	}
	bias := draw(p.n)
	for i := range len(x) / p.k {
		for j := range p.n {
			sum, size := 0.0, 0.0
			for k, v := range x[i*p.k : (i+1)*p.k] {
				code := min(high, max(low, math.RoundToEven(float64(v/inScale))+3))
				term := (code - 3) * float64(inScale) * w[k*p.n+j]
				sum, size = sum+term, size+math.Abs(term)
			}
			if p.tail {
				sum = max(0, sum+float64(bias[j]))
			}
			if v := got[i*p.n+j]; math.Abs(float64(v)-sum) > 2e-6*size {
				t.Fatalf("row %d, column %d is %v, want %v", i, j, v, sum)
			}
		}
	}
}
