package nn

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/wide"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// RoiAlign divides each region of interest of X [N, C, H, W] into bins and takes
// the mean or the largest of samples in each, interpolated between pixels.
// RoiAlign10 is it before version 16, without a shift by half a pixel.
// https://onnx.ai/onnx/operators/onnx__RoiAlign.html   Departures: none.
// With mode max the largest of the weighted pixels of all samples is taken, as
// the official cases have it.
var (
	RoiAlign = op.Declare("", "RoiAlign", func() op.Def {
		return roiAlign(op.Versions{16: "coordinate_transformation_mode", 22: "bfloat16"}, op.String("coordinate_transformation_mode", "half_pixel"))
	})
	RoiAlign10 = op.Declare("", "RoiAlign", func() op.Def {
		return roiAlign(op.Versions{10: ""})
	})
)

func roiAlign(versions op.Versions, attrs ...op.Attr) op.Def {
	return op.Def{
		Versions: versions,
		Attrs: append(attrs, op.String("mode", "avg"), op.Int("output_height", 1), op.Int("output_width", 1), op.Int("sampling_ratio", 0),
			op.Float("spatial_scale", 1)),
		Shape: roiAlignShape, Prepare: roiAlignPrepare, Run: roiAlignRun,
		DTypes: floats[regionKernel](alignRegions[float32], alignRegions[float64], alignWide, alignWide),
		Also:   map[int][]tensor.DType{2: {tensor.I64}},
	}
}

func roiAlignShape(c *op.Infer) error {
	x, rois := c.In(0), c.In(1)
	if len(x) != 4 || len(rois) != 2 || rois[1] != 4 || !c.In(2).Equal(rois[:1]) {
		return errs.New(errs.Shape, "X has shape %v, rois %v, batch_indices %v: [N, C, H, W], [R, 4] and [R] expected", x, rois, c.In(2))
	}
	h, w, ratio := c.Attr.Int("output_height"), c.Attr.Int("output_width"), c.Attr.Int("sampling_ratio")
	if h < 1 || w < 1 || ratio < 0 {
		return errs.New(errs.Argument, "the output is %d x %d and sampling_ratio %d: positive sizes and a ratio of 0 or more expected", h, w, ratio)
	}
	if m := c.Attr.Str("mode"); m != "avg" && m != "max" {
		return errs.New(errs.Argument, "mode %q is none of avg, max", m)
	}
	if c.Version >= 16 {
		if m := c.Attr.Str("coordinate_transformation_mode"); m != "half_pixel" && m != "output_half_pixel" {
			return errs.New(errs.Argument, "coordinate_transformation_mode %q is none of half_pixel, output_half_pixel", m)
		}
	}
	out := c.Grow(0, c.DType(0), 4)
	out[0], out[1], out[2], out[3] = rois[0], x[1], h, w
	return nil
}

func roiAlignPrepare(c *op.Context) error {
	s := newRegions(c, []int{c.Attr.Int("output_height"), c.Attr.Int("output_width")})
	s.samples, s.top = c.Attr.Int("sampling_ratio"), c.Attr.Str("mode") == "max"
	if c.Version >= 16 && c.Attr.Str("coordinate_transformation_mode") == "half_pixel" {
		s.offset = 0.5
	}
	c.State = s
	s.roiCount = c.In(1).Elements()
	n := s.roiCount
	if !computable(c.In(0).DType) {
		n += c.In(0).Elements() + c.Out(0).Elements()
	}
	c.NeedWorkspace(8 * n)
	return nil
}

// computable reports whether Go computes with the element type.
func computable(d tensor.DType) bool { return d == tensor.F32 || d == tensor.F64 }

func roiAlignRun(c *op.Context) error {
	s := c.State.(*regions)
	if err := s.bind(c, 4); err != nil {
		return err
	}
	s.image = tensor.Elems[int64](c.In(2))
	for r, image := range s.image {
		if image < 0 || image >= int64(s.images) {
			return errs.New(errs.Compute, "roi %d is of image %d, of which there are %d", r, image, s.images)
		}
	}
	if err := s.checkSamples(); err != nil {
		return err
	}
	if s.height == 0 || s.width == 0 {
		clear(c.Out(0).Raw())
		return nil
	}
	if computable(s.in.DType) {
		c.For(s.count*s.channels, 8, s)
		return nil
	}
	work := op.WorkspaceOf[float64](c)[s.roiCount:]
	s.wideIn, s.wideOut = work[:s.in.Elements()], work[s.in.Elements():]
	wide.Load[s.in.DType](s.wideIn, s.in)
	c.For(s.count*s.channels, 8, s)
	wide.Store[s.out.DType](s.out, s.wideOut)
	return nil
}

