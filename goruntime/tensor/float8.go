package tensor

import (
	"math"
	"sync"
)

// Small is a floating-point format of at most 8 bits, described by its fields.
// Value and Round convert; tables make both exact and fast.
//
// Sources: ONNX "Float stored in 8 bits", "Float stored in 4 bits"; OCP
// Microscaling Formats 1.0 (E8M0, E2M1, E2M3, E3M2).
type Small struct {
	Bits, ExpBits, ManBits, Bias int
	Signed                       bool
	Inf                          bool // has infinities (e5m2)
	NaN                          smallNaN

	once  sync.Once // protects table until it is made
	table [256]float32
}

type smallNaN uint8

const (
	nanNone    smallNaN = iota // no NaN: e2m1, e2m3, e3m2
	nanAllOnes                 // exponent and mantissa all ones: e4m3fn
	nanIEEE                    // exponent all ones, mantissa not zero: e5m2
	nanNegZero                 // only 0x80: the fnuz formats
	nanFF                      // only 0xff: e8m0
)

// The small formats of ONNX by element type.
var (
	E4M3FN = &Small{Bits: 8, ExpBits: 4, ManBits: 3, Bias: 7, Signed: true, NaN: nanAllOnes}
	E4M3UZ = &Small{Bits: 8, ExpBits: 4, ManBits: 3, Bias: 8, Signed: true, NaN: nanNegZero}
	E5M2   = &Small{Bits: 8, ExpBits: 5, ManBits: 2, Bias: 15, Signed: true, Inf: true, NaN: nanIEEE}
	E5M2UZ = &Small{Bits: 8, ExpBits: 5, ManBits: 2, Bias: 16, Signed: true, NaN: nanNegZero}
	E2M1   = &Small{Bits: 4, ExpBits: 2, ManBits: 1, Bias: 1, Signed: true}
	E2M3   = &Small{Bits: 6, ExpBits: 2, ManBits: 3, Bias: 1, Signed: true}
	E3M2   = &Small{Bits: 6, ExpBits: 3, ManBits: 2, Bias: 3, Signed: true}
	E8M0   = &Small{Bits: 8, ExpBits: 8, ManBits: 0, Bias: 127, NaN: nanFF}
)

// SmallOf returns the format of d, or nil where d is not a small float.
func SmallOf(d DType) *Small { return smallFormats[d] }

var smallFormats = [256]*Small{
	F8E4M3FN: E4M3FN, F8E4M3UZ: E4M3UZ, F8E5M2: E5M2, F8E5M2UZ: E5M2UZ, F4E2M1: E2M1, F6E2M3: E2M3, F6E3M2: E3M2, F8E8M0: E8M0,
}

// Table returns the numbers of all codes, bits above those of the format left out.
func (s *Small) Table() *[256]float32 {
	s.once.Do(func() {
		for c := range s.table {
			s.table[c] = s.Value(uint8(c & (1<<s.Bits - 1)))
		}
	})
	return &s.table
}

// Value returns the number that code stands for.
func (s *Small) Value(code uint8) float32 {
	if s.isNaN(code) {
		return float32(math.NaN())
	}
	sign := float64(1)
	if s.Signed && code>>(s.Bits-1) != 0 {
		sign = -1
	}
	man := int(code) & (1<<s.ManBits - 1)
	exp := int(code) >> s.ManBits & (1<<s.ExpBits - 1)
	if s == E8M0 {
		return float32(math.Ldexp(1, exp-s.Bias))
	}
	if s.Inf && exp == 1<<s.ExpBits-1 && man == 0 {
		return float32(math.Inf(int(sign)))
	}
	if exp == 0 {
		return float32(sign * math.Ldexp(float64(man), 1-s.Bias-s.ManBits))
	}
	return float32(sign * math.Ldexp(float64(man|1<<s.ManBits), exp-s.Bias-s.ManBits))
}

func (s *Small) isNaN(code uint8) bool {
	low := code & (1<<(s.Bits-1) - 1)
	switch s.NaN {
	case nanAllOnes:
		return low == 0x7f
	case nanIEEE:
		return low > 0x7c
	case nanNegZero:
		return code == 0x80
	case nanFF:
		return code == 0xff
	default:
		return false
	}
}

// max returns the code of the largest finite magnitude.
func (s *Small) max() uint8 {
	switch s.NaN {
	case nanAllOnes:
		return 0x7e
	case nanIEEE:
		return 0x7b
	case nanNegZero:
		return 0x7f
	case nanFF:
		return 0xfe
	default:
		return 1<<(s.Bits-1) - 1
	}
}

func (s *Small) nan(sign uint8) uint8 {
	switch s.NaN {
	case nanAllOnes:
		return sign | 0x7f
	case nanIEEE:
		return sign | 0x7e
	case nanNegZero:
		return 0x80
	case nanFF:
		return 0xff
	default: // e2m1 has none: the cases of ONNX want -0 for it
		return 1 << (s.Bits - 1)
	}
}

// Round returns the code nearest to f, ties to the even code. Where f lies
// beyond the largest finite value, saturate gives that value and otherwise
// infinity, or NaN in a format that has none (ONNX Cast, attribute saturate).
// E8M0 is not signed: use RoundScale.
func (s *Small) Round(f float64, saturate bool) uint8 {
	sign := uint8(0)
	if math.Signbit(f) {
		sign = 1 << (s.Bits - 1)
	}
	if f != f {
		return s.nan(sign)
	}
	a := math.Abs(f)
	var code uint8
	if math.IsInf(a, 0) {
		code = s.overflow(sign, saturate)
		return code
	}
	_, e := math.Frexp(a) // a = m * 2^e, 0.5 <= m < 1
	e--                   // a = 1.x * 2^e
	if low := 1 - s.Bias; e < low || a == 0 {
		e = low
	}
	q := math.RoundToEven(math.Ldexp(a, s.ManBits-e)) // in units of the last place
	n := int(q) + (e+s.Bias-1)<<s.ManBits             // a subnormal has e = 1-Bias
	if n > int(s.max()) {
		return s.overflow(sign, saturate)
	}
	code = uint8(n)
	if code == 0 && s.NaN == nanNegZero {
		return 0
	}
	return sign | code
}

func (s *Small) overflow(sign uint8, saturate bool) uint8 {
	if saturate || s.NaN == nanNone {
		return sign | s.max()
	}
	if s.Inf {
		return sign | 0x7c
	}
	return s.nan(sign)
}
