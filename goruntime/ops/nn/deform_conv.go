package nn

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/gemm"
	"github.com/goruntime/goruntime/goruntime/kernels/wide"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// DeformConv is Conv with each tap of each window moved by an offset and scaled
// by a mask; between pixels X is interpolated, outside it is 0.
// https://onnx.ai/onnx/operators/onnx__DeformConv.html   Departures: none.
var DeformConv = op.Declare("", "DeformConv", func() op.Def {
	return op.Widened(op.Def{
		Versions: op.Versions{19: "", 22: "bfloat16"},
		Attrs: op.Attrs(op.Ints("dilations"), op.Int("group", 1), op.Ints("kernel_shape"), op.Int("offset_group", 1),
			op.Ints("pads"), op.Ints("strides")),
		Shape:   deformShape,
		Prepare: deformPrepare,
		Run:     func(c *op.Context) error { return op.Row[deformKernel](c).run(c, c.State.(*deform)) },
		DTypes:  widened(deformKernel{deform32, deformSample(single)}, deformKernel{deformOf(double), deformSample(double)}),
	})
})

// deformShape: X [N, C, D...], W [M, C/group, K...], offset [N, groups*taps*r, O...].
func deformShape(c *op.Infer) error {
	x, w := c.In(0), c.In(1)
	group, groups := c.Attr.Int("group"), c.Attr.Int("offset_group")
	if len(x) < 3 || len(w) != len(x) {
		return errs.New(errs.Shape, "X has shape %v, W has shape %v: both need a rank of 3 or more, and the same", x, w)
	}
	if len(x)-2 > mostDims {
		return errs.New(errs.Unsupported, "X has shape %v: no more than %d spatial dimensions are supported", x, mostDims)
	}
	if group < 1 || groups < 1 || w[1]*group != x[1] || w[0]%group != 0 || x[1]%groups != 0 {
		return errs.New(errs.Shape, "X has %d channels, W has shape %v, group is %d, offset_group %d: they do not fit", x[1], w, group, groups)
	}
	if k := c.Attr.Ints("kernel_shape"); k != nil && !tensor.Shape(k).Equal(w[2:]) {
		return errs.New(errs.Shape, "kernel_shape is %v, W has shape %v", k, w)
	}
	win, err := newWindow(c.Attr, x[2:], w[2:], false)
	if err != nil {
		return err
	}
	taps := groups * w[2:].Elements()
	offsets := append(tensor.Shape{x[0], taps * (len(x) - 2)}, win.out...)
	mask := append(tensor.Shape{x[0], taps}, win.out...)
	for i, want := range [...]tensor.Shape{2: offsets, 3: {w[0]}, 4: mask} {
		if want != nil && c.Has(i) && !c.In(i).Equal(want) {
			return errs.New(errs.Shape, "input %d has shape %v, %v expected", i, c.In(i), want)
		}
	}
	out := c.Grow(0, c.DType(0), len(x))
	out[0], out[1] = x[0], w[0]
	copy(out[2:], win.out)
	return nil
}

// deform is the State of a DeformConv. The samples of an image are laid out as
// [C, taps, pixels], and the filters [M, C/group * taps] multiplied with them.
type deform struct {
	win                              *window
	images, channels, filters        int
	group, offsetGroup, taps, pixels int
	plane                            int
	image                            int
	sample                           deformSampler
	x, w, y                          *tensor.View
	offsets, masks                   []float64 // masks: empty where all are 1
	bias                             []float64 // empty where all are 0
	samples                          []float64
	narrow                           []float32 // samples of f32
}

type deformKernel struct {
	run    func(c *op.Context, s *deform) error
	sample deformSampler
}

// deformSampler computes the samples of pixels [lo, hi) of an image.
type deformSampler func(s *deform, lo, hi int)

func deformPrepare(c *op.Context) error {
	x, w := c.In(0).Shape, c.In(1).Shape
	win, err := newWindow(c.Attr, x[2:], w[2:], false)
	if err != nil {
		return err
	}
	s := &deform{
		win: win, images: x[0], channels: x[1], filters: w[0], group: c.Attr.Int("group"), offsetGroup: c.Attr.Int("offset_group"),
		taps: w[2:].Elements(), pixels: tensor.Shape(win.out).Elements(), plane: x[2:].Elements(),
	}
	c.State = s
	n := c.In(2).Elements() + s.channels*s.taps*s.pixels
	for i := 3; i < 5; i++ {
		if c.Has(i) {
			n += c.In(i).Elements()
		}
	}
	c.NeedWorkspace(8 * n)
	return nil
}

// bind reads the offsets, masks and biases.
func (s *deform) bind(c *op.Context) {
	work := op.WorkspaceOf[float64](c)
	s.x, s.w, s.y, s.sample = c.In(0), c.In(1), c.Out(0), op.Row[deformKernel](c).sample
	s.offsets, work = s.read(c, 2, work)
	s.bias, work = s.read(c, 3, work)
	s.masks, work = s.read(c, 4, work)
	s.samples = work
}

