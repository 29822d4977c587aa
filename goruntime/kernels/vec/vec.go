// Package vec holds the loops over contiguous float32s that several operators
// share. Elementwise functions give an element the same bits wherever it lies;
// reductions sum in one fixed order that depends on the length alone.
package vec

import "math"

// lanes is how many sums a reduction keeps side by side: part of its contract,
// since it fixes the order.
const lanes = 16

// Sum returns the sum of s: sixteen sums side by side, then pairwise.
func Sum(s []float32) float32 {
	var acc [lanes]float32
	for ; len(s) >= lanes; s = s[lanes:] {
		for i, x := range s[:lanes] {
			acc[i] += x
		}
	}
	for i, x := range s {
		acc[i] += x
	}
	return fold(&acc)
}

func fold(acc *[lanes]float32) float32 {
	for w := lanes / 2; w > 0; w /= 2 {
		for i := range w {
			acc[i] += acc[i+w]
		}
	}
	return acc[0]
}

// Max returns the largest element, NaN where there is one, -Inf for none.
func Max(s []float32) float32 {
	top := float32(math.Inf(-1))
	for _, x := range s {
		if x > top || x != x {
			top = x
			if x != x {
				return x
			}
		}
	}
	return top
}

// Softmax writes exp(x - max) / sum to dst, which may be src.
func Softmax(dst, src []float32) {
	top := Max(src)
	var acc [lanes]float32
	for i, x := range src {
		e := Exp(x - top)
		dst[i] = e
		acc[i%lanes] += e
	}
	inv := 1 / fold(&acc)
	for i := range dst {
		dst[i] *= inv
	}
}

// Normalize writes (x - mean) / sqrt(variance + epsilon) * scale + bias to dst,
// which may be src, and returns mean and 1 / sqrt(variance + epsilon).
func Normalize(dst, src, scale, bias []float32, epsilon float32) (mean, inv float32) {
	n := float32(len(src))
	mean = Sum(src) / n
	var acc [lanes]float32
	for i, x := range src {
		d := x - mean
		acc[i%lanes] += d * d
	}
	inv = float32(1 / math.Sqrt(float64(fold(&acc)/n+epsilon)))
	for i, x := range src {
		dst[i] = (x-mean)*inv*scale[i] + bias[i]
	}
	return mean, inv
}

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

// Tanh returns the hyperbolic tangent: a polynomial near zero, where the
// exponential form would cancel, else 1 - 2 / (e^2x + 1).
func Tanh(x float32) float32 {
	a := x
	if a < 0 {
		a = -a
	}
	if a < 0.625 {
		s := x * x
		p := float32(-5.70498872745e-3)
		p = p*s + 2.06390887954e-2
		p = p*s - 5.37397155531e-2
		p = p*s + 1.33314422036e-1
		p = p*s - 3.33332819422e-1
		return p*s*x + x
	}
	t := 1 - 2/(Exp(2*a)+1)
	if x < 0 {
		return -t
	}
	return t
}
