package cast

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/kernels/cpu"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Every half has the value that its bits say, and every float becomes the nearest one,
// in vectors as one by one.
func TestHalves(t *testing.T) {
	halves, brains := make([]tensor.Half, 1<<16), make([]tensor.BFloat16, 1<<16)
	for i := range halves {
		halves[i], brains[i] = tensor.Half(i), tensor.BFloat16(i)
	}
	agree(t, halfFloat, halves, tensor.Half.Float32)
	agree(t, brainFloat, brains, tensor.BFloat16.Float32)
	floats := floats(1 << 18)
	agree(t, floatHalf, floats, tensor.HalfOf)
	agree(t, floatBrain, floats, tensor.BFloat16Of)
}

func TestNumbers(t *testing.T) {
	f, d := floats(1<<16), make([]float64, 1<<16)
	i, l := make([]int32, 1<<16), make([]int64, 1<<16)
	r := rand.New(rand.NewPCG(3, 4))
	for k := range d {
		d[k] = math.Float64frombits(r.Uint64())
		if k%3 == 0 {
			d[k] = float64(f[k])
		}
		i[k], l[k] = int32(r.Uint32()), int64(r.Uint64())>>r.IntN(64)
	}
	agree(t, floatDouble, f, func(x float32) float64 { return float64(x) })
	agree(t, doubleFloat, d, func(x float64) float32 { return float32(x) })
	agree(t, intFloat, i, func(x int32) float32 { return float32(x) })
	agree(t, floatInt, f, func(x float32) int32 { return int32(x) })
	agree(t, longFloat, l, func(x int64) float32 { return float32(x) })
	agree(t, floatLong, f, func(x float32) int64 { return int64(x) })
	agree(t, longDouble, l, func(x int64) float64 { return float64(x) })
	agree(t, doubleLong, d, func(x float64) int64 { return int64(x) })
	agree(t, intLong, i, func(x int32) int64 { return int64(x) })
	agree(t, longInt, l, func(x int64) int32 { return int32(x) })
	agree(t, floatByte, f, func(x float32) uint8 { return uint8(int64(x)) })
}

// floats returns floats of all bits, and some near the halves.
func floats(n int) []float32 {
	r := rand.New(rand.NewPCG(1, 2))
	s := make([]float32, n)
	for i := range s {
		switch i % 4 {
		case 0:
			s[i] = tensor.Half(r.Uint32()).Float32() // and halfway to the next
		case 1:
			s[i] = math.Float32frombits(math.Float32bits(tensor.Half(r.Uint32()).Float32()) + 1<<12)
		case 2:
			s[i] = float32(r.NormFloat64() * 300)
		default:
			s[i] = math.Float32frombits(r.Uint32())
		}
	}
	return s
}

// agree holds the kernels of a pair against a function, at several lengths.
func agree[D, S any](t *testing.T, p pair, src []S, one func(S) D) {
	t.Helper()
	for i := range variants {
		v, l := &variants[i], variants[i].level
		if l > cpu.Best() {
			continue
		}
		for n := len(src); n > 0; n /= 3 {
			src := src[len(src)-n:]
			dst := make([]D, n+1)
			guard := any(dst[n])
			done := vectorsBy(v, p, dst[:n], src)
			if v.kernels[p] != nil && n-done >= v.lanes {
				t.Fatalf("%v, pair %d: %d of %d are left", l, p, n-done, n)
			}
			for i := range done {
				if got, want := dst[i], one(src[i]); bits(got) != bits(want) {
					t.Fatalf("%v, pair %d of %v: %v (%x), want %v (%x)", l, p, src[i], got, bits(got), want, bits(want))
				}
			}
			if any(dst[n]) != guard {
				t.Fatalf("%v, pair %d: written behind the end", l, p)
			}
		}
	}
}

func bits(x any) string {
	switch x := x.(type) {
	case float32:
		return fmt.Sprint(math.Float32bits(x))
	case float64:
		return fmt.Sprint(math.Float64bits(x))
	}
	return fmt.Sprint(x)
}

// The functions convert what is behind the last vector too.
func TestEveryLength(t *testing.T) {
	for n := range 70 {
		src := floats(n)
		halves, brains, back := make([]tensor.Half, n), make([]tensor.BFloat16, n), make([]float32, n)
		longs, bytes := make([]int64, n), make([]int8, n)
		Narrow(halves, src)
		Narrow(brains, src)
		Numbers(longs, src)
		Low(bytes, src)
		for i, x := range src {
			if halves[i] != tensor.HalfOf(x) || brains[i] != tensor.BFloat16Of(x) || longs[i] != int64(x) || bytes[i] != int8(int64(x)) {
				t.Fatalf("length %d, %v: %v, %v, %v, %v", n, x, halves[i], brains[i], longs[i], bytes[i])
			}
		}
		Widen(back, halves)
		for i, h := range halves {
			if math.Float32bits(back[i]) != math.Float32bits(h.Float32()) {
				t.Fatalf("length %d: %v of %v", n, back[i], h)
			}
		}
		Widen(back, brains)
		for i, h := range brains {
			if math.Float32bits(back[i]) != math.Float32bits(h.Float32()) {
				t.Fatalf("length %d: %v of %v", n, back[i], h)
			}
		}
	}
}

func BenchmarkCast(b *testing.B) {
	const n = 1 << 16
	f, h, l := make([]float32, n), make([]tensor.Half, n), make([]int64, n)
	for name, run := range map[string]func(){
		"widen": func() { Widen(f, h) }, "narrow": func() { Narrow(h, f) }, "long": func() { Numbers(l, f) },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(n * unsafe.Sizeof(f[0])))
			for b.Loop() {
				run()
			}
		})
	}
}

// A function of halves is that of their values, also in place, and costs no memory.
func TestThrough(t *testing.T) {
	double := func(by float32, dst, src []float32) {
		for i, x := range src {
			dst[i] = by * x
		}
	}
	for _, n := range []int{0, 1, 15, block, 3*block + 7} {
		src, dst := make([]tensor.Half, n), make([]tensor.Half, n)
		for i := range src {
			src[i] = tensor.HalfOf(float32(i%1000) / 8)
		}
		if made := testing.AllocsPerRun(5, func() { Through(double, 2, dst, src) }); made != 0 {
			t.Errorf("%v allocations", made)
		}
		Through(vec.Apply, vec.Negative, dst, src)
		for i := range dst {
			if dst[i] != tensor.HalfOf(-src[i].Float32()) {
				t.Fatalf("element %d of %d: %v of %v", i, n, dst[i].Float32(), src[i].Float32())
			}
		}
		Through(double, 2, dst, src)
		Through(double, 2, src, src)
		for i := range dst {
			if want := tensor.HalfOf(float32(i%1000) / 4); dst[i] != want || src[i] != want {
				t.Fatalf("element %d of %d: %v, in place %v, want %v", i, n, dst[i], src[i], want)
			}
		}
	}
}
