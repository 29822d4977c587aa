package elementwise

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/tensor"
)

// A value passes between types that have no direct loop as the widest of its
// kind: int64, uint64 or float64, none of which loses anything. Types below a
// byte are seen as one code a byte (op.Unpacked).

// castWriter stores a value of each kind as one element type.
type castWriter struct {
	i func(s *casting, at int, v int64)
	u func(s *casting, at int, v uint64)
	f func(s *casting, at int, v float64)
}

// writeInteger is for whole numbers: mask keeps the bits of a narrow one.
func writeInteger[T integer](mask T) castWriter {
	return castWriter{
		i: func(s *casting, at int, v int64) { tensor.Elems[T](s.out)[at] = T(v) & mask },
		u: func(s *casting, at int, v uint64) { tensor.Elems[T](s.out)[at] = T(v) & mask },
		f: func(s *casting, at int, v float64) { tensor.Elems[T](s.out)[at] = T(int64(v)) & mask },
	}
}

func writeFloat[T any](round func(s *casting, v float64) T) castWriter {
	return castWriter{
		i: func(s *casting, at int, v int64) { tensor.Elems[T](s.out)[at] = round(s, floatOf(v)) },
		u: func(s *casting, at int, v uint64) { tensor.Elems[T](s.out)[at] = round(s, floatOf(v)) },
		f: func(s *casting, at int, v float64) { tensor.Elems[T](s.out)[at] = round(s, v) },
	}
}

// floatOf returns v with its lower bits, where float64 has no room for them,
// gathered in the last one: rounding that to a narrower type rounds v once.
func floatOf[T int64 | uint64](v T) float64 {
	const low = 1<<11 - 1
	if f := float64(v); math.Abs(f) < 1<<53 {
		return f
	}
	high := v >> 11
	if v&low != 0 {
		high |= 1
	}
	return float64(high) * (low + 1)
}

func writeSmall(f *tensor.Small) castWriter {
	return writeFloat(func(s *casting, v float64) uint8 { return f.Round(v, s.saturate) })
}

var writers = [tensor.NumDTypes]castWriter{
	tensor.F32: {
		i: func(s *casting, at int, v int64) { tensor.Elems[float32](s.out)[at] = float32(v) },
		u: func(s *casting, at int, v uint64) { tensor.Elems[float32](s.out)[at] = float32(v) },
		f: func(s *casting, at int, v float64) { tensor.Elems[float32](s.out)[at] = float32(v) },
	},
	tensor.F64: {
		i: func(s *casting, at int, v int64) { tensor.Elems[float64](s.out)[at] = float64(v) },
		u: func(s *casting, at int, v uint64) { tensor.Elems[float64](s.out)[at] = float64(v) },
		f: func(s *casting, at int, v float64) { tensor.Elems[float64](s.out)[at] = v },
	},
	tensor.I8: writeInteger[int8](-1), tensor.I16: writeInteger[int16](-1), tensor.I64: writeInteger[int64](-1),
	tensor.U8: writeInteger[uint8](math.MaxUint8), tensor.U16: writeInteger[uint16](math.MaxUint16), tensor.U32: writeInteger[uint32](math.MaxUint32),
	tensor.I4: writeInteger[uint8](15), tensor.U4: writeInteger[uint8](15), tensor.I2: writeInteger[uint8](3), tensor.U2: writeInteger[uint8](3),
	tensor.I32: {
		i: func(s *casting, at int, v int64) { tensor.Elems[int32](s.out)[at] = int32(v) },
		u: func(s *casting, at int, v uint64) { tensor.Elems[int32](s.out)[at] = int32(v) },
		f: func(s *casting, at int, v float64) { tensor.Elems[int32](s.out)[at] = int32(v) },
	},
	tensor.U64: {
		i: func(s *casting, at int, v int64) { tensor.Elems[uint64](s.out)[at] = uint64(v) },
		u: func(s *casting, at int, v uint64) { tensor.Elems[uint64](s.out)[at] = v },
		f: func(s *casting, at int, v float64) { tensor.Elems[uint64](s.out)[at] = toU64(v) },
	},
	tensor.Bool: {
		i: func(s *casting, at int, v int64) { tensor.Elems[bool](s.out)[at] = v != 0 },
		u: func(s *casting, at int, v uint64) { tensor.Elems[bool](s.out)[at] = v != 0 },
		f: func(s *casting, at int, v float64) { tensor.Elems[bool](s.out)[at] = v != 0 },
	},
	tensor.F16:      writeFloat(func(_ *casting, v float64) tensor.Half { return tensor.HalfOf64(v) }),
	tensor.BF16:     writeFloat(func(_ *casting, v float64) tensor.BFloat16 { return tensor.BFloat16Of64(v) }),
	tensor.F8E4M3FN: writeSmall(tensor.E4M3FN), tensor.F8E4M3UZ: writeSmall(tensor.E4M3UZ),
	tensor.F8E5M2: writeSmall(tensor.E5M2), tensor.F8E5M2UZ: writeSmall(tensor.E5M2UZ),
	tensor.F4E2M1: writeSmall(tensor.E2M1), tensor.F6E2M3: writeSmall(tensor.E2M3), tensor.F6E3M2: writeSmall(tensor.E3M2),
	tensor.F8E8M0: writeFloat(func(s *casting, v float64) uint8 { return roundScale(v, s.saturate, s.mode) }),
	tensor.Str:    textWriter,
}

