package elementwise

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// parseStrings reads plain and scientific numbers and, in any case of letters,
// INF, +INF, -INF and NaN; for bool, true and false too.
func parseStrings(s *casting, w castWriter, lo, hi int) error {
	for i, text := range tensor.Elems[string](s.in)[lo:hi] {
		if err := parseString(s, w, lo+i, strings.TrimSpace(text)); err != nil {
			return err
		}
	}
	return nil
}

func parseString(s *casting, w castWriter, at int, text string) error {
	switch {
	case s.integer:
		if n, negative, ok := wholeNumber(text); ok {
			if negative {
				w.i(s, at, -int64(n))
			} else {
				w.u(s, at, n)
			}
			return nil
		}
	case s.out.DType == tensor.Bool && strings.EqualFold(text, "true"):
		w.i(s, at, 1)
		return nil
	case s.out.DType == tensor.Bool && strings.EqualFold(text, "false"):
		w.i(s, at, 0)
		return nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil && !math.IsInf(f, 0) { // too large a number is an infinity
		return errs.New(errs.Compute, "the string %q at position %d is not a number", text, at)
	}
	w.f(s, at, f)
	return nil
}

// wholeNumber reads a sign and decimal digits; it is not ok for other text and
// for what does not fit 64 bits. (strconv would make an error value.)
func wholeNumber(text string) (n uint64, negative, ok bool) {
	if text != "" && (text[0] == '-' || text[0] == '+') {
		negative, text = text[0] == '-', text[1:]
	}
	for i := range len(text) {
		d := uint64(text[i] - '0')
		if d > 9 || n > (math.MaxUint64-d)/10 {
			return 0, false, false
		}
		n = n*10 + d
	}
	return n, negative, text != "" && (!negative || n <= 1<<63)
}

// textBytes is the most that a number takes as text:
// -1.7976931348623157e+308 and -0.00012345678901234567.
const textBytes = 24

// textWriter writes numbers as NumPy does: the fewest digits that read back as
// the same number, plain from 1e-4 to 1e16 and else scientific.
var textWriter = castWriter{
	i: func(s *casting, at int, v int64) {
		b := s.room(at)
		if s.in.DType == tensor.Bool {
			s.put(at, append(b, truth[v]...))
			return
		}
		s.put(at, strconv.AppendInt(b, v, 10))
	},
	u: func(s *casting, at int, v uint64) { s.put(at, strconv.AppendUint(s.room(at), v, 10)) },
	f: func(s *casting, at int, v float64) { s.put(at, appendFloat(s.room(at), v, s.in.DType)) },
}

var truth = [2]string{"False", "True"}

func (s *casting) room(at int) []byte { return s.text[at*textBytes : at*textBytes : (at+1)*textBytes] }

func (s *casting) put(at int, b []byte) {
	tensor.Elems[tensor.Text](s.out)[at] = tensor.TextOf(b)
}

// appendFloat writes v, which is an element of dtype.
func appendFloat(b []byte, v float64, dtype tensor.DType) []byte {
	a := math.Abs(v)
	switch {
	case v != v:
		return append(b, "nan"...)
	case math.IsInf(v, 1):
		return append(b, "inf"...)
	case math.IsInf(v, -1):
		return append(b, "-inf"...)
	}
	size := 64
	if dtype == tensor.F32 {
		size = 32
	} else if round := rounders[dtype]; round != nil {
		v = fewDigits(v, round)
	}
	if a != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.AppendFloat(b, v, 'e', -1, size)
	}
	n := len(b)
	b = strconv.AppendFloat(b, v, 'f', -1, size)
	if slices.Contains(b[n:], '.') {
		return b
	}
	return append(b, ".0"...)
}

// rounders round to the types that strconv does not know.
var rounders = [tensor.NumDTypes]func(float64) float64{
	tensor.F16:      func(v float64) float64 { return float64(tensor.HalfOf64(v).Float32()) },
	tensor.BF16:     func(v float64) float64 { return float64(tensor.BFloat16Of64(v).Float32()) },
	tensor.F8E4M3FN: roundSmall(tensor.E4M3FN), tensor.F8E4M3UZ: roundSmall(tensor.E4M3UZ),
	tensor.F8E5M2: roundSmall(tensor.E5M2), tensor.F8E5M2UZ: roundSmall(tensor.E5M2UZ),
	tensor.F8E8M0: func(v float64) float64 {
		return float64(tensor.E8M0.Value(roundScale(v, true, scaleModes["nearest"])))
	},
}

func roundSmall(f *tensor.Small) func(float64) float64 {
	return func(v float64) float64 { return float64(f.Value(f.Round(v, true))) }
}

// fewDigits returns the number of the fewest decimal digits that rounds to v.
func fewDigits(v float64, round func(float64) float64) float64 {
	if v == 0 {
		return v
	}
	top := math.Floor(math.Log10(math.Abs(v)))
	for digits := range 9 {
		unit := math.Pow(10, math.Abs(top-float64(digits)))
		short := math.RoundToEven(v/unit) * unit
		if top < float64(digits) {
			short = math.RoundToEven(v*unit) / unit
		}
		if round(short) == v {
			return short
		}
	}
	return v
}
