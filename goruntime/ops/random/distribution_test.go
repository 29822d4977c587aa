package random

import (
	"math"
	"slices"
	"testing"

	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

const many = 200_000

// drawn runs a kernel on many elements of a type.
func drawn[T any](d tensor.DType, table op.Table, a, b float32) []T {
	out := make([]T, many)
	v, _ := tensor.ViewOf(d, tensor.Shape{many}, out)
	s := &draw{stream: stream{[2]uint32{42, 0}}, a: a, b: b, out: &v}
	table.Row(d).(drawKernel)(s, 0, many)
	return out
}

// distance is that of Kolmogorov and Smirnov: the greatest difference of the
// distribution of x from that of cdf. With 200,000 numbers of the distribution it
// exceeds 0.0044 once in a thousand times.
func distance(x []float64, cdf func(float64) float64) float64 {
	slices.Sort(x)
	worst := 0.0
	for i, v := range x {
		p := cdf(v)
		worst = max(worst, math.Abs(p-float64(i)/many), math.Abs(p-float64(i+1)/many))
	}
	return worst
}

func widened[T float32 | float64](x []T) []float64 {
	list := make([]float64, len(x))
	for i, v := range x {
		list[i] = float64(v)
	}
	return list
}

func TestDistributions(t *testing.T) {
	flat := func(x float64) float64 { return (x + 1) / 4 }
	bell := func(x float64) float64 { return 0.5 * math.Erfc(-(x-2)/3/math.Sqrt2) }
	for _, c := range []struct {
		name string
		x    []float64
		cdf  func(float64) float64
	}{
		{"uniform f32", widened(drawn[float32](tensor.F32, uniforms, -1, 3)), flat},
		{"uniform f64", widened(drawn[float64](tensor.F64, uniforms, -1, 3)), flat},
		{"normal f32", widened(drawn[float32](tensor.F32, normals, 2, 3)), bell},
		{"normal f64", widened(drawn[float64](tensor.F64, normals, 2, 3)), bell},
	} {
		if d := distance(c.x, c.cdf); d > 0.0044 {
			t.Errorf("%s: the distribution is %v off", c.name, d)
		}
	}
}

func TestUniformNumbersAreBelowHigh(t *testing.T) {
	for _, x := range drawn[float32](tensor.F32, uniforms, 1e8, 1e8+8) { // two numbers
		if x < 1e8 || x >= 1e8+8 {
			t.Fatalf("%v is outside [1e8, 1e8 + 8)", x)
		}
	}
}

// Neighbours are not related: the correlation of as many pairs is within four
// standard deviations of 0.
func TestNeighboursAreNotRelated(t *testing.T) {
	x := drawn[float64](tensor.F64, normals, 0, 1)
	for _, lag := range []int{1, 2, 3, 4, 7} {
		sum := 0.0
		for i := range many - lag {
			sum += x[i] * x[i+lag]
		}
		if r := sum / many; math.Abs(r) > 4/math.Sqrt(many) {
			t.Errorf("numbers %d apart have correlation %v", lag, r)
		}
	}
}

func TestFrequenciesFollowTheProbabilities(t *testing.T) {
	p := make([]float32, many)
	for i := range p {
		p[i] = 0.3
	}
	out := make([]bool, many)
	in, _ := tensor.ViewOf(tensor.F32, tensor.Shape{many}, p)
	dst, _ := tensor.ViewOf(tensor.Bool, tensor.Shape{many}, out)
	s := &coins{stream: stream{[2]uint32{42, 0}}, in: &in, out: &dst}
	Bernoulli.Def().DTypes.Row(tensor.Bool).(coinRow)[tensor.F32](s, 0, many)
	ones := 0
	for _, x := range out {
		if x {
			ones++
		}
	}
	if f := float64(ones) / many; math.Abs(f-0.3) > 4*math.Sqrt(0.3*0.7/many) {
		t.Errorf("%v of the draws are 1, want 0.3", f)
	}
	classes := make([]int32, many)
	view, _ := tensor.ViewOf(tensor.I32, tensor.Shape{1, many}, classes)
	b := &ballot{stream: stream{[2]uint32{42, 0}}, sums: []float64{0.2, 0.2, 0.7, 1}, classes: 4, out: &view}
	Multinomial.Def().DTypes.Row(tensor.I32).(ballotKernel)(b, 0, many)
	var count [4]float64
	for _, k := range classes {
		count[k]++
	}
	for k, want := range [4]float64{0.2, 0, 0.5, 0.3} {
		if f := count[k] / many; math.Abs(f-want) > 4*math.Sqrt(want*(1-want)/many) {
			t.Errorf("%v of the draws are class %d, want %v", f, k, want)
		}
	}
}

func TestStreamsWithoutASeedDiffer(t *testing.T) {
	a, err := op.NewValues(RandomNormal.Def(), []op.Value{{Name: "shape", Kind: op.KindInts, V: []int{1}}})
	if err != nil {
		t.Fatal(err)
	}
	if x, y := streamOf(&a), streamOf(&a); x == y {
		t.Errorf("two runs have the key %x", x.key)
	}
}

// The functions that are the same everywhere are those of package math.
func TestExactFunctions(t *testing.T) {
	for i := range 4000 {
		x := math.Exp(float64(i)/10 - 300)
		if got, want := logarithm(x), math.Log(x); math.Abs(got-want) > 1e-15*max(1, math.Abs(want)) {
			t.Errorf("the logarithm of %v is %v, want %v", x, got, want)
		}
		e := -float64(i) / 5
		if got, want := exponential(e), math.Exp(e); math.Abs(got-want) > 4e-16*want+1e-322 {
			t.Errorf("e^%v is %v, want %v", e, got, want)
		}
	}
	for i := 1; i < 5000; i++ {
		p := float64(i) / 5000
		if got, want := quantile(p), math.Sqrt2*math.Erfinv(2*p-1); math.Abs(got-want) > 1e-12 { // 2p-1 loses digits at the ends
			t.Errorf("the quantile of %v is %v, want %v", p, got, want)
		}
	}
	for _, c := range [][2]float64{{1e-10, -6.361340902404056}, {1e-15, -7.941345326170998}, {1e-300, -37.0470962993612}} { // scipy.stats.norm.ppf
		if got := quantile(c[0]); math.Abs(got-c[1]) > 1e-13*-c[1] {
			t.Errorf("the quantile of %v is %v, want %v", c[0], got, c[1])
		}
	}
}
