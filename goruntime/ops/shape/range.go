package shape

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Range gives start, start+delta, start+2*delta, ... up to limit, exclusive.
// https://onnx.ai/onnx/operators/onnx__Range.html   Departures: none.
var Range = op.Declare("", "Range", func() op.Def {
	return op.Def{
		Versions: op.Versions{27: "16-bit floats, stash_type"},
		Attrs:    op.Attrs(op.Int("stash_type", int(tensor.F32))),
		Shape:    rangeShape,
		Run: func(c *op.Context) error {
			run := op.Row[rangeKernel](c)
			if c.Attr.Int("stash_type") != int(tensor.F32) {
				if own := rangeUnstashed[c.Out(0).DType]; own != nil {
					run = own
				}
			}
			return run(c)
		},
		DTypes: rangeRows.And(op.ByType(map[tensor.DType]rangeKernel{
			tensor.F16:  stashedRange(tensor.HalfOf),
			tensor.BF16: stashedRange(tensor.BFloat16Of),
		})),
	}
})

// Range11 is Range without the 16-bit types.
var Range11 = op.Declare("", "Range", func() op.Def {
	return op.Def{
		Versions: op.Versions{11: ""},
		Shape:    rangeShape,
		Run:      func(c *op.Context) error { return op.Row[rangeKernel](c)(c) },
		DTypes:   rangeRows,
	}
})

type rangeKernel func(c *op.Context) error

var rangeRows = op.ByType(map[tensor.DType]rangeKernel{
	tensor.F32: runRange[float32], tensor.F64: runRange[float64],
	tensor.I16: runRange[int16], tensor.I32: runRange[int32], tensor.I64: runRange[int64],
})

// rangeUnstashed computes in the type itself, rounding after each operation.
var rangeUnstashed = map[tensor.DType]rangeKernel{
	tensor.F16:  unstashedRange(tensor.HalfOf),
	tensor.BF16: unstashedRange(tensor.BFloat16Of),
}

// rangeCounts give the number of elements.
var rangeCounts = [tensor.NumDTypes]func(start, limit, delta *tensor.View) (int, error){
	tensor.F32: countFloats(func(v *tensor.View) float32 { return tensor.Elems[float32](v)[0] }),
	tensor.F64: countFloats(func(v *tensor.View) float64 { return tensor.Elems[float64](v)[0] }),
	tensor.F16: countFloats(first[tensor.Half]), tensor.BF16: countFloats(first[tensor.BFloat16]),
	tensor.I16: countIntegers[int16], tensor.I32: countIntegers[int32], tensor.I64: countIntegers[int64],
}

func first[H interface{ Float32() float32 }](v *tensor.View) float32 {
	return tensor.Elems[H](v)[0].Float32()
}

func rangeShape(c *op.Infer) error {
	var in [3]*tensor.View
	for i := range in {
		v, err := c.View(i)
		if err != nil {
			return err
		}
		if v.DType != c.DType(0) {
			return errs.New(errs.Type, "input %d is %v, input 0 is %v: all must be alike", i, v.DType, c.DType(0))
		}
		if v.Elements() != 1 {
			return errs.New(errs.Shape, "input %d has %d elements, a scalar is expected", i, v.Elements())
		}
		in[i] = v
	}
	count := rangeCounts[c.DType(0)]
	if count == nil {
		return errs.New(errs.Type, "a range of %v is not defined", c.DType(0))
	}
	n, err := count(in[0], in[1], in[2])
	if err != nil {
		return err
	}
	out := c.Grow(0, c.DType(0), 1)
	out[0] = n
	_, err = out.Check(c.DType(0))
	return err
}

func countFloats[T float32 | float64](value func(*tensor.View) T) func(start, limit, delta *tensor.View) (int, error) {
	return func(start, limit, delta *tensor.View) (int, error) {
		from, to, by := value(start), value(limit), value(delta)
		if by == 0 {
			return 0, errs.New(errs.Compute, "delta is 0")
		}
		n := math.Ceil(float64((to - from) / by))
		if n != n || n > 1<<48 {
			return 0, errs.New(errs.Compute, "the range from %v to %v by %v has no end", from, to, by)
		}
		return max(0, int(n)), nil
	}
}

func countIntegers[T int16 | int32 | int64](start, limit, delta *tensor.View) (int, error) {
	from, to, by := int64(tensor.Elems[T](start)[0]), int64(tensor.Elems[T](limit)[0]), int64(tensor.Elems[T](delta)[0])
	way, step := uint64(to)-uint64(from), uint64(by) // their differences as bits, which do not overflow
	switch {
	case by == 0:
		return 0, errs.New(errs.Compute, "delta is 0")
	case by > 0 && to <= from, by < 0 && to >= from:
		return 0, nil
	case by < 0:
		way, step = -way, -step
	}
	return int(min((way-1)/step+1, math.MaxInt64)), nil
}

func runRange[T int16 | int32 | int64 | float32 | float64](c *op.Context) error {
	start, delta := tensor.Elems[T](c.In(0))[0], tensor.Elems[T](c.In(2))[0]
	out := tensor.Elems[T](c.Out(0))
	for i := range out {
		out[i] = start + T(T(i)*delta) // the conversion forbids a fused product and sum
	}
	return nil
}

func stashedRange[H interface{ Float32() float32 }](narrow func(float32) H) rangeKernel {
	return func(c *op.Context) error {
		start, delta := first[H](c.In(0)), first[H](c.In(2))
		out := tensor.Elems[H](c.Out(0))
		for i := range out {
			out[i] = narrow(start + float32(float32(i)*delta))
		}
		return nil
	}
}

func unstashedRange[H interface{ Float32() float32 }](narrow func(float32) H) rangeKernel {
	return func(c *op.Context) error {
		start, delta := first[H](c.In(0)), first[H](c.In(2))
		out := tensor.Elems[H](c.Out(0))
		for i := range out {
			step := narrow(narrow(float32(i)).Float32() * delta)
			out[i] = narrow(start + step.Float32())
		}
		return nil
	}
}
