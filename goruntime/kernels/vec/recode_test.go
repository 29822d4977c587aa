package vec

import (
	"math/rand/v2"
	"testing"
)

// anyRecoding returns numbers as those of a quantized model: codes of a byte.
func anyRecoding(r *rand.Rand) *Recoding {
	k := &Recoding{
		Times: 0.01 + r.Float32(), Scale: 0.001 + r.Float32()/8, Slope: 1.0 / 6, Offset: 0.5, Over: 0.01 + r.Float32()/8, Back: 1,
	}
	k.Least, k.Low = -float32(r.IntN(256)), -float32(r.IntN(256))
	k.Most, k.High = k.Least+255, k.Low+255
	if r.IntN(2) == 0 {
		k.Back = k.Over
	}
	if r.IntN(3) == 0 { // of fewer or more codes than a byte has
		k.Most, k.High = k.Least+float32(r.IntN(400)), k.Low+float32(r.IntN(400))
	}
	return k
}

// Recode rounds where its steps round.
func TestRecodeGivesTheBitsOfItsSteps(t *testing.T) {
	withEach(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(13, 14))
		for n := range 150 {
			k, src := anyRecoding(r), numbers(r, n+1)[1:]
			for i := range src {
				if r.IntN(4) == 0 { // the middle between two codes
					src[i] = (float32(r.IntN(300)) - 150 + 0.5) / k.Times
				}
			}
			got, want, gate := make([]float32, n+1), make([]float32, n), make([]float32, n)
			got[n] = 77
			if r.IntN(4) > 0 { // as bytes, where there is a loop for them
				k.Prepare()
			}
			Recode(k, got[:n], src)
			Round(WholeTimes, want, src, k.Times, k.Least, k.Most)
			Combine(Times, want, want, []float32{k.Scale})
			Bend(Gate, gate, want, k.Slope, k.Offset)
			Round(WholeOver, want, gate, k.Over, k.Low, k.High)
			Combine(Times, want, want, []float32{k.Back})
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("%+v of %v, element %d of %d: %v, want %v", *k, src[i], i, n, got[i], want[i])
				}
			}
			if got[n] != 77 {
				t.Fatalf("written beyond element %d", n)
			}
		}
	})
}
