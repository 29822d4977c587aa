package elementwise

import (
	"math"
	"slices"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/cast"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Clip keeps each element between two bounds; where the lower bound is above
// the upper one, the upper one wins. NaN stays.
// https://onnx.ai/onnx/operators/onnx__Clip.html   Departures: none.
var Clip = op.Declare("", "Clip", func() op.Def {
	return op.Def{
		Versions: op.Versions{11: "bounds are inputs", 12: "all numbers", 13: "bfloat16"},
		InPlace:  op.FirstOnly, Shape: op.SameAsInput, Chain: clamps, Halves: op.KeptHalves,
		Prepare: func(c *op.Context) error { c.State = &clipping{}; return nil },
		Run: func(c *op.Context) error {
			s := c.State.(*clipping)
			s.low, s.high = nil, nil
			for i, bound := range [2]**tensor.View{&s.low, &s.high} {
				if !c.Has(i + 1) {
					continue
				}
				*bound = c.In(i + 1)
				if n := (*bound).Elements(); n != 1 {
					return errs.New(errs.Shape, "input %d has %d elements: a bound is a scalar", i+1, n)
				}
			}
			return s.run(c)
		},
		DTypes: op.ByType(map[tensor.DType]clipKernel{
			tensor.F32: clip32, tensor.F64: clip[float64], tensor.I8: clip[int8], tensor.I16: clip[int16], tensor.I32: clip[int32],
			tensor.I64: clip[int64], tensor.U8: clip[uint8], tensor.U16: clip[uint16], tensor.U32: clip[uint32], tensor.U64: clip[uint64],
			tensor.F16: clipHalf[tensor.Half], tensor.BF16: clipHalf[tensor.BFloat16],
		}),
	}
})

// Clip6 is Clip before version 11: the bounds are attributes, floats only. What
// is not set is the greatest finite f32, for every type.
var Clip6 = op.Declare("", "Clip", func() op.Def {
	return clipByAttrs(op.Versions{6: "bounds have defaults"}, op.Float("min", -math.MaxFloat32), op.Float("max", math.MaxFloat32))
})

// Clip1 is Clip6 without defaults: a bound that is not set does not bound.
var Clip1 = op.Declare("", "Clip", func() op.Def {
	return clipByAttrs(op.Versions{1: ""}, op.Optional("min", op.KindFloat), op.Optional("max", op.KindFloat), consumed)
})

func clipByAttrs(versions op.Versions, attrs ...op.Attr) op.Def {
	return op.Def{
		Versions: versions, Attrs: attrs, InPlace: op.FirstOnly, Shape: op.SameAsInput, Chain: clampsByAttrs, Halves: op.RoundedHalves,
		Prepare: func(c *op.Context) error {
			s := &clipping{}
			bound, always := attrBound[c.In(0).DType], c.Version >= 6
			if always || c.Attr.Has("min") {
				s.low = bound(c.Attr.Float("min"))
			}
			if always || c.Attr.Has("max") {
				s.high = bound(c.Attr.Float("max"))
			}
			c.State = s
			return nil
		},
		Run: func(c *op.Context) error { return c.State.(*clipping).run(c) },
		DTypes: op.ByType(map[tensor.DType]clipKernel{
			tensor.F32: clip32, tensor.F64: clip[float64], tensor.F16: clipHalf[tensor.Half],
		}),
	}
}

// attrBound makes a scalar of a float attribute.
var attrBound = [tensor.NumDTypes]func(float32) *tensor.View{
	tensor.F32: func(f float32) *tensor.View { return scalar(tensor.F32, f) },
	tensor.F64: func(f float32) *tensor.View { return scalar(tensor.F64, float64(f)) },
	tensor.F16: func(f float32) *tensor.View { return scalar(tensor.F16, tensor.HalfOf(f)) },
}

func scalar[T any](d tensor.DType, x T) *tensor.View {
	v, err := tensor.ViewOf(d, nil, slices.Clone([]T{x}))
	if err != nil {
		return nil
	}
	return &v
}

// clipping is the State of a Clip.
type clipping struct {
	low, high, out, in *tensor.View
	kernel             clipKernel
}

type clipKernel func(s *clipping, lo, hi int)

func (s *clipping) run(c *op.Context) error {
	s.kernel, s.out, s.in = op.Row[clipKernel](c), c.Out(0), c.In(0)
	c.For(s.out.Elements(), grain, s)
	return nil
}

// Chunk implements op.Task over the elements.
func (s *clipping) Chunk(lo, hi int) { s.kernel(s, lo, hi) }

func clip[T vec.Counted](s *clipping, lo, hi int) {
	var low, high []T
	if s.low != nil {
		low = tensor.Elems[T](s.low)[:1]
	}
	if s.high != nil {
		high = tensor.Elems[T](s.high)[:1]
	}
	bound(tensor.Elems[T](s.out)[lo:hi], tensor.Elems[T](s.in)[lo:hi], low, high)
}

// The bounds that do not bound.
var least, greatest = float32(math.Inf(-1)), float32(math.Inf(1))

// clip32 takes both bounds in one pass; what is not set does not bound.
func clip32(s *clipping, lo, hi int) {
	low, high := least, greatest
	if s.low != nil {
		low = tensor.Elems[float32](s.low)[0]
	}
	if s.high != nil {
		high = tensor.Elems[float32](s.high)[0]
	}
	vec.Bend(vec.Clamp, tensor.Elems[float32](s.out)[lo:hi], tensor.Elems[float32](s.in)[lo:hi], low, high)
}

// clipHalf clips as float32s, which changes no half.
func clipHalf[H cast.Half](s *clipping, lo, hi int) {
	low, high := least, greatest
	if s.low != nil {
		low = tensor.Elems[H](s.low)[0].Float32()
	}
	if s.high != nil {
		high = tensor.Elems[H](s.high)[0].Float32()
	}
	cast.Through(bend, [2]float32{low, high}, tensor.Elems[H](s.out)[lo:hi], tensor.Elems[H](s.in)[lo:hi])
}

func bend(bounds [2]float32, dst, src []float32) { vec.Bend(vec.Clamp, dst, src, bounds[0], bounds[1]) }
