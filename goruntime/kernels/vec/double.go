package vec

import (
	"math"
	"runtime"
)

// Exact is a function of one number that is computed in float64 and rounded once.
type Exact int

// The functions, in the order of the generated tables.
const (
	Sine Exact = iota
	Cosine
	exacts
)

// inFloat64 are the definitions.
var inFloat64 = [exacts]func(float64) float64{Sine: math.Sin, Cosine: math.Cos}

// mostTurned is the magnitude up to which kernels know where on the circle a number is.
const mostTurned = 1 << 20

// exactBlock is how many numbers are looked at before they are computed.
const exactBlock = 512

// ApplyExact writes the function of each element of src to dst, which may be src and is as
// long. An error is that of rounding, but for one in some thousands of millions, which may
// be the other neighbour.
func ApplyExact(f Exact, dst, src []float32) {
	v := chosen()
	for len(src) > 0 {
		n := min(exactBlock, len(src))
		x, y := src[:n], dst[:n]
		var most, least [1]float32
		Along(Most, most[:], x, n, 0)
		Along(Least, least[:], x, n, 0)
		if v.exact[f] != nil && most[0] <= mostTurned && least[0] >= -mostTurned {
			a := newArgs(y, x, v.lanes)
			v.exact[f](borrow(&a))
			runtime.KeepAlive(&a)
		} else {
			for i, t := range x {
				y[i] = float32(inFloat64[f](float64(t)))
			}
		}
		dst, src = dst[n:], src[n:]
	}
}

// Powers writes each element of x to the power of the one of y beside it, or of a single
// one, to dst, which may be either and is as long as x; it rounds as ApplyExact does.
func Powers(dst, x, y []float32) {
	v := chosen()
	if len(y) == 1 && y[0] == float32(int32(y[0])) {
		wholePowers(dst, x, int32(y[0]))
		return
	}
	v.powers(dst, x, y)
}

// wholePowers raises magnitudes, and gives odd powers the signs.
func wholePowers(dst, x []float32, y int32) {
	var room [exactBlock]float32
	v, to := chosen(), [1]float32{float32(y)}
	for len(x) > 0 {
		n := min(exactBlock, len(x))
		size := room[:n]
		Apply(Absolute, size, x[:n])
		if !plainPower(size, to[:]) { // infinities and zeros have powers of their own
			v.powers(dst[:n], x[:n], to[:])
		} else {
			v.powers(size, size, to[:])
			for i, t := range x[:n] {
				if dst[i] = size[i]; y%2 != 0 && t < 0 {
					dst[i] = -size[i]
				}
			}
		}
		dst, x = dst[n:], x[n:]
	}
}

func (v *variant) powers(dst, x, y []float32) {
	for len(x) > 0 {
		n := min(exactBlock, len(x))
		a, b, form := x[:n], y, 1
		if len(y) != 1 {
			b, form = y[:n], 0
		}
		if v.power[form] == nil || !plainPower(a, b) {
			step := min(1, len(b)-1)
			for i, t := range a {
				dst[i] = float32(math.Pow(float64(t), float64(b[i*step])))
			}
		} else {
			p := newArgs(dst[:n], a, v.lanes)
			p.b = first(b)
			v.power[form](borrow(&p))
			runtime.KeepAlive(&p)
		}
		if dst, x = dst[n:], x[n:]; form == 0 {
			y = y[n:]
		}
	}
}

// plainPower reports whether all bases are finite and above zero, all exponents finite.
func plainPower(x, y []float32) bool {
	const largest = math.MaxFloat32
	var most, least, size [1]float32
	Along(Most, most[:], x, len(x), 0)
	Along(Least, least[:], x, len(x), 0)
	Along(AddedMagnitudes, size[:], y, len(y), 0)
	return most[0] <= largest && least[0] > 0 && size[0] <= largest
}
