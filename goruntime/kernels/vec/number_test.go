package vec

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/kernels/cpu"
)

func TestNumbers(t *testing.T) {
	withEach(t, func(t *testing.T) {
		numbersOf[int8](t)
		numbersOf[uint8](t)
		numbersOf[int16](t)
		numbersOf[uint16](t)
		numbersOf[int32](t)
		numbersOf[uint32](t)
		numbersOf[int64](t)
		numbersOf[uint64](t)
		numbersOf[float64](t)
	})
}

// numbersOf compares with the definition, bit for bit but for which NaN it is.
func numbersOf[T Counted](t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for o := range arithmetics {
		for n := range 200 {
			a, b, want := drawn[T](r, n), drawn[T](r, n), make([]T, n)
			for _, y := range [][]T{b, b[:min(1, n)]} {
				if n > 0 {
					plain(o, want, a, y)
				}
				dst := make([]T, n+1)
				dst[n] = 77
				Numbers(o, dst[:n], a, y)
				for i, w := range want {
					if got := dst[i]; bitsOf(got) != bitsOf(w) && (got == got || w == w) {
						t.Fatalf("operation %d on %v and %v, %T, %d of %d: %v, want %v", o, a[i], y[i%len(y)], w, i, n, got, w)
					}
				}
				if dst[n] != 77 {
					t.Fatalf("operation %d of %d, %T: written behind the end", o, n, dst[n])
				}
			}
		}
	}
}

// bitsOf returns the bits of a number, one set of them for all NaN.
func bitsOf[T Counted](x T) uint64 {
	if x != x {
		return math.MaxUint64
	}
	var bits uint64
	*(*T)(unsafe.Pointer(&bits)) = x
	return bits
}

func drawn[T Counted](r *rand.Rand, n int) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = T(r.Int64())
		switch r.IntN(4) {
		case 0:
			list[i] = T(r.IntN(5)) - 2
		case 1:
			list[i] = -T(r.IntN(2)) // of floats, zeros of both signs
		}
		if f, ok := any(&list[i]).(*float64); ok && r.IntN(3) == 0 {
			*f = []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e308, 5e-324, math.Copysign(0, -1)}[r.IntN(6)]
		}
	}
	return list
}

// The lowest and the highest number, and what the definition says of them.
func TestPlainNumbers(t *testing.T) {
	got := make([]int8, 2)
	for o, want := range map[Arithmetic][2]int8{
		AnyPlus: {127, 126}, AnyMinus: {-127, -128}, AnyTimes: {-128, -127}, AnyLarger: {-1, 127}, AnySmaller: {-128, -1}, AnyAbsolute: {-128, 127}, AnyNegative: {-128, -127},
	} {
		plain(o, got, []int8{-128, 127}, []int8{-1})
		if got[0] != want[0] || got[1] != want[1] {
			t.Errorf("operation %d: %v, want %v", o, got, want)
		}
	}
}

// Every operation has a kernel in every vector variant.
func TestNumbersHaveKernels(t *testing.T) {
	for _, v := range variants {
		if v.level == cpu.Portable {
			continue
		}
		for o := range arithmetics {
			for kind := range kinds {
				if v.numbers[o][kind][0] == nil || v.numbers[o][kind][1] == nil {
					t.Errorf("%s has no kernel of operation %d for type %d", v.name, o, kind)
				}
			}
		}
	}
}
