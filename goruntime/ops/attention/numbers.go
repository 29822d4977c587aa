package attention

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/kernels/cast"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// widener writes the elements of v to dst.
type widener[T real] func(dst []T, v *tensor.View)

func widenNumber[S int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64, T real](dst []T, v *tensor.View) {
	for i, x := range tensor.Elems[S](v) {
		dst[i] = T(x)
	}
}

func widenHalf[S cast.Half, T real](dst []T, v *tensor.View) {
	if to, ok := any(dst).([]float32); ok {
		cast.Widen(to, tensor.Elems[S](v))
		return
	}
	for i, x := range tensor.Elems[S](v) {
		dst[i] = T(x.Float32())
	}
}

// widenBool gives 0 for what takes part and -Inf for what does not.
func widenBool[T real](dst []T, v *tensor.View) {
	for i, x := range tensor.Elems[bool](v) {
		dst[i] = 0
		if !x {
			dst[i] = T(math.Inf(-1))
		}
	}
}

// wideners is the table of the types that operands and masks have.
func wideners[T real]() [tensor.NumDTypes]widener[T] {
	return [tensor.NumDTypes]widener[T]{
		tensor.F32: widenNumber[float32, T], tensor.F64: widenNumber[float64, T],
		tensor.F16: widenHalf[tensor.Half, T], tensor.BF16: widenHalf[tensor.BFloat16, T], tensor.Bool: widenBool[T],
		tensor.I8: widenNumber[int8, T], tensor.I16: widenNumber[int16, T], tensor.I32: widenNumber[int32, T], tensor.I64: widenNumber[int64, T],
		tensor.U8: widenNumber[uint8, T], tensor.U16: widenNumber[uint16, T], tensor.U32: widenNumber[uint32, T], tensor.U64: widenNumber[uint64, T],
	}
}

// narrower rounds numbers to the elements of v from at on.
type narrower[T real] func(v *tensor.View, at int, src []T)

func narrowTo[D any, T real](round func(float64) D) narrower[T] {
	return func(v *tensor.View, at int, src []T) {
		dst := tensor.Elems[D](v)[at : at+len(src)]
		for i, x := range src {
			dst[i] = round(float64(x))
		}
	}
}

func narrowHalf[H cast.Half](v *tensor.View, at int, src []float32) {
	cast.Narrow(tensor.Elems[H](v)[at:at+len(src)], src)
}

func narrowers[T real]() [tensor.NumDTypes]narrower[T] {
	return [tensor.NumDTypes]narrower[T]{
		tensor.F32: narrowTo[float32, T](func(x float64) float32 { return float32(x) }),
		tensor.F64: narrowTo[float64, T](func(x float64) float64 { return x }),
		tensor.F16: narrowTo[tensor.Half, T](tensor.HalfOf64), tensor.BF16: narrowTo[tensor.BFloat16, T](tensor.BFloat16Of64),
	}
}

// format is what a computation in T reads and writes.
type format[T real] struct {
	native tensor.DType // T's own
	bytes  int
	widen  [tensor.NumDTypes]widener[T]
	narrow [tensor.NumDTypes]narrower[T]
}

var (
	single = func() *format[float32] {
		f := &format[float32]{tensor.F32, 4, wideners[float32](), narrowers[float32]()}
		f.narrow[tensor.F16], f.narrow[tensor.BF16] = narrowHalf[tensor.Half], narrowHalf[tensor.BFloat16]
		f.narrow[tensor.F32] = func(v *tensor.View, at int, src []float32) { copy(tensor.Elems[float32](v)[at:], src) }
		return f
	}()
	double = &format[float64]{tensor.F64, 8, wideners[float64](), narrowers[float64]()}
)

// space reserves room for v in T, none where v is of T itself.
func (f *format[T]) space(r *op.Room, v *tensor.View) op.Part {
	if v.DType == f.native {
		return r.Add(0)
	}
	return r.Add(f.bytes * v.Elements())
}

// load returns the elements of v in T.
func (f *format[T]) load(c *op.Context, v *tensor.View, p op.Part) []T {
	if v.DType == f.native {
		return tensor.Elems[T](v)
	}
	dst := op.PartOf[T](c, p)
	f.widen[v.DType](dst, v)
	return dst
}

// target returns where a result for v is computed: in v itself or in the part.
func (f *format[T]) target(c *op.Context, v *tensor.View, p op.Part) []T {
	if v.DType == f.native {
		return tensor.Elems[T](v)
	}
	return op.PartOf[T](c, p)
}

// store rounds a result to v where it was not computed there.
func (f *format[T]) store(v *tensor.View, src []T) {
	if v.DType != f.native {
		f.narrow[v.DType](v, 0, src)
	}
}
