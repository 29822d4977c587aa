package ml

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// ArrayFeatureExtractor picks elements along the last axis, by index.
// https://onnx.ai/onnx/operators/onnx_aionnxml_ArrayFeatureExtractor.html
// Departures: none.
var ArrayFeatureExtractor = op.Declare(Domain, "ArrayFeatureExtractor", func() op.Def {
	return op.Def{
		Versions: op.Versions{1: ""},
		Shape:    extractorShape,
		Run:      extractorRun,
		DTypes: op.ByType(map[tensor.DType]extractorKernel{
			tensor.F32: extract[uint32], tensor.F64: extract[uint64], tensor.I64: extract[uint64], tensor.I32: extract[uint32], tensor.Str: extract[op.Bytes16],
		}),
		Also: map[int][]tensor.DType{1: {tensor.I64}},
	}
})

// extractorShape: X [N..., F], Y of K elements -> [N..., K], and [F] -> [1, K].
func extractorShape(c *op.Infer) error {
	x := c.In(0)
	if len(x) == 0 {
		return errs.New(errs.Shape, "X is a scalar: at least one dimension is expected")
	}
	out := c.Grow(0, c.DType(0), max(2, len(x)))
	out[0] = 1
	copy(out, x[:len(x)-1])
	out[len(out)-1] = c.In(1).Elements()
	return nil
}

func extractorRun(c *op.Context) error {
	indices, err := c.Ints(1)
	if err != nil {
		return err
	}
	n := featuresOf(c.In(0).Shape)
	for at, i := range indices {
		if i < 0 || i >= n {
			return errs.New(errs.Compute, "index %d at position %d is out of range for %d features: it must lie in [0, %d]", i, at, n, n-1)
		}
	}
	op.Row[extractorKernel](c)(n, indices, c.Out(0), c.In(0))
	return nil
}

type extractorKernel func(n int, indices []int, out, in *tensor.View)

func extract[T any](n int, indices []int, out, in *tensor.View) {
	dst, src := tensor.Elems[T](out), tensor.Elems[T](in)
	for len(dst) > 0 {
		for k, i := range indices {
			dst[k] = src[i]
		}
		dst, src = dst[len(indices):], src[n:]
	}
}