// mostSamples is how many samples a bin may take: an adaptive number of them
// grows with the region.
const mostSamples = 1 << 20

func (s *regions) checkSamples() error {
	var ys, xs side
	for r := range s.count {
		roi := s.rois[4*r:][:4]
		s.side(&ys, roi[1], roi[3], s.rows, s.height)
		s.side(&xs, roi[0], roi[2], s.cols, s.width)
		if ys.n > mostSamples/max(1, xs.n) {
			return errs.New(errs.Compute, "roi %d takes %d x %d samples for a bin: no more than %d are taken", r, ys.n, xs.n, mostSamples)
		}
	}
	return nil
}

// spot is where a sample lies in one dimension: between two pixels, nearer to
// high the greater w is. in is false outside the image.
type spot struct {
	low, high int
	w         float64
	in        bool
}

// knownSpots is how many spots of a dimension are computed once for each region; further
// ones are computed each time.
const knownSpots = 256

// side is one dimension of a region: bins of a size, in each of which n samples
// are taken.
type side struct {
	first, size float64
	n, limit    int
	known       [knownSpots]spot
	further     spot // the last that is not known
}

// side sets d to the dimension from first to last of a region, in bins, on an
// image of limit pixels.
func (s *regions) side(d *side, first, last float64, bins, limit int) {
	first, last = first*s.scale-s.offset, last*s.scale-s.offset
	length := last - first
	if s.offset == 0 {
		length = max(length, 1)
	}
	d.first, d.size, d.n, d.limit = first, length/float64(bins), s.samples, limit
	if d.n == 0 {
		d.n = max(0, int(math.Ceil(d.size)))
	}
	for i := range min(knownSpots, d.n*bins) {
		d.known[i] = d.compute(i)
	}
}

// spot returns sample i, counted through the bins.
func (d *side) spot(i int) *spot {
	if i < knownSpots {
		return &d.known[i]
	}
	d.further = d.compute(i)
	return &d.further
}

func (d *side) compute(i int) spot {
	at := d.first + float64(i/d.n)*d.size + (float64(i%d.n)+0.5)*d.size/float64(d.n)
	if at < -1 || at > float64(d.limit) {
		return spot{}
	}
	at = max(at, 0)
	low := int(at)
	if low >= d.limit-1 {
		return spot{low: d.limit - 1, high: d.limit - 1, in: true}
	}
	return spot{low: low, high: low + 1, w: at - float64(low), in: true}
}

// alignWide is the kernel of types that are copied to float64.
func alignWide(s *regions, lo, hi int) { align(s, s.wideOut, s.wideIn, lo, hi) }

func alignRegions[T float32 | float64](s *regions, lo, hi int) {
	align(s, tensor.Elems[T](s.out), tensor.Elems[T](s.in), lo, hi)
}

func align[T float32 | float64](s *regions, out, in []T, lo, hi int) {
	var ys, xs side
	plane := s.height * s.width
	for r := lo; r < hi; r++ {
		i := r / s.channels
		if r == lo || r%s.channels == 0 {
			roi := s.rois[i*4:][:4]
			s.side(&ys, roi[1], roi[3], s.rows, s.height)
			s.side(&xs, roi[0], roi[2], s.cols, s.width)
		}
		src := in[(int(s.image[i])*s.channels+r%s.channels)*plane:][:plane]
		for b := range s.rows * s.cols {
			sum, top := pool(src, &ys, &xs, b/s.cols, b%s.cols)
			if s.top {
				sum = top
			} else {
				sum /= float64(max(1, ys.n*xs.n))
			}
			out[r*s.rows*s.cols+b] = T(sum)
		}
	}
}

// pool returns the sum of the samples of a bin, and the largest of the weighted
// pixels.
func pool[T float32 | float64](src []T, ys, xs *side, row, col int) (sum, top float64) {
	for k := range ys.n {
		y := ys.spot(row*ys.n + k)
		var above, below []T
		if y.in {
			above, below = src[y.low*xs.limit:][:xs.limit], src[y.high*xs.limit:][:xs.limit]
		}
		for j := range xs.n {
			x, most := xs.spot(col*xs.n+j), 0.0
			if y.in && x.in {
				a, b := (1-y.w)*(1-x.w)*float64(above[x.low]), (1-y.w)*x.w*float64(above[x.high])
				c, d := y.w*(1-x.w)*float64(below[x.low]), y.w*x.w*float64(below[x.high])
				sum += a + b + c + d
				most = max(a, b, c, d)
			}
			if k+j == 0 || most > top || most != most {
				top = most
			}
		}
	}
	return sum, top
}
