package vec

import (
	"math"
	"runtime"
	"slices"
)

// Exact is a function of one number that is computed in float64 and rounded once.
type Exact int

// The functions, in the order of the generated tables.
const (
	Sine Exact = iota
	Cosine
	Tangent
	ArcSine
	ArcCosine
	ArcTangent
	HyperbolicSine
	HyperbolicCosine
	AreaSine
	AreaCosine
	AreaTangent
	Cubed
	exacts
)

// inFloat64 are the definitions.
var inFloat64 = [exacts]func(float64) float64{
	math.Sin, math.Cos, math.Tan, math.Asin, math.Acos, math.Atan, math.Sinh, math.Cosh, math.Asinh, math.Acosh, math.Atanh,
	func(x float64) float64 { return x * x * x },
}

// mostTurned is the magnitude up to which kernels know where on the circle a number is,
// mostRaised that up to which they raise e to a power.
const (
	mostTurned = 1 << 20
	mostRaised = 700
)

// known are the least and the greatest numbers that kernels know.
var known = [exacts]struct{ least, most float32 }{
	Sine: {-mostTurned, mostTurned}, Cosine: {-mostTurned, mostTurned}, Tangent: {-mostTurned, mostTurned},
	ArcSine: {-1, 1}, ArcCosine: {-1, 1}, ArcTangent: {-math.MaxFloat32, math.MaxFloat32},
	HyperbolicSine: {-mostRaised, mostRaised}, HyperbolicCosine: {-mostRaised, mostRaised},
	AreaSine: {-math.MaxFloat32, math.MaxFloat32}, AreaCosine: {1, math.MaxFloat32},
	AreaTangent: {-1 + 1./(1<<24), 1 - 1./(1<<24)},
	Cubed:       {-math.MaxFloat32, math.MaxFloat32},
}

// exactBlock is how many numbers are looked at before they are computed.
const exactBlock = 512

// ApplyExact writes the function of each element of src to dst, which may be src and is as
// long. An error is that of rounding, but for one in some hundred thousands, which may be
// the other neighbour.
func ApplyExact(f Exact, dst, src []float32) {
	v := chosen()
	for len(src) > 0 {
		n := min(exactBlock, len(src))
		x, y := src[:n], dst[:n]
		var most, least [1]float32
		Along(Most, most[:], x, n, 0)
		Along(Least, least[:], x, n, 0)
		if v.exact[f] != nil && most[0] <= known[f].most && least[0] >= known[f].least {
			v.applyExact(f, y, x)
		} else {
			v.applyFar(f, y, x)
		}
		dst, src = dst[n:], src[n:]
	}
}

func (v *variant) applyExact(f Exact, dst, src []float32) {
	a := newArgs(dst, src, v.lanes)
	v.exact[f](borrow(&a))
	runtime.KeepAlive(&a)
}

// applyFar is applyExact where kernels do not know some numbers: those alone are computed
// one by one, so that the others have the same bits as elsewhere.
func (v *variant) applyFar(f Exact, dst, src []float32) {
	var room [exactBlock]float32
	some := room[:len(src)]
	if v.exact[f] != nil {
		v.applyExact(f, some, src)
	}
	for i, t := range src {
		if v.exact[f] != nil && t <= known[f].most && t >= known[f].least {
			dst[i] = some[i]
		} else {
			dst[i] = float32(inFloat64[f](float64(t)))
		}
	}
}

// Powers writes each element of x to the power of the one of y beside it, or of a single
// one, to dst, which may be either and is as long as x; it rounds as ApplyExact does. The
// power of three is Cubed.
func Powers(dst, x, y []float32) {
	v, form := chosen(), 0
	if len(y) == 1 {
		if form = 1; y[0] == 3 {
			ApplyExact(Cubed, dst, x)
			return
		}
	}
	for len(x) > 0 {
		n := min(exactBlock, len(x))
		a, b := x[:n], y
		if form == 0 {
			b, y = y[:n], y[n:]
		}
		if form == 0 && slices.Contains(b, 3) {
			v.someCubes(dst[:n], a, b)
		} else {
			v.anyPowers(form, dst[:n], a, b)
		}
		dst, x = dst[n:], x[n:]
	}
}

// someCubes is anyPowers where exponents beside others are three.
func (v *variant) someCubes(dst, x, y []float32) {
	var room [exactBlock]float32
	some := room[:len(x)]
	v.anyPowers(0, some, x, y)
	for i, e := range y {
		if e == 3 {
			some[i] = float32(inFloat64[Cubed](float64(x[i])))
		}
	}
	copy(dst, some)
}

func (v *variant) anyPowers(form int, dst, x, y []float32) {
	switch {
	case v.power[form] == nil:
		step := min(1, len(y)-1)
		for i, t := range x {
			dst[i] = float32(math.Pow(float64(t), float64(y[i*step])))
		}
	case plainPower(x, y):
		v.powers(form, dst, x, y)
	default:
		v.mixedPowers(form, dst, x, y)
	}
}

func (v *variant) powers(form int, dst, x, y []float32) {
	a := newArgs(dst, x, v.lanes)
	a.b = first(y)
	v.power[form](borrow(&a))
	runtime.KeepAlive(&a)
}

// mixedPowers raises magnitudes and gives them signs; zeros, infinities and NaN, which have
// powers of their own, are raised one by one. An element has the same bits whatever is
// beside it.
func (v *variant) mixedPowers(form int, dst, x, y []float32) {
	var room [exactBlock]float32
	size := room[:len(x)]
	Apply(Absolute, size, x)
	v.powers(form, size, size, y)
	step := 1 - form
	for i, t := range x {
		e, z := y[i*step], size[i]
		switch {
		case !(t < 0 || t > 0) || !bounded(t) || !bounded(e):
			z = float32(math.Pow(float64(t), float64(e)))
		case t > 0: // is its magnitude
		case e != float32(math.Trunc(float64(e))):
			z = float32(math.NaN())
		case e < 1<<24 && e > -1<<24 && int32(e)&1 == 1: // others are even
			z = -z
		}
		dst[i] = z
	}
}

// bounded reports whether x is finite.
func bounded(x float32) bool { return x <= math.MaxFloat32 && x >= -math.MaxFloat32 }

// plainPower reports whether all bases are finite and above zero, all exponents finite.
func plainPower(x, y []float32) bool {
	const largest = math.MaxFloat32
	var most, least, size [1]float32
	Along(Most, most[:], x, len(x), 0)
	Along(Least, least[:], x, len(x), 0)
	Along(AddedMagnitudes, size[:], y, len(y), 0)
	return most[0] <= largest && least[0] > 0 && size[0] <= largest
}
