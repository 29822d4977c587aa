package index

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// scatterKernel puts the elements [0, count) of updates into out, in order: of
// two updates of one place the later one wins, or both are reduced in turn.
type scatterKernel func(p *places, out, updates *tensor.View)

func put[T any](p *places, out, updates *tensor.View) {
	dst, src := tensor.Elems[T](out), tensor.Elems[T](updates)
	for i, at := range p.offsets {
		copy(dst[at:at+p.inner], src[i*p.inner:])
	}
}

var putRows = op.ByWidth[scatterKernel](put[uint8], put[uint16], put[uint32], put[uint64], put[op.Bytes16], put[op.Bytes16])

func reduce[T any](f func(a, b T) T) scatterKernel {
	return func(p *places, out, updates *tensor.View) {
		dst, src := tensor.Elems[T](out), tensor.Elems[T](updates)
		for i, at := range p.offsets {
			place := dst[at : at+p.inner]
			for j, x := range src[i*p.inner : (i+1)*p.inner] {
				place[j] = f(place[j], x)
			}
		}
	}
}

// addRows is reduce of sums.
func addRows[T real | complex64 | complex128](p *places, out, updates *tensor.View) {
	dst, src := tensor.Elems[T](out), tensor.Elems[T](updates)
	for i, at := range p.offsets {
		place := dst[at : at+p.inner]
		for j, x := range src[i*p.inner : (i+1)*p.inner] {
			place[j] += x
		}
	}
}

// fewest is how long rows are that are worth a vector loop.
const fewest = 8

// counted is a reduction by vectors.
func counted[T vec.Counted](o vec.Arithmetic, short scatterKernel) scatterKernel {
	return byRows(func(place, row []T) { vec.Numbers(o, place, place, row) }, short)
}

// single is counted for float32.
func single(o vec.Operation, short scatterKernel) scatterKernel {
	return byRows(func(place, row []float32) { vec.Combine(o, place, place, row) }, short)
}

// byRows reduces whole rows where they are long.
func byRows[T any](long func(place, row []T), short scatterKernel) scatterKernel {
	return func(p *places, out, updates *tensor.View) {
		if p.inner < fewest {
			short(p, out, updates)
			return
		}
		dst, src := tensor.Elems[T](out), tensor.Elems[T](updates)
		for i, at := range p.offsets {
			long(dst[at:at+p.inner], src[i*p.inner:(i+1)*p.inner])
		}
	}
}

type real interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64
}

func sum(a, b float32) float32                      { return a + b }
func mul[T real | complex64 | complex128](a, b T) T { return a * b }
func most[T real](a, b T) T                         { return max(a, b) } // a NaN wins, as in NumPy
func least[T real](a, b T) T                        { return min(a, b) }
func or(a, b bool) bool                             { return a || b }
func and(a, b bool) bool                            { return a && b }

// reductions has the kernels of each value of the attribute reduction but none.
var reductions = map[string]op.Table{
	"add": reals(vec.AnyPlus, vec.Plus, addRows[int8], addRows[int16], addRows[int32], addRows[int64],
		addRows[uint8], addRows[uint16], addRows[uint32], addRows[uint64],
		addRows[float32], addRows[float64], sum, or).And(complexes(addRows[complex64], addRows[complex128])),
	"mul": reals(vec.AnyTimes, vec.Times, reduce(mul[int8]), reduce(mul[int16]), reduce(mul[int32]), reduce(mul[int64]),
		reduce(mul[uint8]), reduce(mul[uint16]), reduce(mul[uint32]), reduce(mul[uint64]),
		reduce(mul[float32]), reduce(mul[float64]), mul[float32], and).And(complexes(reduce(mul[complex64]), reduce(mul[complex128]))),
	"max": reals(vec.AnyLarger, vec.Larger, reduce(most[int8]), reduce(most[int16]), reduce(most[int32]), reduce(most[int64]),
		reduce(most[uint8]), reduce(most[uint16]), reduce(most[uint32]), reduce(most[uint64]),
		reduce(most[float32]), reduce(most[float64]), most[float32], or),
	"min": reals(vec.AnySmaller, vec.Smaller, reduce(least[int8]), reduce(least[int16]), reduce(least[int32]), reduce(least[int64]),
		reduce(least[uint8]), reduce(least[uint16]), reduce(least[uint32]), reduce(least[uint64]),
		reduce(least[float32]), reduce(least[float64]), least[float32], and),
}

// reals has the kernels of short rows.
func reals(o vec.Arithmetic, o32 vec.Operation, i8, i16, i32, i64, u8, u16, u32, u64, f32, f64 scatterKernel, wide func(a, b float32) float32, truth func(a, b bool) bool) op.Table {
	return op.ByType(map[tensor.DType]scatterKernel{
		tensor.I8: counted[int8](o, i8), tensor.I16: counted[int16](o, i16), tensor.I32: counted[int32](o, i32), tensor.I64: counted[int64](o, i64),
		tensor.U8: counted[uint8](o, u8), tensor.U16: counted[uint16](o, u16), tensor.U32: counted[uint32](o, u32), tensor.U64: counted[uint64](o, u64),
		tensor.F32: single(o32, f32), tensor.F64: counted[float64](o, f64),
		tensor.F16:  reduce(func(a, b tensor.Half) tensor.Half { return tensor.HalfOf(wide(a.Float32(), b.Float32())) }),
		tensor.BF16: reduce(func(a, b tensor.BFloat16) tensor.BFloat16 { return tensor.BFloat16Of(wide(a.Float32(), b.Float32())) }),
		tensor.Bool: reduce(truth),
	})
}

func complexes(c64, c128 scatterKernel) op.Table {
	return op.ByType(map[tensor.DType]scatterKernel{tensor.C64: c64, tensor.C128: c128})
}

// copied is how many bytes of data are copied at a time: Go writes a copy of a megabyte
// past the caches, from which the places are read next.
const copied = 256 << 10

// scatter is the State of the scatters.
type scatter struct {
	*places
	kernel scatterKernel // nil puts
}

// newScatter finds the kernel of a reduction, of which max and min exist from
// version 18 on.
func newScatter(p *places, reduction string, dtype tensor.DType, version int) (*scatter, error) {
	if reduction == "none" {
		return &scatter{places: p}, nil
	}
	table, ok := reductions[reduction]
	if !ok || version < 18 && reduction != "add" && reduction != "mul" {
		return nil, errs.New(errs.Argument, "reduction %q is not one of version %d", reduction, version)
	}
	k, ok := table.Row(dtype).(scatterKernel)
	if !ok {
		return nil, errs.New(errs.Unsupported, "reduction %s is not defined for %v", reduction, dtype)
	}
	return &scatter{places: p, kernel: k}, nil
}

// scatterRun is Run of the operators whose State is a scatter.
func scatterRun(c *op.Context) error {
	s := c.State.(*scatter)
	out, data := c.Out(0).Raw(), c.In(0).Raw()
	for at := 0; at < len(out); at += copied {
		copy(out[at:min(at+copied, len(out))], data[at:])
	}
	if len(out) == 0 || c.In(2).Elements() == 0 {
		return nil
	}
	if err := s.locate(c, c.In(1)); err != nil {
		return err
	}
	k := s.kernel
	if k == nil {
		k = op.Row[scatterKernel](c)
	}
	k(s.places, c.Out(0), c.In(2))
	return nil
}

// sameTypes checks that data and updates have one element type.
func sameTypes(c *op.Infer) error {
	if c.DType(2) != c.DType(0) {
		return errs.New(errs.Type, "updates is %v, data is %v: they must be alike", c.DType(2), c.DType(0))
	}
	return nil
}
