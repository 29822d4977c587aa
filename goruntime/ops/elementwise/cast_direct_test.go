package elementwise

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	numbers "github.com/goruntime/goruntime/goruntime/kernels/wide"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Direct casts of and to 16-bit floats, to bool and to types of one size are what a cast by
// way of the widest type of the kind gives: of all halves, and of whole numbers near where
// halves end.
func TestDirectCastsAreThoseByTheWidest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const n = 1 << 16
	for from := range tensor.DType(tensor.NumDTypes) {
		for to := range tensor.DType(tensor.NumDTypes) {
			half := func(d tensor.DType) bool { return d == tensor.F16 || d == tensor.BF16 }
			direct, read := directCasts[from][to], readers[from]
			if direct == nil || read == nil || writers[to].i == nil || !half(from) && !half(to) && to != tensor.Bool && from.Width() != to.Width() {
				continue
			}
			raw := make([]uint64, n)
			in := tensor.View{DType: from, Shape: tensor.Shape{n}, Data: unsafe.Pointer(&raw[0])}
			for i := range n {
				switch {
				case half(from):
					tensor.Elems[uint16](&in)[i] = uint16(i)
				case from == tensor.Bool:
					in.Raw()[i] = byte(i % 2)
				case from == tensor.I64 || from == tensor.U64:
					tensor.Elems[uint64](&in)[i] = r.Uint64() >> r.IntN(64)
				case from == tensor.I32 || from == tensor.U32:
					tensor.Elems[uint32](&in)[i] = uint32(65400 + i)
				case from == tensor.F32:
					tensor.Elems[float32](&in)[i] = math.Float32frombits(r.Uint32())
				default:
					in.Raw()[i] = byte(r.Uint32())
				}
			}
			var got [2]tensor.View
			for k := range got {
				room := make([]uint64, n)
				got[k] = tensor.View{DType: to, Shape: in.Shape, Data: unsafe.Pointer(&room[0])}
			}
			s := &casting{saturate: true, integer: to.Integer(), in: &in, out: &got[0]}
			if err := direct(s, 0, n); err != nil {
				t.Fatal(err)
			}
			s.out = &got[1]
			if err := read(s, writers[to], 0, n); err != nil {
				t.Fatal(err)
			}
			var read64 [2][n]float64
			for k := range read64 {
				numbers.Load[to](read64[k][:], &got[k])
			}
			w := to.Width()
			for i := range n {
				if math.IsNaN(read64[0][i]) && math.IsNaN(read64[1][i]) {
					continue // one is as good as another
				}
				a, b := got[0].Raw()[i*w:(i+1)*w], got[1].Raw()[i*w:(i+1)*w]
				if string(a) != string(b) {
					t.Errorf("%v to %v: element %d, %x, is %x, want %x", from, to, i, in.Raw()[i*from.Width():(i+1)*from.Width()], a, b)
					break
				}
			}
		}
	}
}
