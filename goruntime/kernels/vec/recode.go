package vec

import (
	"math"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/kernels/cpu"
)

// Recoding are the numbers of Recode, in the order of its steps, and what becomes of each
// code where codes are bytes; vecgen has the offsets.
type Recoding struct {
	Times, Least, Most float32 // to codes: WholeTimes
	Scale              float32 // of the codes
	Slope, Offset      float32 // of the curve Gate
	Over, Low, High    float32 // to codes again: WholeOver
	Back               float32 // what those are multiplied with

	least, low int32     // 40, as whole numbers
	table      [256]byte // 48, of code Least + i, the code less Low
	bytes      bool
}

// Prepare fills the table, if both kinds of codes are bytes.
func (k *Recoding) Prepare() {
	k.bytes = spans(k.Least, k.Most) && spans(k.Low, k.High)
	if !k.bytes {
		return
	}
	k.least, k.low = int32(k.Least), int32(k.Low)
	for i := 0; k.Least+float32(i) <= k.Most; i++ {
		k.table[i] = byte(k.after(k.Least+float32(i)) - k.Low)
	}
}

// spans reports whether the whole numbers between two bounds are as many as a byte has.
func spans(low, high float32) bool {
	whole := func(x float32) bool { return math.Abs(float64(x)) < 1<<16 && x == float32(int32(x)) }
	return whole(low) && whole(high) && high >= low && high-low < 256
}

// after returns what becomes of a code.
func (k *Recoding) after(code float32) float32 {
	y := code * k.Scale
	y *= clamp(line(y, k.Slope, k.Offset), 0, 1)
	return whole(y/k.Over, k.Low, k.High)
}

// Recode writes what becomes of each element of src to dst, which may be src: a product
// is a code, which stands for a number, which goes through a gate and is a code again.
// Each step rounds as it does alone.
func Recode(k *Recoding, dst, src []float32) {
	if len(dst) > 0 {
		l := k.Loop()
		l.Run(first(dst), first(src), unsafe.Pointer(k), len(dst), 0, 0)
	}
}

// Loop is the loop of Recode; b of Run is k.
func (k *Recoding) Loop() Loop {
	return newLoop(func(v *kernels) func(*args) {
		if k.bytes && v.recodeBytes != nil && cpu.VBMI() {
			return v.recodeBytes
		}
		return v.recode
	})
}

// recode is the definition.
func recode(a *args) {
	// SAFETY: the caller gives the numbers.
	dst, k := a.slice(a.dst), (*Recoding)(a.b)
	for i, x := range a.slice(a.a) {
		dst[i] = k.after(whole(float32(x*k.Times), k.Least, k.Most)) * k.Back
	}
}
