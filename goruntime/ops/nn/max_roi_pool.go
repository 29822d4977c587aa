package nn

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/wide"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// MaxRoiPool divides each region of interest of X [N, C, H, W] into bins of
// whole pixels and takes the largest element of each; 0 of an empty bin.
// https://onnx.ai/onnx/operators/onnx__MaxRoiPool.html   Departures: none.
var MaxRoiPool = op.Declare("", "MaxRoiPool", func() op.Def {
	return op.Def{
		Versions: op.Versions{1: "", 22: "bfloat16"},
		Attrs:    op.Attrs(op.Required("pooled_shape", op.KindInts), op.Float("spatial_scale", 1)),
		Shape: func(c *op.Infer) error {
			x, rois, size := c.In(0), c.In(1), c.Attr.Ints("pooled_shape")
			if len(x) != 4 || len(rois) != 2 || rois[1] != 5 {
				return errs.New(errs.Shape, "X has shape %v, rois %v: [N, C, H, W] and [R, 5] expected", x, rois)
			}
			if len(size) != 2 || size[0] < 1 || size[1] < 1 {
				return errs.New(errs.Argument, "pooled_shape is %v: two positive numbers expected", size)
			}
			out := c.Grow(0, c.DType(0), 4)
			out[0], out[1], out[2], out[3] = rois[0], x[1], size[0], size[1]
			return nil
		},
		Prepare: func(c *op.Context) error {
			c.State = newRegions(c, c.Attr.Ints("pooled_shape"))
			c.NeedWorkspace(8 * c.In(1).Elements())
			return nil
		},
		Run: func(c *op.Context) error {
			s := c.State.(*regions)
			if err := s.bind(c, 5); err != nil {
				return err
			}
			for r := range s.count {
				image := s.rois[5*r]
				if !(image >= 0 && image < float64(s.images)) {
					return errs.New(errs.Compute, "roi %d is of image %v, of which there are %d", r, image, s.images)
				}
			}
			c.For(s.count*s.channels, 1, s)
			return nil
		},
		DTypes: floats(maxRoi(single), maxRoi(double), maxRoi(half), maxRoi(brain)),
	}
})

// regions is the State of an operator on regions of interest.
type regions struct {
	count, images, channels, height, width int
	rows, cols                             int // bins of a region
	scale, offset                          float64
	samples                                int // RoiAlign: sampling_ratio
	top                                    bool
	rois                                   []float64
	image                                  []int64 // of each region
	kernel                                 regionKernel
	out, in                                *tensor.View
	roiCount                               int       // RoiAlign: numbers of rois
	wideIn, wideOut                        []float64 // RoiAlign: copies of types that Go does not compute with
}

type regionKernel func(s *regions, lo, hi int)

func newRegions(c *op.Context, size []int) *regions {
	x := c.In(0).Shape
	return &regions{
		count: c.In(1).Shape[0], images: x[0], channels: x[1], height: x[2], width: x[3],
		rows: size[0], cols: size[1], scale: float64(c.Attr.Float("spatial_scale")),
	}
}

// bind reads the regions, each of n numbers that must be finite.
func (s *regions) bind(c *op.Context, n int) error {
	s.rois = op.WorkspaceOf[float64](c)[:c.In(1).Elements()]
	wide.Load[c.In(1).DType](s.rois, c.In(1))
	for i, v := range s.rois {
		if !(math.Abs(v*s.scale) <= math.MaxInt32) {
			return errs.New(errs.Compute, "roi %d has the coordinate %v, scaled by %v: it must lie within 2^31 pixels", i/n, v, s.scale)
		}
	}
	s.kernel, s.out, s.in = op.Row[regionKernel](c), c.Out(0), c.In(0)
	return nil
}

// Chunk implements op.Task over the channels of all regions.
func (s *regions) Chunk(lo, hi int) { s.kernel(s, lo, hi) }

// bin returns the pixels [lo, hi) of bin i of n of a region from first to last,
// cut to the size of the image.
func bin(first, last, i, n, size int) (lo, hi int) {
	length := max(1, last-first+1)
	lo, hi = first+i*length/n, first+((i+1)*length+n-1)/n
	return max(0, min(lo, size)), max(0, min(hi, size))
}

func maxRoi[T any](n number[T]) regionKernel {
	return func(s *regions, lo, hi int) {
		out, in := tensor.Elems[T](s.out), tensor.Elems[T](s.in)
		plane := s.height * s.width
		for r := lo; r < hi; r++ {
			roi := s.rois[r/s.channels*5:][:5]
			var at [4]int
			for k := range at {
				at[k] = int(math.Round(roi[1+k] * s.scale))
			}
			src := in[(int(roi[0])*s.channels+r%s.channels)*plane:][:plane]
			for b := range s.rows * s.cols {
				y0, y1 := bin(at[1], at[3], b/s.cols, s.rows, s.height)
				x0, x1 := bin(at[0], at[2], b%s.cols, s.cols, s.width)
				top := math.Inf(-1)
				for y := y0; y < y1; y++ {
					for x := x0; x < x1; x++ {
						top = max(top, n.Widen(src[y*s.width+x]))
					}
				}
				if y0 >= y1 || x0 >= x1 {
					top = 0
				}
				out[r*s.rows*s.cols+b] = n.Narrow(top)
			}
		}
	}
}
