package nn

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/errs"
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
	RoiAlign   = roiAlign(op.Versions{16: "coordinate_transformation_mode", 22: "bfloat16"}, op.String("coordinate_transformation_mode", "half_pixel"))
	RoiAlign10 = roiAlign(op.Versions{10: ""})
)

func roiAlign(versions op.Versions, attrs ...op.Attr) *op.Def {
	return op.Declare(op.Def{
		Name: "RoiAlign", Versions: versions,
		Attrs: append(attrs, op.String("mode", "avg"), op.Int("output_height", 1), op.Int("output_width", 1), op.Int("sampling_ratio", 0),
			op.Float("spatial_scale", 1)),
		Shape: roiAlignShape, Prepare: roiAlignPrepare, Run: roiAlignRun,
		DTypes: floats(alignRoi(single), alignRoi(double), alignRoi(half), alignRoi(brain)),
		Also:   map[int][]tensor.DType{2: {tensor.I64}},
	})
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
	c.NeedWorkspace(8 * c.In(1).Elements())
	return nil
}

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
	if s.height > 0 && s.width > 0 {
		c.For(s.count*s.channels, 1, s)
	} else {
		clear(c.Out(0).Raw())
	}
	return nil
}

// side is one dimension of a region: bins of a size, in each of which n samples
// are taken.
type side struct {
	first, size float64
	n, limit    int
}

// side returns the dimension from first to last of a region, in bins, on an
// image of limit pixels.
func (s *regions) side(first, last float64, bins, limit int) side {
	first, last = first*s.scale-s.offset, last*s.scale-s.offset
	length := last - first
	if s.offset == 0 {
		length = max(length, 1)
	}
	d := side{first: first, size: length / float64(bins), n: s.samples, limit: limit}
	if d.n == 0 {
		d.n = max(0, int(math.Ceil(d.size)))
	}
	return d
}

// sample returns the pixels that sample k of bin b lies between and the weight
// of the second; ok is false outside the image.
func (d *side) sample(b, k int) (low, high int, w float64, ok bool) {
	at := d.first + float64(b)*d.size + (float64(k)+0.5)*d.size/float64(d.n)
	if at < -1 || at > float64(d.limit) {
		return 0, 0, 0, false
	}
	at = max(at, 0)
	low = int(at)
	if low >= d.limit-1 {
		return d.limit - 1, d.limit - 1, 0, true
	}
	return low, low + 1, at - float64(low), true
}

func alignRoi[T any](n number[T]) regionKernel {
	return func(s *regions, lo, hi int) {
		out, in := tensor.Elems[T](s.out), tensor.Elems[T](s.in)
		plane := s.height * s.width
		for r := lo; r < hi; r++ {
			i := r / s.channels
			roi := s.rois[i*4:][:4]
			ys, xs := s.side(roi[1], roi[3], s.rows, s.height), s.side(roi[0], roi[2], s.cols, s.width)
			src := in[(int(s.image[i])*s.channels+r%s.channels)*plane:][:plane]
			for b := range s.rows * s.cols {
				sum, top := pool(n, src, &ys, &xs, b/s.cols, b%s.cols)
				if s.top {
					sum = top
				} else {
					sum /= float64(max(1, ys.n*xs.n))
				}
				out[r*s.rows*s.cols+b] = n.Narrow(sum)
			}
		}
	}
}

// pool returns the sum of the samples of a bin, and the largest of the weighted
// pixels.
func pool[T any](n number[T], src []T, ys, xs *side, row, col int) (sum, top float64) {
	for k := range ys.n * xs.n {
		y0, y1, wy, in := ys.sample(row, k/xs.n)
		x0, x1, wx, within := xs.sample(col, k%xs.n)
		most := 0.0
		if in && within {
			a, b := (1-wy)*(1-wx)*n.Widen(src[y0*xs.limit+x0]), (1-wy)*wx*n.Widen(src[y0*xs.limit+x1])
			c, d := wy*(1-wx)*n.Widen(src[y1*xs.limit+x0]), wy*wx*n.Widen(src[y1*xs.limit+x1])
			sum += a + b + c + d
			most = max(a, b, c, d)
		}
		if k == 0 || most > top || most != most {
			top = most
		}
	}
	return sum, top
}
