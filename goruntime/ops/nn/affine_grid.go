package nn

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// AffineGrid maps a regular grid on [-1, 1] by the affine matrices theta: the
// positions that GridSample takes.
// https://onnx.ai/onnx/operators/onnx__AffineGrid.html   Departures: none.
var AffineGrid = op.Declare("", "AffineGrid", func() op.Def {
	return op.Def{
		Versions: op.Versions{20: ""},
		Attrs:    op.Attrs(op.Int("align_corners", 0)),
		Shape: func(c *op.Infer) error {
			theta := c.In(0)
			size, err := c.Ints(1)
			if err != nil {
				return err
			}
			r := len(size) - 2
			if r != 2 && r != 3 || !theta.Equal(tensor.Shape{size[0], r, r + 1}) {
				return errs.New(errs.Shape, "theta has shape %v, size is %v: [N, 2, 3] and [N, C, H, W], or [N, 3, 4] and [N, C, D, H, W] expected", theta, size)
			}
			out := c.Grow(0, c.DType(0), r+2)
			out[0], out[r+1] = size[0], r
			copy(out[1:], size[2:])
			_, err = out.Check(c.DType(0))
			return err
		},
		Prepare: func(c *op.Context) error {
			s := &affine{corners: c.Attr.Bool("align_corners")}
			dims := c.Out(0).Shape
			s.dims = dims[1 : len(dims)-1].Clone()
			width := s.dims[len(s.dims)-1]
			s.across = make([]float64, width)
			for i := range s.across {
				s.across[i] = s.position(i, width)
			}
			c.State = s
			return nil
		},
		Run: func(c *op.Context) error {
			s := c.State.(*affine)
			s.kernel, s.out, s.theta = op.Row[affineKernel](c), c.Out(0), c.In(0)
			c.For(s.out.Shape[:len(s.out.Shape)-1].Elements(), 4<<10, s)
			return nil
		},
		DTypes: floats(affineOf(single), affineOf(double), affineOf(half), affineOf(brain)),
		Also:   map[int][]tensor.DType{1: {tensor.I64}},
	}
})

// affine is the State of an AffineGrid.
type affine struct {
	corners    bool
	dims       tensor.Shape // of the grid, without N
	across     []float64    // the positions of the last of them
	kernel     affineKernel
	out, theta *tensor.View
}

type affineKernel func(s *affine, lo, hi int)

// Chunk implements op.Task over the positions.
func (s *affine) Chunk(lo, hi int) { s.kernel(s, lo, hi) }

// position returns where index i of n lies on [-1, 1].
func (s *affine) position(i, n int) float64 {
	if !s.corners {
		return float64(2*i+1)/float64(n) - 1
	}
	if n == 1 {
		return -1
	}
	return float64(2*i)/float64(n-1) - 1
}

func affineOf[T any](n number[T]) affineKernel {
	return func(s *affine, lo, hi int) {
		out, theta, r := tensor.Elems[T](s.out), tensor.Elems[T](s.theta), len(s.dims)
		for width := s.dims[r-1]; lo < hi; {
			first, row := lo%width, lo/width
			to := min(width, first+hi-lo)
			var at [3]float64 // y and z behind x
			rest := row
			for k := 1; k < r; k++ {
				d := s.dims[r-1-k]
				at[k] = s.position(rest%d, d)
				rest /= d
			}
			m := theta[rest*r*(r+1):][:r*(r+1)]
			for k := range r {
				line := m[k*(r+1) : (k+1)*(r+1)]
				slope, start := n.Widen(line[0]), n.Widen(line[r])
				for j := 1; j < r; j++ {
					start += n.Widen(line[j]) * at[j]
				}
				for i, o := first, lo*r+k; i < to; i++ {
					out[o] = n.Narrow(start + slope*s.across[i])
					o += r
				}
			}
			lo += to - first
		}
	}
}
