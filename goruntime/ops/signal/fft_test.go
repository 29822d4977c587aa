package signal

import (
	"math/cmplx"
	"math/rand/v2"
	"testing"
)

// Every length agrees with the sum that defines the transform.
func TestFFTAgreesWithItsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 16, 17, 23, 24, 26, 31, 32, 60, 64, 97, 100, 101, 128, 143, 169, 240, 289, 360, 400, 512, 1009} {
		p := newFFT(n)
		x := make([]complex128, n)
		for i := range x {
			x[i] = complex(r.NormFloat64(), r.NormFloat64())
		}
		work := make([]complex128, p.room())
		copy(work, x)
		got := p.run(work)
		if len(got) != n {
			t.Fatalf("length %d: %d numbers", n, len(got))
		}
		for k := range got {
			want := complex128(0)
			for i, v := range x {
				want += v * root(i*k%n, n)
			}
			if cmplx.Abs(got[k]-want) > 1e-11*float64(n) {
				t.Fatalf("length %d: number %d is %v, want %v", n, k, got[k], want)
			}
		}
	}
}

func TestFFTDoesNotAllocate(t *testing.T) {
	for _, n := range []int{400, 509} {
		p := newFFT(n)
		work := make([]complex128, p.room())
		if got := testing.AllocsPerRun(10, func() { p.run(work) }); got != 0 {
			t.Errorf("length %d: %v allocations", n, got)
		}
	}
}
