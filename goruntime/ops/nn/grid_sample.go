package nn

import (
	"math"

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
	GridSample   = gridSample(op.Versions{20: "any rank", 22: "bfloat16"}, "linear", "cubic")
	GridSample16 = gridSample(op.Versions{16: "images"}, "bilinear", "bicubic")
)

func gridSample(versions op.Versions, linear, cubic string) *op.Def {
	modes := []string{linear, cubic, "nearest"}
	_, any := versions[20]
	grids := floatTypes[:3]
	if any {
		grids = floatTypes
	}
	return op.Declare(op.Def{
		Name: "GridSample", Versions: versions,
		Attrs: op.Attrs(op.Int("align_corners", 0), op.String("mode", linear), op.String("padding_mode", "zeros")),
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
			tensor.F32: sampled(single), tensor.F64: sampled(double), tensor.F16: sampled(half), tensor.BF16: sampled(brain),
			tensor.I8: sampled(wide.Integer[int8]()), tensor.I16: sampled(wide.Integer[int16]()), tensor.I32: sampled(wide.Integer[int32]()), tensor.I64: sampled(wide.Integer[int64]()),
			tensor.U8: sampled(wide.Integer[uint8]()), tensor.U16: sampled(wide.Integer[uint16]()), tensor.U32: sampled(wide.Integer[uint32]()), tensor.U64: sampled(wide.Integer[uint64]()),
			tensor.Bool: sampled(wide.Truth), tensor.C64: sampledComplex[complex64](), tensor.C128: sampledComplex[complex128](),
			tensor.Str: {nearest: nearestSample[op.Bytes16]},
		}),
		Also: map[int][]tensor.DType{1: grids},
	})
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

// coordinate returns where position p of the grid lies in dimension d.
func (s *sampler) coordinate(p, d int) float64 {
	r, n := len(s.dims), float64(s.dims[d])
	v := s.grid[p*r+r-1-d]
	if s.corners {
		v = (v + 1) / 2 * (n - 1)
	} else {
		v = ((v+1)*n - 1) / 2
	}
	if s.taps == 1 {
		v = math.RoundToEven(float64(float32(v))) // ties are those of float32
	}
	if v != v {
		v = math.Inf(-1)
	}
	switch low, high := s.border(d); {
	case v >= low && v <= high:
	case s.padding == "border":
		v = max(0, min(v, n-1))
	case s.padding == "reflection":
		v = reflect(v, low, high)
	}
	const far = 1 << 40
	return max(-far, min(v, far))
}

// border returns what a dimension reaches from and to.
func (s *sampler) border(d int) (low, high float64) {
	if s.corners {
		return 0, float64(s.dims[d] - 1)
	}
	return -0.5, float64(s.dims[d]) - 0.5
}

// reflect mirrors v at both borders until it lies between them.
func reflect(v, low, high float64) float64 {
	length := high - low
	if length <= 0 || math.IsInf(v, 0) {
		return low
	}
	at := math.Mod(math.Abs(v-low), 2*length)
	if at > length {
		at = 2*length - at
	}
	return low + at
}

// index returns which element of dimension d stands at i, -1 where 0 does.
func (s *sampler) index(i, d int) int {
	n := s.dims[d]
	switch {
	case i >= 0 && i < n:
		return i
	case s.padding == "zeros":
		return -1
	case s.padding == "border":
		return max(0, min(i, n-1))
	}
	low, high := s.border(d)
	return max(0, min(int(reflect(float64(i), low, high)), n-1))
}

// place lists the elements that position p is made of, and their weights; it
// returns how many there are.
func (s *sampler) place(p int, at *[mostCombos]int, weight *[mostCombos]float64) int {
	var x [mostDims]float64
	for d := range s.dims {
		x[d] = s.coordinate(p, d)
	}
	n := 0
	for k := range s.combos {
		to, w, rest, step := 0, 1.0, k, 1
		for d := len(s.dims) - 1; d >= 0 && to >= 0; d-- {
			i := int(math.Floor(x[d]))
			if s.taps > 1 {
				i += rest%s.taps - (s.taps/2 - 1)
				w *= s.filter.filter(x[d] - float64(i))
				rest /= s.taps
			}
			if i = s.index(i, d); i < 0 {
				to = -1
				break
			}
			to += i * step
			step *= s.dims[d]
		}
		if to >= 0 {
			at[n], weight[n] = to, w
			n++
		}
	}
	return n
}

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
