package vec

import (
	"math"
	"testing"
)

// ulps returns the distance of got from want in units of want's last place.
func ulps(got float32, want float64) float64 {
	w := float32(want)
	if got == w {
		return 0
	}
	ulp := float64(math.Nextafter32(float32(math.Abs(want)), float32(math.Inf(1)))) - math.Abs(float64(float32(math.Abs(want))))
	return math.Abs(float64(got)-want) / ulp
}

func TestFunctionsAreAccurate(t *testing.T) {
	for _, c := range []struct {
		name     string
		f        func(float32) float32
		exact    func(float64) float64
		lo, hi   float32
		maxError float64
	}{
		{"exp", Exp, math.Exp, -87, 88, 1.5},
		{"exp of tiny results", Exp, math.Exp, -103, -87, 1.5},
		{"sigmoid", Sigmoid, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, -85, 85, 3},
		{"tanh", Tanh, math.Tanh, -20, 20, 6},
	} {
		worst := 0.0
		for i := range 200001 {
			x := c.lo + (c.hi-c.lo)*float32(i)/200000
			worst = max(worst, ulps(c.f(x), c.exact(float64(x))))
		}
		if worst > c.maxError {
			t.Errorf("%s: %.2f ulp, %.2f allowed", c.name, worst, c.maxError)
		}
	}
}

func TestSpecialValues(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, c := range []struct{ got, want float32 }{
		{Exp(inf), inf},
		{Exp(-inf), 0},
		{Exp(0), 1},
		{Exp(89), inf},
		{Sigmoid(inf), 1},
		{Sigmoid(-inf), 0},
		{Tanh(inf), 1},
		{Tanh(-inf), -1},
		{Max(nil), -inf},
		{Sum(nil), 0},
		{Max([]float32{1, 3, 2}), 3},
	} {
		if c.got != c.want {
			t.Errorf("got %v, want %v", c.got, c.want)
		}
	}
	for i, x := range []float32{Exp(nan), Sigmoid(nan), Tanh(nan), Max([]float32{1, nan, 2})} {
		if x == x {
			t.Errorf("function %d loses a NaN: %v", i, x)
		}
	}
}

func TestSoftmaxSumsToOne(t *testing.T) {
	for n := 1; n < 70; n++ {
		s := make([]float32, n)
		for i := range s {
			s[i] = float32(i%7) * 30
		}
		Softmax(s, s, n)
		if d := math.Abs(float64(Sum(s)) - 1); d > 1e-5 {
			t.Errorf("n %d: the sum is off by %g", n, d)
		}
	}
}
