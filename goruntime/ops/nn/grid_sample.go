package nn

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/wide"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// GridSample reads X [N, C, D...] at the positions of grid, which are given on
// [-1, 1] and the last dimension first. GridSample16 is it before version 20:
// images alone, other names of the modes.
// https://onnx.ai/onnx/operators/onnx__GridSample.html   Departures: none.
// Fractions of integers are cut off. A position that is not a number lies
// outside.
var (
	GridSample = op.Declare("", "GridSample", func() op.Def {
		return gridSample(op.Versions{20: "any rank", 22: "bfloat16"}, "linear", "cubic")
	})
	GridSample16 = op.Declare("", "GridSample", func() op.Def {
		return gridSample(op.Versions{16: "images"}, "bilinear", "bicubic")
	})
)

func gridSample(versions op.Versions, linear, cubic string) op.Def {
	modes := []string{linear, cubic, "nearest"}
	_, any := versions[20]
	grids := floatTypes[:3]
	if any {
		grids = floatTypes
	}
	return op.Def{
		Versions: versions,
		Attrs:    op.Attrs(op.Int("align_corners", 0), op.String("mode", linear), op.String("padding_mode", "zeros")),
		Shape: func(c *op.Infer) error {
			x, grid := c.In(0), c.In(1)
			r := len(x) - 2
			if r < 1 || !any && r != 2 || len(grid) != r+2 || grid[0] != x[0] || grid[r+1] != r {
				return errs.New(errs.Shape, "X has shape %v, grid %v: [N, C, D1...Dr] and [N, E1...Er, r] expected", x, grid)
			}
			if m := c.Attr.Str("mode"); !contains(modes, m) {
				return errs.New(errs.Argument, "mode %q is none of %v", m, modes)
			}
			if p := c.Attr.Str("padding_mode"); !contains(paddingModes, p) {
				return errs.New(errs.Argument, "padding_mode %q is none of %v", p, paddingModes)
			}
			out := c.Grow(0, c.DType(0), r+2)
			copy(out, x[:2])
			copy(out[2:], grid[1:r+1])
			return nil
		},
		Prepare: func(c *op.Context) error { return gridPrepare(c, cubic) },
		Run: func(c *op.Context) error {
			s := c.State.(*sampler)
			s.kernel, s.grid = op.Row[samplerRow](c).pick(s), op.WorkspaceOf[float64](c)
			s.out, s.in = c.Out(0), c.In(0)
			wide.Load[c.In(1).DType](s.grid, c.In(1))
			if c.Out(0).Elements() > 0 {
				c.For(s.images*s.places, max(1, (1<<10)/max(1, s.channels)), s)
			}
			return nil
		},
		DTypes: op.ByType(map[tensor.DType]samplerRow{
			tensor.F32: {nearestSample[uint32], weigh32}, tensor.F64: sampled(double), tensor.F16: sampled(half), tensor.BF16: sampled(brain),
			tensor.I8: sampled(wide.Integer[int8]()), tensor.I16: sampled(wide.Integer[int16]()), tensor.I32: sampled(wide.Integer[int32]()), tensor.I64: sampled(wide.Integer[int64]()),
			tensor.U8: sampled(wide.Integer[uint8]()), tensor.U16: sampled(wide.Integer[uint16]()), tensor.U32: sampled(wide.Integer[uint32]()), tensor.U64: sampled(wide.Integer[uint64]()),
			tensor.Bool: sampled(wide.Truth), tensor.C64: sampledComplex[complex64](), tensor.C128: sampledComplex[complex128](),
			tensor.Str: {nearest: nearestSample[op.Bytes16]},
		}),
		Also: map[int][]tensor.DType{1: grids},
	}
}

var paddingModes = []string{"zeros", "border", "reflection"}

// samplerRow has the kernels of one element type; strings cannot be weighed.
type samplerRow struct{ nearest, weigh samplerKernel }

type samplerKernel func(s *sampler, lo, hi int)

func (r samplerRow) pick(s *sampler) samplerKernel {
	if s.taps == 1 {
		return r.nearest
	}
	return r.weigh
}

// sampler is the State of a GridSample.
type sampler struct {
	images, channels int
	dims             []int // of an input plane
	plane, places    int   // elements of an input plane and of an output plane
	taps             int   // along each dimension: 1 nearest, 2 linear, 4 cubic
	combos           int   // taps in all dimensions
	corners          bool
	padding          string
	filter           sampling
	grid             []float64
	kernel           samplerKernel
	out, in          *tensor.View
}