// read takes the elements of input i from the front of the workspace.
func (s *deform) read(c *op.Context, i int, work []float64) (list, rest []float64) {
	if !c.Has(i) {
		return nil, work
	}
	n := c.In(i).Elements()
	wide.Load[c.In(i).DType](work[:n], c.In(i))
	return work[:n], work[n:]
}

// Chunk implements op.Task over the pixels of one image.
func (s *deform) Chunk(lo, hi int) { s.sample(s, lo, hi) }

func (s *deform) grain() int { return max(1, (4<<10)/max(1, s.channels*s.taps)) }

func deform32(c *op.Context, s *deform) error {
	s.bind(c)
	s.narrow = op.WorkspaceOf[float32](c)[2*(len(op.WorkspaceOf[float64](c))-len(s.samples)):]
	perGroup, k := s.filters/s.group, s.channels/s.group*s.taps
	w, y := tensor.Elems[float32](s.w), tensor.Elems[float32](s.y)
	for s.image = range s.images {
		c.For(s.pixels, s.grain(), s)
		for g := range s.group {
			out := y[(s.image*s.filters+g*perGroup)*s.pixels:][:perGroup*s.pixels]
			for i := range out {
				out[i] = 0
				if s.bias != nil {
					out[i] = float32(s.bias[g*perGroup+i/s.pixels])
				}
			}
			if len(out) == 0 || k == 0 {
				continue
			}
			a := gemm.Args{
				M: perGroup, N: s.pixels, K: k, A: first(w[g*perGroup*k:]), LDA: k,
				B: first(s.narrow[g*k*s.pixels:]), LDB: s.pixels, C: first(out), LDC: s.pixels, Start: gemm.Add,
			}
			gemm.Run(&a, 0, a.M, 0, a.N)
		}
	}
	return nil
}

// deformOf is the kernel of the other types: each output element summed in
// float64.
func deformOf[T any](n number[T]) func(c *op.Context, s *deform) error {
	return func(c *op.Context, s *deform) error {
		s.bind(c)
		perGroup, k := s.filters/s.group, s.channels/s.group*s.taps
		w, y := tensor.Elems[T](s.w), tensor.Elems[T](s.y)
		for s.image = range s.images {
			c.For(s.pixels, s.grain(), s)
			for i := range s.filters * s.pixels {
				m, p, sum := i/s.pixels, i%s.pixels, 0.0
				if s.bias != nil {
					sum = s.bias[m]
				}
				for j := range k {
					sum += n.Widen(w[m*k+j]) * s.samples[(m/perGroup*k+j)*s.pixels+p]
				}
				y[s.image*s.filters*s.pixels+i] = n.Narrow(sum)
			}
		}
		return nil
	}
}

// deformSample interpolates X at the taps of each pixel's window, in all channels
// of an offset group with the same weights.
func deformSample[T any](n number[T]) deformSampler {
	return func(s *deform, lo, hi int) {
		var at [mostCombos]int
		var weight [mostCombos]float64
		in, channels := tensor.Elems[T](s.x), s.channels/s.offsetGroup
		for p := lo; p < hi; p++ {
			for t := range s.offsetGroup * s.taps {
				count, mask := s.corners(p, t, &at, &weight), 1.0
				if s.masks != nil {
					mask = s.masks[(s.image*s.offsetGroup*s.taps+t)*s.pixels+p]
				}
				for ch := t / s.taps * channels; ch < (t/s.taps+1)*channels; ch++ {
					src, sum := in[(s.image*s.channels+ch)*s.plane:][:s.plane], 0.0
					for k, i := range at[:count] {
						sum += weight[k] * n.Widen(src[i])
					}
					to := (ch*s.taps+t%s.taps)*s.pixels + p
					if s.narrow != nil {
						s.narrow[to] = float32(sum * mask)
					} else {
						s.samples[to] = sum * mask
					}
				}
			}
		}
	}
}

// corners lists the elements around tap t, counted through the offset groups, of
// the window at pixel p, and their weights; it returns how many there are.
func (s *deform) corners(p, t int, at *[mostCombos]int, weight *[mostCombos]float64) int {
	var x [mostDims]float64
	r, pixel, tap := len(s.win.in), p, t%s.taps
	for d := r - 1; d >= 0; d-- {
		w := s.win
		offset := s.offsets[((s.image*s.offsetGroup*s.taps+t)*r+d)*s.pixels+p]
		x[d] = float64(pixel%w.out[d]*w.stride[d]-w.begin[d]+tap%w.kernel[d]*w.dilation[d]) + offset
		if !(x[d] > -1 && x[d] < float64(w.in[d])) {
			return 0
		}
		pixel /= w.out[d]
		tap /= w.kernel[d]
	}
	n := 0
	for k := range 1 << r {
		to, w, step := 0, 1.0, 1
		for d := r - 1; d >= 0; d-- {
			low := math.Floor(x[d])
			i, part := int(low), 1-(x[d]-low)
			if k>>d&1 != 0 {
				i, part = i+1, x[d]-low
			}
			if i < 0 || i >= s.win.in[d] || part == 0 {
				w = 0
				break
			}
			w *= part
			to += i * step
			step *= s.win.in[d]
		}
		if w != 0 {
			at[n], weight[n] = to, w
			n++
		}
	}
	return n
}
