package index

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// TensorScatter writes an update into a cache along the axis of the sequence, for
// each sample of the batch from its own place on; in circular mode around the end.
// https://onnx.ai/onnx/operators/onnx__TensorScatter.html   Departures: none.
var TensorScatter = op.Declare("", "TensorScatter", func() op.Def {
	return op.Def{
		Versions: op.Versions{24: ""}, Attrs: op.Attrs(op.Int("axis", -2), op.String("mode", "linear")), InPlace: op.FirstOnly,
		Shape: func(c *op.Infer) error {
			cache, update := c.In(0), c.In(1)
			axis, err := c.Axis("axis", len(cache))
			if err != nil {
				return err
			}
			if axis == 0 {
				return errs.New(errs.Argument, "axis is 0, which is the batch: another one is expected")
			}
			fits := len(cache) == len(update) && update[axis] <= cache[axis]
			for i := 0; fits && i < len(cache); i++ {
				fits = i == axis || cache[i] == update[i]
			}
			if !fits || c.Has(2) && !c.In(2).Equal(cache[:1]) {
				return errs.New(errs.Shape, "a cache of shape %v takes no update of shape %v: only dimension %d may differ, being smaller, with a write index for each sample", cache, update, axis)
			}
			return op.SameAsInput(c)
		},
		Prepare: func(c *op.Context) error {
			cache, update := c.In(0).Shape, c.In(1).Shape
			axis, err := tensor.Axis(c.Attr.Int("axis"), len(cache))
			if err != nil {
				return err
			}
			mode := c.Attr.Str("mode")
			if mode != "linear" && mode != "circular" {
				return errs.New(errs.Argument, "mode %q is none of linear, circular", mode)
			}
			c.State = &cacheUpdate{
				batch: cache[0], outer: cache[1:axis].Elements(), long: cache[axis], short: update[axis], inner: cache[axis+1:].Elements(), circular: mode == "circular",
			}
			return nil
		},
		Run: op.Unpacked(func(c *op.Context) error {
			s := c.State.(*cacheUpdate)
			var starts []int
			if c.Has(2) {
				var err error
				if starts, err = c.Ints(2); err != nil {
					return err
				}
			}
			for b, at := range starts {
				if at < 0 || !s.circular && at+s.short > s.long {
					return errs.New(errs.Compute, "the write index of sample %d is %d: with %d steps to write it must lie in [0, %d]", b, at, s.short, s.long-s.short)
				}
			}
			if out, in := c.Out(0), c.In(0); out.Data != in.Data {
				copy(out.Raw(), in.Raw())
			}
			op.Row[cacheKernel](c)(s, starts, c.Out(0), c.In(1))
			return nil
		}),
		DTypes: op.ByWidth[cacheKernel](updateCache[uint8], updateCache[uint16], updateCache[uint32], updateCache[uint64], updateCache[op.Bytes16], updateCache[op.Bytes16]).
			And(op.Packed[cacheKernel](updateCache[uint8])),
		Also: map[int][]tensor.DType{2: {tensor.I64}},
	}
})

// cacheUpdate is the State: the cache is batch x outer x long x inner, the update
// as much with short for long.
type cacheUpdate struct {
	batch, outer, long, short, inner int
	circular                         bool
}

// cacheKernel writes the update; starts is nil where all are 0.
type cacheKernel func(s *cacheUpdate, starts []int, out, update *tensor.View)

func updateCache[T any](s *cacheUpdate, starts []int, out, update *tensor.View) {
	dst, src := tensor.Elems[T](out), tensor.Elems[T](update)
	for b := range s.batch {
		start := 0
		if starts != nil {
			start = starts[b]
		}
		for range s.outer {
			for i := range s.short {
				at := (start%s.long + i) % s.long * s.inner
				copy(dst[at:at+s.inner], src[:s.inner])
				src = src[s.inner:]
			}
			dst = dst[s.long*s.inner:]
		}
	}
}