// mostCombos is how many elements an output may be made of, mostDims in how many
// dimensions.
const (
	mostCombos = 256
	mostDims   = 8
)

func gridPrepare(c *op.Context, cubic string) error {
	x := c.In(0).Shape
	r := len(x) - 2
	s := &sampler{
		images: x[0], channels: x[1], dims: x[2:], plane: x[2:].Elements(), places: c.In(1).Shape[1 : r+1].Elements(),
		corners: c.Attr.Bool("align_corners"), padding: c.Attr.Str("padding_mode"), taps: 2, combos: 1,
	}
	switch c.Attr.Str("mode") {
	case "nearest":
		s.taps = 1
	case cubic:
		s.taps, s.filter = 4, sampling{mode: "cubic", a: -0.75}
	}
	for range r {
		s.combos *= s.taps
		if r > mostDims || s.combos > mostCombos {
			return errs.New(errs.Unsupported, "mode %q in %d dimensions: no more than %d elements are weighed, in %d dimensions", c.Attr.Str("mode"), r, mostCombos, mostDims)
		}
	}
	if c.In(0).DType == tensor.Str && s.taps > 1 {
		return errs.New(errs.Unsupported, "mode %q of strings: only numbers can be interpolated", c.Attr.Str("mode"))
	}
	if s.plane == 0 && s.images*s.places > 0 && s.padding != "zeros" {
		return errs.New(errs.Shape, "X has shape %v: padding_mode %s has nothing to repeat", x, s.padding)
	}
	c.State = s
	c.NeedWorkspace(8 * c.In(1).Elements())
	return nil
}

// Chunk implements op.Task over the positions of all images.
func (s *sampler) Chunk(lo, hi int) { s.kernel(s, lo, hi) }

// sampled are the kernels of a type of real numbers.
func sampled[T any](n number[T]) samplerRow {
	return samplerRow{nearest: nearestSample[T], weigh: func(s *sampler, lo, hi int) {
		var at [mostCombos]int
		var weight [mostCombos]float64
		out, in := tensor.Elems[T](s.out), tensor.Elems[T](s.in)
		for p := lo; p < hi; p++ {
			count := s.place(p, &at, &weight)
			for ch := range s.channels {
				plane, sum := p/s.places*s.channels+ch, 0.0
				for k, i := range at[:count] {
					sum += weight[k] * n.Widen(in[plane*s.plane+i])
				}
				out[plane*s.places+p%s.places] = n.Narrow(sum)
			}
		}
	}}
}

// weigh32 is the kernel of sampled for f32, in float32.
func weigh32(s *sampler, lo, hi int) {
	var at [mostCombos]int
	var weight [mostCombos]float64
	out, in := tensor.Elems[float32](s.out), tensor.Elems[float32](s.in)
	for p := lo; p < hi; p++ {
		count := s.place(p, &at, &weight)
		for ch := range s.channels {
			plane, sum := p/s.places*s.channels+ch, float32(0)
			src := in[plane*s.plane:][:s.plane]
			for k, i := range at[:count] {
				sum += float32(weight[k]) * src[i]
			}
			out[plane*s.places+p%s.places] = sum
		}
	}
}

// sampledComplex are the kernels of a type of complex numbers.
func sampledComplex[T complex64 | complex128]() samplerRow {
	return samplerRow{nearest: nearestSample[T], weigh: func(s *sampler, lo, hi int) {
		var at [mostCombos]int
		var weight [mostCombos]float64
		out, in := tensor.Elems[T](s.out), tensor.Elems[T](s.in)
		for p := lo; p < hi; p++ {
			count := s.place(p, &at, &weight)
			for ch := range s.channels {
				plane, sum := p/s.places*s.channels+ch, complex128(0)
				for k, i := range at[:count] {
					x := complex128(in[plane*s.plane+i])
					sum += complex(weight[k]*real(x), weight[k]*imag(x))
				}
				out[plane*s.places+p%s.places] = T(sum)
			}
		}
	}}
}

func nearestSample[T any](s *sampler, lo, hi int) {
	var at [mostCombos]int
	var weight [mostCombos]float64
	out, in := tensor.Elems[T](s.out), tensor.Elems[T](s.in)
	for p := lo; p < hi; p++ {
		count := s.place(p, &at, &weight)
		for ch := range s.channels {
			plane := p/s.places*s.channels + ch
			var v T
			if count > 0 {
				v = in[plane*s.plane+at[0]]
			}
			out[plane*s.places+p%s.places] = v
		}
	}
}
