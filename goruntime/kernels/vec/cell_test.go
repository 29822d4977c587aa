package vec

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestLSTMCellFollowsTheEquations(t *testing.T) {
	withEach(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(7, 8))
		for _, h := range []int{1, 7, 16, 65} {
			gates, hid, cell := make([]float32, 4*h), make([]float32, h), make([]float32, h)
			for i := range gates {
				gates[i] = float32(r.NormFloat64() * 2)
			}
			for i := range cell {
				cell[i] = float32(r.NormFloat64())
			}
			want := make([][2]float64, h)
			sigmoid := func(x float32) float64 { return 1 / (1 + math.Exp(-float64(x))) }
			for i := range h {
				c := sigmoid(gates[2*h+i])*float64(cell[i]) + sigmoid(gates[i])*math.Tanh(float64(gates[3*h+i]))
				want[i] = [2]float64{c, sigmoid(gates[h+i]) * math.Tanh(c)}
			}
			LSTMCell(gates, hid, cell)
			for i, w := range want {
				if math.Abs(float64(cell[i])-w[0]) > 1e-6 || math.Abs(float64(hid[i])-w[1]) > 1e-6 {
					t.Fatalf("H %d unit %d: %v %v, want %v", h, i, cell[i], hid[i], w)
				}
			}
		}
	})
}