// scaleMode says when a number between two powers of two becomes the greater.
type scaleMode float64 // from this mantissa in [1, 2) on

var scaleModes = map[string]scaleMode{"up": 1, "down": 2, "nearest": 1.5}

// roundScale returns the f8e8m0 code of the magnitude of v by the table in the
// description of Cast.
func roundScale(v float64, saturate bool, mode scaleMode) uint8 {
	const nan, most = 0xff, 0xfe
	if v != v {
		return nan
	}
	code := most + 1
	if v == 0 {
		code = -1
	} else if !math.IsInf(v, 0) {
		m, e := math.Frexp(math.Abs(v)) // 0.5 <= m < 1
		code = e - 1 + tensor.E8M0.Bias
		if m *= 2; m > 1 && m >= float64(mode) {
			code++
		}
	}
	switch {
	case code >= 0 && code <= most:
		return uint8(code)
	case !saturate:
		return nan
	}
	return uint8(min(max(code, 0), most))
}

// castReader passes the elements [lo, hi) to a writer.
type castReader func(s *casting, w castWriter, lo, hi int) error

func readSigned[T int8 | int16 | int32 | int64](s *casting, w castWriter, lo, hi int) error {
	for i, v := range tensor.Elems[T](s.in)[lo:hi] {
		w.i(s, lo+i, int64(v))
	}
	return nil
}

func readUnsigned[T uint8 | uint16 | uint32 | uint64](s *casting, w castWriter, lo, hi int) error {
	for i, v := range tensor.Elems[T](s.in)[lo:hi] {
		w.u(s, lo+i, uint64(v))
	}
	return nil
}

// readNarrow reads signed codes of so many bits, one a byte.
func readNarrow(bits int) castReader {
	return func(s *casting, w castWriter, lo, hi int) error {
		for i, v := range tensor.Elems[uint8](s.in)[lo:hi] {
			w.i(s, lo+i, int64(int8(v<<(8-bits))>>(8-bits)))
		}
		return nil
	}
}

func readFloat[T any](value func(T) float64) castReader {
	return func(s *casting, w castWriter, lo, hi int) error {
		for i, v := range tensor.Elems[T](s.in)[lo:hi] {
			w.f(s, lo+i, value(v))
		}
		return nil
	}
}

// readSmall looks the values of the codes up.
func readSmall(f *tensor.Small) castReader {
	return func(s *casting, w castWriter, lo, hi int) error {
		values := f.Table()
		for i, code := range tensor.Elems[uint8](s.in)[lo:hi] {
			w.f(s, lo+i, float64(values[code]))
		}
		return nil
	}
}

func readBool(s *casting, w castWriter, lo, hi int) error {
	for i, v := range tensor.Elems[bool](s.in)[lo:hi] {
		n := int64(0)
		if v {
			n = 1
		}
		w.i(s, lo+i, n)
	}
	return nil
}

var readers = [tensor.NumDTypes]castReader{
	tensor.I8: readSigned[int8], tensor.I16: readSigned[int16], tensor.I32: readSigned[int32], tensor.I64: readSigned[int64],
	tensor.U8: readUnsigned[uint8], tensor.U16: readUnsigned[uint16], tensor.U32: readUnsigned[uint32], tensor.U64: readUnsigned[uint64],
	tensor.U4: readUnsigned[uint8], tensor.U2: readUnsigned[uint8], tensor.I4: readNarrow(4), tensor.I2: readNarrow(2),
	tensor.F32:      readFloat(func(v float32) float64 { return float64(v) }),
	tensor.F64:      readFloat(func(v float64) float64 { return v }),
	tensor.F16:      readFloat(func(v tensor.Half) float64 { return float64(v.Float32()) }),
	tensor.BF16:     readFloat(func(v tensor.BFloat16) float64 { return float64(v.Float32()) }),
	tensor.F8E4M3FN: readSmall(tensor.E4M3FN), tensor.F8E4M3UZ: readSmall(tensor.E4M3UZ),
	tensor.F8E5M2: readSmall(tensor.E5M2), tensor.F8E5M2UZ: readSmall(tensor.E5M2UZ),
	tensor.F8E8M0: readSmall(tensor.E8M0), tensor.F4E2M1: readSmall(tensor.E2M1), tensor.F6E2M3: readSmall(tensor.E2M3), tensor.F6E3M2: readSmall(tensor.E3M2),
	tensor.Bool: readBool, tensor.Str: parseStrings,
}
