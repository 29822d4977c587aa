package vec

import "math"

// The exponential function: x = n ln 2 + r, exp(r) by a polynomial of degree 6
// with a relative error below 1 ulp, scaled by 2^n in two steps, so that
// results down to the subnormals are right.
const (
	log2e = 1.44269504088896340736
	ln2Hi = 0.693359375
	ln2Lo = -2.12194440054690583e-4
)

// Exp returns e^x with an error below 1 ulp; overflow is +Inf, NaN stays.
func Exp(x float32) float32 {
	switch {
	case x != x:
		return x
	case x > 88.8:
		return float32(math.Inf(1))
	case x < -104:
		return 0
	}
	n := float32(math.RoundToEven(float64(x * log2e)))
	r := x - n*ln2Hi
	r -= n * ln2Lo
	p := float32(1.9875691500e-4)
	p = p*r + 1.3981999507e-3
	p = p*r + 8.3334519073e-3
	p = p*r + 4.1665795894e-2
	p = p*r + 1.6666665459e-1
	p = p*r + 5.0000001201e-1
	p = p*r*r + r + 1
	k := int32(n)
	half := k / 2
	return p * power2(half) * power2(k-half)
}

// power2 returns 2^k for a normal result.
func power2(k int32) float32 { return math.Float32frombits(uint32(k+127) << 23) }

// Sigmoid returns 1 / (1 + e^-x), with full relative accuracy in both tails.
func Sigmoid(x float32) float32 {
	if x < 0 {
		e := Exp(x)
		return e / (1 + e)
	}
	return 1 / (1 + Exp(-x))
}

// Tanh returns the hyperbolic tangent: a quotient of polynomials up to 9, from where
// on it is 1.
func Tanh(x float32) float32 {
	x = clamp(x, -9, 9)
	s := x * x
	p := float32(-2.76076847742355e-16)
	p = p*s + 2.00018790482477e-13
	p = p*s - 8.60467152213735e-11
	p = p*s + 5.12229709037114e-08
	p = p*s + 1.48572235717979e-05
	p = p*s + 6.37261928875436e-04
	p = p*s + 4.89352455891786e-03
	q := float32(1.19825839466702e-06)
	q = q*s + 1.18534705686654e-04
	q = q*s + 2.26843463243900e-03
	q = q*s + 4.89352518554385e-03
	return x * (p / q) // in this order subnormal numbers keep their bits
}

// Erf returns the error function, rounded from float64.
func Erf(x float32) float32 { return float32(math.Erf(float64(x))) }

// Log returns the natural logarithm, rounded from float64.
func Log(x float32) float32 { return float32(math.Log(float64(x))) }
