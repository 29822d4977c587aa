package nn

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// GroupNormalization gives (x - mean) / sqrt(variance + epsilon) * scale + bias
// with statistics of each group of channels of each image, scale and bias of
// each channel.
// https://onnx.ai/onnx/operators/onnx__GroupNormalization.html   Departures: none.
// Statistics are at least as wide as stash_type asks for.
var GroupNormalization = op.Declare("", "GroupNormalization", func() op.Def {
	return op.Widened(op.Def{
		Versions: op.Versions{21: "scale and bias of each channel"},
		Attrs:    op.Attrs(op.Float("epsilon", 1e-5), op.Required("num_groups", op.KindInt), op.Int("stash_type", 1)),
		InPlace:  op.FirstOnly,
		Shape: func(c *op.Infer) error {
			if t := tensor.DType(c.Attr.Int("stash_type")); !contains(floatTypes, t) {
				return errs.New(errs.Argument, "stash_type is %d: it must be a floating-point type", int(t))
			}
			return groupNormShape(c, 1)
		},
		Prepare: func(c *op.Context) error { return groupNormPrepare(c, c.Attr.Int("num_groups"), false) },
		Run:     groupNormRun, DTypes: groupNorms,
	})
})

// GroupNormalization18 is GroupNormalization before version 21: scale and bias
// of each group.
var GroupNormalization18 = op.Declare("", "GroupNormalization", func() op.Def {
	return op.Widened(op.Def{
		Versions: op.Versions{18: "scale and bias of each group"},
		Attrs:    op.Attrs(op.Float("epsilon", 1e-5), op.Required("num_groups", op.KindInt)),
		InPlace:  op.FirstOnly,
		Shape:    func(c *op.Infer) error { return groupNormShape(c, 0) },
		Prepare:  func(c *op.Context) error { return groupNormPrepare(c, c.Attr.Int("num_groups"), true) },
		Run:      groupNormRun, DTypes: groupNorms,
	})
})

var groupNorms = widened(groupNorm32, groupNormOf(double))

// groupNormShape is the rule; param is the dimension of X, or 0 for the groups,
// of which scale and bias have one element each.
func groupNormShape(c *op.Infer, param int) error {
	x, groups := c.In(0), c.Attr.Int("num_groups")
	if len(x) < 2 {
		return errs.New(errs.Shape, "X has shape %v, a rank of 2 or more expected", x)
	}
	if groups < 1 || x[1]%groups != 0 {
		return errs.New(errs.Shape, "num_groups is %d: it must divide the %d channels", groups, x[1])
	}
	if param == 1 {
		groups = x[1]
	}
	return paramShape(c, groups)
}

// paramShape checks that scale and bias have n elements each.
func paramShape(c *op.Infer, n int) error {
	for i := 1; i < 3; i++ {
		if !c.In(i).Equal(tensor.Shape{n}) {
			return errs.New(errs.Shape, "input %d has shape %v, [%d] expected", i, c.In(i), n)
		}
	}
	return op.SameAsInput(c)
}

// groupNorm is the State of a normalization by groups of channels: X as
// [images, groups, channels, plane].
type groupNorm struct {
	images, groups, channels, plane int
	shared                          bool // scale and bias are those of the group
	epsilon                         float64
	kernel                          groupNormKernel
	out, in, scale, bias            *tensor.View
}

type groupNormKernel func(s *groupNorm, lo, hi int)

func groupNormPrepare(c *op.Context, groups int, shared bool) error {
	x := c.In(0).Shape
	c.State = &groupNorm{
		images: x[0], groups: groups, channels: x[1] / max(1, groups), plane: x[2:].Elements(),
		shared: shared, epsilon: float64(c.Attr.Float("epsilon")),
	}
	return nil
}

func groupNormRun(c *op.Context) error {
	s := c.State.(*groupNorm)
	s.kernel, s.out, s.in, s.scale, s.bias = op.Row[groupNormKernel](c), c.Out(0), c.In(0), c.In(1), c.In(2)
	c.For(s.images*s.groups, max(1, (16<<10)/max(1, s.channels*s.plane)), s)
	return nil
}

// Chunk implements op.Task over the groups of all images.
func (s *groupNorm) Chunk(lo, hi int) { s.kernel(s, lo, hi) }

// param returns which element of scale and bias channel ch of group r takes.
func (s *groupNorm) param(r, ch int) int {
	if s.shared {
		return r % s.groups
	}
	return r%s.groups*s.channels + ch
}

func groupNorm32(s *groupNorm, lo, hi int) {
	n := s.channels * s.plane
	out, in := tensor.Elems[float32](s.out), tensor.Elems[float32](s.in)
	scale, bias := tensor.Elems[float32](s.scale), tensor.Elems[float32](s.bias)
	for r := lo; r < hi; r++ {
		dst := out[r*n : (r+1)*n]
		inv := 1 / math.Sqrt(center32(dst, in[r*n:(r+1)*n])+s.epsilon)
		for ch := range s.channels {
			p := s.param(r, ch)
			plane := dst[ch*s.plane : (ch+1)*s.plane]
			affine32(plane, plane, float32(inv*float64(scale[p])), bias[p])
		}
	}
}

// center32 writes src less its mean to dst, which may be src, and returns the
// variance.
func center32(dst, src []float32) float64 {
	return apart32(dst, src, [1]float32{float32(added32(vec.Added, src) / float64(len(src)))}) / float64(len(src))
}

// added32 is what a reduction adds: blocks are summed by vectors, their sums in float64.
func added32(by vec.Reduction, src []float32) float64 {
	total, part := 0.0, [1]float32{}
	for len(src) > 0 {
		n := min(normBlock, len(src))
		vec.Along(by, part[:], src, n, n)
		total += float64(part[0])
		src = src[n:]
	}
	return total
}

// apart32 writes src less a number to dst, which may be src, and returns the sum of the
// squares.
func apart32(dst, src []float32, from [1]float32) float64 {
	var room [normBlock]float32
	square := 0.0
	for i := 0; i < len(dst); i += normBlock {
		n := min(normBlock, len(dst)-i)
		d, x := dst[i:i+n], room[:n]
		vec.Combine(vec.Minus, d, src[i:i+n], from[:])
		vec.Combine(vec.Times, x, d, d)
		square += float64(vec.Sum(x))
	}
	return square
}

func groupNormOf[T any](n number[T]) groupNormKernel {
	return func(s *groupNorm, lo, hi int) {
		count := s.channels * s.plane
		scale, bias := tensor.Elems[T](s.scale), tensor.Elems[T](s.bias)
		for r := lo; r < hi; r++ {
			out, in := tensor.Elems[T](s.out)[r*count:(r+1)*count], tensor.Elems[T](s.in)[r*count:(r+1)*count]
			mean, variance := moments(n, in)
			inv := 1 / math.Sqrt(variance+s.epsilon)
			for i, x := range in {
				p := s.param(r, i/s.plane)
				out[i] = n.Narrow((n.Widen(x)-mean)*inv*n.Widen(scale[p]) + n.Widen(bias[p]))
			}
		}
	}
}

// moments returns the mean and the variance of list.
func moments[T any](n number[T], list []T) (mean, variance float64) {
	for _, x := range list {
		mean += n.Widen(x)
	}
	mean /= float64(len(list))
	for _, x := range list {
		d := n.Widen(x) - mean
		variance += d * d
	}
	return mean, variance / float64(len(list))
}
