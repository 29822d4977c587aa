package tensor

import "math"

// Half is an IEEE 754 binary16 number, the element of F16.
type Half uint16

// BFloat16 is the upper half of a binary32 number, the element of BF16.
type BFloat16 uint16

// Float32 returns the value of h, exactly; a NaN becomes a quiet one.
func (h Half) Float32() float32 {
	sign := uint32(h&0x8000) << 16
	exp, man := uint32(h>>10&0x1f), uint32(h&0x3ff)
	switch {
	case exp == 0x1f && man != 0:
		return math.Float32frombits(sign | 0x7fc00000 | man<<13)
	case exp == 0x1f:
		return math.Float32frombits(sign | 0x7f800000)
	case exp != 0:
		return math.Float32frombits(sign | (exp+112)<<23 | man<<13)
	default: // zero or subnormal: man * 2^-24 is exact in binary32
		f := float32(man) * (1.0 / (1 << 24))
		return math.Float32frombits(sign | math.Float32bits(f))
	}
}

// HalfOf returns f rounded to nearest even; overflow gives infinity and a NaN
// stays a quiet NaN of the same sign.
func HalfOf(f float32) Half {
	b := math.Float32bits(f)
	sign := uint16(b >> 16 & 0x8000)
	b &= 0x7fffffff
	switch {
	case b > 0x7f800000:
		return Half(sign | 0x7e00 | uint16(b>>13&0x3ff))
	case b >= 0x477ff000: // rounds to 2^16 or above
		return Half(sign | 0x7c00)
	case b < 0x38800000: // below 2^-14: subnormal, rounded by the addition
		// 0.5 has a last place of 2^-24, the unit of a subnormal half.
		r := math.Float32bits(math.Float32frombits(b) + 0.5)
		return Half(sign | uint16(r-0x3f000000))
	default:
		b += 0xfff + b>>13&1
		return Half(sign | uint16((b-0x38000000)>>13))
	}
}

// HalfOf64 returns f rounded to nearest even in one step.
func HalfOf64(f float64) Half { return HalfOf(roundOdd(f)) }

// Float32 returns the value of b, exactly.
func (b BFloat16) Float32() float32 { return math.Float32frombits(uint32(b) << 16) }

// BFloat16Of returns f rounded to nearest even; a NaN stays a quiet NaN.
func BFloat16Of(f float32) BFloat16 {
	b := math.Float32bits(f)
	if b&0x7fffffff > 0x7f800000 {
		return BFloat16(b>>16 | 0x40)
	}
	return BFloat16((b + 0x7fff + b>>16&1) >> 16)
}

// BFloat16Of64 returns f rounded to nearest even in one step.
func BFloat16Of64(f float64) BFloat16 { return BFloat16Of(roundOdd(f)) }

// roundOdd converts f to binary32 with rounding to odd, after which a second
// rounding to a type at least two bits narrower gives what one rounding would
// (S. Boldo, G. Melquiond, "When double rounding is odd", 2005).
func roundOdd(f float64) float32 {
	r := float32(f)
	back := float64(r)
	if back == f || f != f || math.IsInf(f, 0) {
		return r
	}
	bits := math.Float32bits(r)
	if math.IsInf(back, 0) { // above the largest binary32: any narrower type overflows too
		return r
	}
	if bits&1 == 1 {
		return r
	}
	if math.Abs(back) < math.Abs(f) {
		return math.Float32frombits(bits + 1)
	}
	if bits&0x7fffffff == 0 {
		return math.Float32frombits(bits | 1)
	}
	return math.Float32frombits(bits - 1)
}
