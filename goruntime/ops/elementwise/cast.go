package elementwise

import (
	"math"
	"strconv"
	"strings"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Cast converts the elements to another type.
// https://onnx.ai/onnx/operators/onnx__Cast.html
// Departures: conversions to strings and of types below a byte are not here.
// A float beyond an integer type's range gives what the processor gives.
var Cast = op.Declare(op.Def{
	Name: "Cast",
	Versions: op.Versions{
		6: "", 9: "strings", 13: "bfloat16", 19: "float8, saturate", 21: "", 23: "", 24: "float8e8m0, round_mode", 25: "",
	},
	Attrs: op.Attrs(op.Required("to", op.KindInt), op.Int("saturate", 1), op.String("round_mode", "up")),
	Shape: func(c *op.Infer) error {
		to := c.Attr.Int("to")
		if to < 0 || to >= tensor.NumDTypes || !tensor.DType(to).Valid() {
			return errs.New(errs.Argument, "to is %d, which is no element type", to)
		}
		c.SetOutput(0, tensor.DType(to), c.In(0))
		return nil
	},
	Prepare: func(c *op.Context) error {
		s := &casting{saturate: c.Attr.Bool("saturate")}
		from, to := c.In(0).DType, tensor.DType(c.Attr.Int("to"))
		if s.run = directCasts[from][to]; s.run == nil {
			read, write := readers[from], writers[to]
			if read == nil || write == (writer{}) {
				return errs.New(errs.Unsupported, "a cast from %v to %v is not supported", from, to)
			}
			s.run = func(s *casting, lo, hi int) error { return read(s, write, lo, hi) }
		}
		c.State = s
		return nil
	},
	Run: func(c *op.Context) error {
		s := c.State.(*casting)
		s.out, s.in, s.err = c.Out(0), c.In(0), nil
		c.For(s.out.Elements(), grain, s)
		return s.err
	},
})

// casting is the State of a Cast.
type casting struct {
	saturate bool
	run      func(s *casting, lo, hi int) error
	out, in  *tensor.View
	err      error
}

// Chunk implements op.Task over the elements. Only casts from strings fail, and
// they are not split: see strings.
func (s *casting) Chunk(lo, hi int) {
	if err := s.run(s, lo, hi); err != nil {
		s.err = err
	}
}

// directCasts has a loop of its own for the pairs that models use most.
var directCasts = func() (t [tensor.NumDTypes][tensor.NumDTypes]func(*casting, int, int) error) {
	t[tensor.F32][tensor.I64], t[tensor.I64][tensor.F32] = convert[float32, int64], convert[int64, float32]
	t[tensor.F32][tensor.I32], t[tensor.I32][tensor.F32] = convert[float32, int32], convert[int32, float32]
	t[tensor.F32][tensor.F64], t[tensor.F64][tensor.F32] = convert[float32, float64], convert[float64, float32]
	t[tensor.I64][tensor.I32], t[tensor.I32][tensor.I64] = convert[int64, int32], convert[int32, int64]
	t[tensor.U8][tensor.F32], t[tensor.I64][tensor.F64] = convert[uint8, float32], convert[int64, float64]
	return t
}()

func convert[S, D number](s *casting, lo, hi int) error {
	dst := tensor.Elems[D](s.out)[lo:hi]
	for i, v := range tensor.Elems[S](s.in)[lo:hi] {
		dst[i] = D(v)
	}
	return nil
}

// A value passes between any two types as the widest of its kind: int64, uint64
// or float64, none of which loses anything.

// writer stores a value of each kind as one element type.
type writer struct {
	i *func(s *casting, at int, v int64)
	u *func(s *casting, at int, v uint64)
	f *func(s *casting, at int, v float64)
}

func writerOf[T any](i func(int64) T, u func(uint64) T, f func(v float64, saturate bool) T) writer {
	wi := func(s *casting, at int, v int64) { tensor.Elems[T](s.out)[at] = i(v) }
	wu := func(s *casting, at int, v uint64) { tensor.Elems[T](s.out)[at] = u(v) }
	wf := func(s *casting, at int, v float64) { tensor.Elems[T](s.out)[at] = f(v, s.saturate) }
	return writer{&wi, &wu, &wf}
}

func numberWriter[T number]() writer {
	return writerOf(func(v int64) T { return T(v) }, func(v uint64) T { return T(v) }, func(v float64, _ bool) T { return T(v) })
}

// narrowWriter is for integers of 8 and 16 bits: a float is cut to an int64
// first and then wraps, as C and NumPy do.
func narrowWriter[T integer]() writer {
	return writerOf(func(v int64) T { return T(v) }, func(v uint64) T { return T(v) }, func(v float64, _ bool) T { return T(int64(v)) })
}

func floatWriter[T any](round func(v float64, saturate bool) T) writer {
	return writerOf(func(v int64) T { return round(float64(v), true) }, func(v uint64) T { return round(float64(v), true) }, round)
}

func smallWriter(f *tensor.Small) writer {
	return floatWriter(func(v float64, saturate bool) uint8 { return f.Round(v, saturate) })
}

var writers = [tensor.NumDTypes]writer{
	tensor.F32: numberWriter[float32](), tensor.F64: numberWriter[float64](),
	tensor.I8: narrowWriter[int8](), tensor.I16: narrowWriter[int16](), tensor.I32: narrowWriter[int32](), tensor.I64: numberWriter[int64](),
	tensor.U8: narrowWriter[uint8](), tensor.U16: narrowWriter[uint16](), tensor.U32: narrowWriter[uint32](), tensor.U64: numberWriter[uint64](),
	tensor.Bool:     writerOf(func(v int64) bool { return v != 0 }, func(v uint64) bool { return v != 0 }, func(v float64, _ bool) bool { return v != 0 }),
	tensor.F16:      floatWriter(func(v float64, _ bool) tensor.Half { return tensor.HalfOf64(v) }),
	tensor.BF16:     floatWriter(func(v float64, _ bool) tensor.BFloat16 { return tensor.BFloat16Of64(v) }),
	tensor.F8E4M3FN: smallWriter(tensor.E4M3FN), tensor.F8E4M3UZ: smallWriter(tensor.E4M3UZ),
	tensor.F8E5M2: smallWriter(tensor.E5M2), tensor.F8E5M2UZ: smallWriter(tensor.E5M2UZ),
}

// reader passes the elements [lo, hi) to a writer.
type reader func(s *casting, w writer, lo, hi int) error

func signedReader[T int8 | int16 | int32 | int64](s *casting, w writer, lo, hi int) error {
	for i, v := range tensor.Elems[T](s.in)[lo:hi] {
		(*w.i)(s, lo+i, int64(v))
	}
	return nil
}

func unsignedReader[T uint8 | uint16 | uint32 | uint64](s *casting, w writer, lo, hi int) error {
	for i, v := range tensor.Elems[T](s.in)[lo:hi] {
		(*w.u)(s, lo+i, uint64(v))
	}
	return nil
}

func floatReader[T any](value func(T) float64) reader {
	return func(s *casting, w writer, lo, hi int) error {
		for i, v := range tensor.Elems[T](s.in)[lo:hi] {
			(*w.f)(s, lo+i, value(v))
		}
		return nil
	}
}

func smallReader(f *tensor.Small) reader {
	return floatReader(func(c uint8) float64 { return float64(f.Value(c)) })
}

var readers = [tensor.NumDTypes]reader{
	tensor.I8: signedReader[int8], tensor.I16: signedReader[int16], tensor.I32: signedReader[int32], tensor.I64: signedReader[int64],
	tensor.U8: unsignedReader[uint8], tensor.U16: unsignedReader[uint16], tensor.U32: unsignedReader[uint32], tensor.U64: unsignedReader[uint64],
	tensor.F32: floatReader(plain[float32]), tensor.F64: floatReader(plain[float64]),
	tensor.F16: floatReader(wide[tensor.Half]), tensor.BF16: floatReader(wide[tensor.BFloat16]),
	tensor.F8E4M3FN: smallReader(tensor.E4M3FN), tensor.F8E4M3UZ: smallReader(tensor.E4M3UZ),
	tensor.F8E5M2: smallReader(tensor.E5M2), tensor.F8E5M2UZ: smallReader(tensor.E5M2UZ), tensor.F8E8M0: smallReader(tensor.E8M0),
	tensor.Bool: func(s *casting, w writer, lo, hi int) error {
		for i, v := range tensor.Elems[bool](s.in)[lo:hi] {
			n := int64(0)
			if v {
				n = 1
			}
			(*w.i)(s, lo+i, n)
		}
		return nil
	},
	tensor.Str: parseStrings,
}

// parseStrings reads plain and scientific numbers, INF, -INF and NaN.
func parseStrings(s *casting, w writer, lo, hi int) error {
	for i, text := range tensor.Elems[string](s.in)[lo:hi] {
		text = strings.TrimSpace(text)
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && s.out.DType.Integer() {
			(*w.i)(s, lo+i, n)
			continue
		}
		if n, err := strconv.ParseUint(text, 10, 64); err == nil && s.out.DType.Unsigned() {
			(*w.u)(s, lo+i, n)
			continue
		}
		f, err := strconv.ParseFloat(text, 64)
		if err != nil && !math.IsInf(f, 0) {
			return errs.New(errs.Compute, "the string %q at position %d is not a number", text, lo+i)
		}
		(*w.f)(s, lo+i, f)
	}
	return nil
}
