package vec

import (
	"math"
	"testing"
)

func TestActivation(t *testing.T) {
	for _, c := range []struct {
		name   string
		params []float32
		want   [4]float64 // of -2, -0.5, 0.5, 3
	}{
		{"", nil, [4]float64{-2, -0.5, 0.5, 3}},
		{"Relu", nil, [4]float64{0, 0, 0.5, 3}},
		{"Tanh", nil, [4]float64{math.Tanh(-2), math.Tanh(-0.5), math.Tanh(0.5), math.Tanh(3)}},
		{"Sigmoid", nil, [4]float64{0.11920292, 0.37754067, 0.62245933, 0.95257413}},
		{"LeakyRelu", []float32{0.25}, [4]float64{-0.5, -0.125, 0.5, 3}},
		{"HardSigmoid", []float32{0.5, 0.5}, [4]float64{0, 0.25, 0.75, 1}},
		{"Clip", []float32{-1, 2}, [4]float64{-1, -0.5, 0.5, 2}},
		{"Elu", []float32{2}, [4]float64{-1.7293294, -0.78693868, 0.5, 3}},
		{"ThresholdedRelu", []float32{1}, [4]float64{0, 0, 0, 3}},
	} {
		x := []float32{-2, -0.5, 0.5, 3}
		f := Activation(c.name, c.params...)
		if f == nil {
			t.Errorf("%s is not known", c.name)
			continue
		}
		f(x)
		for i, v := range x {
			if math.Abs(float64(v)-c.want[i]) > 1e-6 {
				t.Errorf("%s: element %d is %v, want %v", c.name, i, v, c.want[i])
			}
		}
	}
	for name, params := range map[string][]float32{"Softmax": nil, "Clip": {1}, "LeakyRelu": nil} {
		if Activation(name, params...) != nil {
			t.Errorf("%s with %v is taken", name, params)
		}
	}
}
