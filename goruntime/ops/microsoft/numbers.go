package microsoft

import (
	"github.com/goruntime/goruntime/goruntime/kernels/cast"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// load widens the elements of v from at on to dst; store rounds src to v.
type (
	loader func(dst []float32, v *tensor.View, at int)
	storer func(v *tensor.View, at int, src []float32)
)

func loadOf[T any](widen func(T) float32) loader {
	return func(dst []float32, v *tensor.View, at int) {
		for i, x := range tensor.Elems[T](v)[at : at+len(dst)] {
			dst[i] = widen(x)
		}
	}
}

func storeOf[T any](narrow func(float32) T) storer {
	return func(v *tensor.View, at int, src []float32) {
		dst := tensor.Elems[T](v)[at : at+len(src)]
		for i, x := range src {
			dst[i] = narrow(x)
		}
	}
}

func loadHalf[H cast.Half](dst []float32, v *tensor.View, at int) {
	cast.Widen(dst, tensor.Elems[H](v)[at:at+len(dst)])
}

func storeHalf[H cast.Half](v *tensor.View, at int, src []float32) {
	cast.Narrow(tensor.Elems[H](v)[at:at+len(src)], src)
}

var loaders = [tensor.NumDTypes]loader{
	tensor.F32: func(dst []float32, v *tensor.View, at int) { copy(dst, tensor.Elems[float32](v)[at:]) },
	tensor.F64: loadOf(func(x float64) float32 { return float32(x) }),
	tensor.F16: loadHalf[tensor.Half], tensor.BF16: loadHalf[tensor.BFloat16],
	tensor.U8: loadOf(func(x uint8) float32 { return float32(x) }), tensor.I8: loadOf(func(x int8) float32 { return float32(x) }),
}

var storers = [tensor.NumDTypes]storer{
	tensor.F32: func(v *tensor.View, at int, src []float32) { copy(tensor.Elems[float32](v)[at:], src) },
	tensor.F64: storeOf(func(x float32) float64 { return float64(x) }),
	tensor.F16: storeHalf[tensor.Half], tensor.BF16: storeHalf[tensor.BFloat16],
}

// reserve adds room for the elements of input i as float32.
func reserve(c *op.Context, r *op.Room, i int) op.Part {
	if !c.Has(i) {
		return r.Add(0)
	}
	return r.Add(4 * c.In(i).Elements())
}

// widened returns the elements of input i as float32, nil where it is omitted.
func widened(c *op.Context, p op.Part, i int) []float32 {
	if !c.Has(i) {
		return nil
	}
	if c.In(i).DType == tensor.F32 {
		return tensor.Elems[float32](c.In(i))
	}
	dst := p.Floats(c)
	loaders[c.In(i).DType](dst, c.In(i), 0)
	return dst
}

// rowOf returns row r of n numbers as float32: where it lies, or widened to room.
func rowOf(v *tensor.View, r, n int, room []float32) []float32 {
	if v.DType == tensor.F32 {
		return tensor.Elems[float32](v)[r*n : (r+1)*n]
	}
	loaders[v.DType](room, v, r*n)
	return room
}

// floatTypes are the types that most operators take.
var floatTypes = []tensor.DType{tensor.F32, tensor.F16, tensor.BF16}
