package nn

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/kernels/wide"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// BatchNormalization gives (x - mean) / sqrt(variance + epsilon) * scale + bias,
// with statistics of each channel: those given, or in training those of the
// batch.
// https://onnx.ai/onnx/operators/onnx__BatchNormalization.html   Departures: none.
// Before version 14 a node trains where it names more outputs than Y.
var BatchNormalization = op.Declare("", "BatchNormalization", func() op.Def {
	return batchNormalization(op.Versions{14: "training_mode", 15: "types of their own for scale and statistics"},
		op.Int("training_mode", 0))
})

// The versions before, by their attributes.
var (
	BatchNormalization9 = op.Declare("", "BatchNormalization", func() op.Def {
		return batchNormalization(op.Versions{9: "without spatial"})
	})
	BatchNormalization7 = op.Declare("", "BatchNormalization", func() op.Def {
		return batchNormalization(op.Versions{7: "spatial"}, op.Int("spatial", 1))
	})
	BatchNormalization6 = op.Declare("", "BatchNormalization", func() op.Def {
		return batchNormalization(op.Versions{6: "is_test"}, op.Int("spatial", 1), op.Int("is_test", 0))
	})
	BatchNormalization1 = op.Declare("", "BatchNormalization", func() op.Def {
		return batchNormalization(op.Versions{1: "consumed_inputs"}, op.Int("spatial", 1), op.Int("is_test", 0),
			op.Required("consumed_inputs", op.KindInts))
	})
)

func batchNormalization(versions op.Versions, attrs ...op.Attr) op.Def {
	def := op.Def{
		Versions: versions,
		Attrs:    append([]op.Attr{op.Float("epsilon", 1e-5), op.Float("momentum", 0.9)}, attrs...),
		Shape:    batchNormShape, Prepare: batchNormPrepare, Run: batchNormRun, InPlace: op.FirstOnly,
		Affine: batchNormAffine,
		DTypes: widened(batchOf(single).with(apply32), batchOf(double)),
	}
	if _, mixed := versions[15]; mixed {
		def.Also = map[int][]tensor.DType{1: floatTypes, 2: floatTypes, 3: floatTypes, 4: floatTypes}
	}
	return op.Widened(def)
}

// trains reports whether a node's statistics are those of its batch.
func trains(a *op.Values, version, outputs int) bool {
	if version >= 14 {
		return a.Bool("training_mode")
	}
	return outputs > 1
}

// perElement reports whether each element of an image is a channel of its own.
func perElement(a *op.Values) bool { return a.Has("spatial") && !a.Bool("spatial") }

func batchNormShape(c *op.Infer) error {
	x := c.In(0)
	want := tensor.Shape{1}
	switch {
	case len(x) == 0:
		return errs.New(errs.Shape, "X is a scalar, a rank of 1 or more expected")
	case perElement(c.Attr):
		want = x[1:]
	case len(x) > 1:
		want = x[1:2]
	}
	for i := 1; i < 5; i++ {
		if !c.In(i).Equal(want) {
			return errs.New(errs.Shape, "X has shape %v, input %d %v, %v expected", x, i, c.In(i), want)
		}
	}
	train := trains(c.Attr, c.Version, c.Outputs())
	if c.Outputs() > 1 && !train {
		return errs.New(errs.Model, "%d outputs named, training_mode is 0: statistics come out of training only", c.Outputs())
	}
	c.SetOutput(0, c.DType(0), x)
	for i := 1; i < c.Outputs(); i++ {
		c.SetOutput(i, c.DType(3), want)
	}
	return nil
}

// batchNorm is the State of a BatchNormalization: X as [images, channels, plane].
type batchNorm struct {
	images, channels, plane int
	epsilon, momentum       float64
	train                   bool
	kernel                  batchKernel
	out, in                 *tensor.View
	mean, variance          []float64 // of each channel
	a, b                    []float64 // y = a*x + b
	a32, b32                []float32 // the same
}

// batchKernel are the loops of one element type: over channels, and over planes,
// or over images where a plane is one element.
type batchKernel struct {
	stats, apply func(s *batchNorm, lo, hi int)
}

func (k batchKernel) with(apply func(s *batchNorm, lo, hi int)) batchKernel {
	k.apply = apply
	return k
}

func batchNormPrepare(c *op.Context) error {
	x := c.In(0).Shape
	s := &batchNorm{
		images: x[0], channels: 1, plane: 1, epsilon: float64(c.Attr.Float("epsilon")),
		momentum: float64(c.Attr.Float("momentum")), train: trains(c.Attr, c.Version, c.Outputs()),
	}
	switch {
	case perElement(c.Attr):
		s.channels = x[1:].Elements()
	case len(x) > 1:
		s.channels, s.plane = x[1], x[2:].Elements()
	}
	c.State = s
	c.NeedWorkspace(8 * 5 * s.channels)
	return nil
}

func batchNormRun(c *op.Context) error {
	s, work := c.State.(*batchNorm), op.WorkspaceOf[float64](c)
	n := s.channels
	s.kernel, s.out, s.in = op.Row[batchKernel](c), c.Out(0), c.In(0)
	s.a, s.b, s.mean, s.variance = work[:n], work[n:2*n], work[2*n:3*n], work[3*n:4*n]
	if s.train {
		c.For(n, max(1, (16<<10)/max(1, s.images*s.plane)), (*batchStats)(s))
		s.keep(c)
	} else {
		wide.Load[c.In(3).DType](s.mean, c.In(3))
		wide.Load[c.In(4).DType](s.variance, c.In(4))
	}
	wide.Load[c.In(1).DType](s.a, c.In(1))
	wide.Load[c.In(2).DType](s.b, c.In(2))
	s.settle()
	s.a32, s.b32 = op.WorkspaceOf[float32](c)[8*n:9*n], op.WorkspaceOf[float32](c)[9*n:10*n]
	for i := range n {
		s.a32[i], s.b32[i] = float32(s.a[i]), float32(s.b[i])
	}
	if s.plane == 1 {
		c.For(s.images, max(1, (32<<10)/max(1, n)), s)
	} else {
		c.For(s.images*n, max(1, (64<<10)/max(1, s.plane)), s)
	}
	return nil
}

// settle makes a and b of scale and bias.
func (s *batchNorm) settle() {
	for i := range s.a {
		s.a[i] /= math.Sqrt(s.variance[i] + s.epsilon)
		s.b[i] -= s.mean[i] * s.a[i]
	}
}

// batchNormAffine gives the numbers that batchNormRun computes, where the inputs are
// known. Statistics of the batch are not, and a few channels side by side round otherwise.
func batchNormAffine(c *op.Infer) (a, b []float32, ok bool) {
	x := c.In(0)
	if c.DType(0) != tensor.F32 || perElement(c.Attr) || trains(c.Attr, c.Version, 1) || len(x) < 2 ||
		x[1] < fewChannels && x[2:].Elements() == 1 {
		return nil, nil, false
	}
	s := &batchNorm{epsilon: float64(c.Attr.Float("epsilon"))}
	for i, to := range []*[]float64{&s.a, &s.b, &s.mean, &s.variance} {
		v, err := c.View(1 + i)
		if err != nil {
			return nil, nil, false
		}
		*to = make([]float64, x[1])
		wide.Load[v.DType](*to, v)
	}
	s.settle()
	a, b = make([]float32, x[1]), make([]float32, x[1])
	for i := range a {
		a[i], b[i] = float32(s.a[i]), float32(s.b[i])
	}
	return a, b, true
}

// keep stores the running statistics and, before version 14, those of the batch.
func (s *batchNorm) keep(c *op.Context) {
	for i, batch := range [...][]float64{s.mean, s.variance} {
		if c.Wants(1 + i) {
			wide.Load[c.In(3+i).DType](s.a, c.In(3+i))
			for k := range s.a {
				s.a[k] = s.a[k]*s.momentum + batch[k]*(1-s.momentum)
			}
			wide.Store[c.Out(1+i).DType](c.Out(1+i), s.a)
		}
		if c.Wants(3 + i) {
			wide.Store[c.Out(3+i).DType](c.Out(3+i), batch)
		}
	}
}

// batchStats is a batchNorm as the loop over channels.
type batchStats batchNorm

// Chunk implements op.Task over the channels.
func (s *batchStats) Chunk(lo, hi int) { s.kernel.stats((*batchNorm)(s), lo, hi) }

// Chunk implements op.Task over planes or images.
func (s *batchNorm) Chunk(lo, hi int) { s.kernel.apply(s, lo, hi) }

func batchOf[T any](n number[T]) batchKernel {
	return batchKernel{
		stats: func(s *batchNorm, lo, hi int) {
			in, count := tensor.Elems[T](s.in), float64(s.images*s.plane)
			for ch := lo; ch < hi; ch++ {
				sum, square := 0.0, 0.0
				for i := range s.images {
					for _, x := range in[(i*s.channels+ch)*s.plane:][:s.plane] {
						sum += n.Widen(x)
					}
				}
				mean := sum / count
				for i := range s.images {
					for _, x := range in[(i*s.channels+ch)*s.plane:][:s.plane] {
						d := n.Widen(x) - mean
						square += d * d
					}
				}
				s.mean[ch], s.variance[ch] = mean, square/count
			}
		},
		apply: func(s *batchNorm, lo, hi int) {
			out, in := tensor.Elems[T](s.out), tensor.Elems[T](s.in)
			if s.plane == 1 {
				lo, hi = lo*s.channels, hi*s.channels
			}
			for r := lo; r < hi; r++ {
				a, b := s.a[r%s.channels], s.b[r%s.channels]
				for i := r * s.plane; i < (r+1)*s.plane; i++ {
					out[i] = n.Narrow(a*n.Widen(in[i]) + b)
				}
			}
		},
	}
}

// normBlock is how many elements go through several vector loops at a time.
const normBlock = 2048

// fewChannels are not worth vector loops of their own.
const fewChannels = 8

func apply32(s *batchNorm, lo, hi int) {
	if s.plane == 1 && s.channels < fewChannels {
		slowApply32(s, lo, hi)
		return
	}
	out, in := tensor.Elems[float32](s.out), tensor.Elems[float32](s.in)
	if s.plane == 1 {
		for r := lo; r < hi; r++ {
			dst := out[r*s.channels : (r+1)*s.channels]
			vec.Combine(vec.Times, dst, in[r*s.channels:(r+1)*s.channels], s.a32)
			vec.Combine(vec.Plus, dst, dst, s.b32)
		}
		return
	}
	for r := lo; r < hi; r++ {
		affine32(out[r*s.plane:(r+1)*s.plane], in[r*s.plane:(r+1)*s.plane], s.a32[r%s.channels], s.b32[r%s.channels])
	}
}

// affine32 writes a*x + b to dst, which may be src.
func affine32(dst, src []float32, a, b float32) { vec.Bend(vec.Line, dst, src, a, b) }

var slowApply32 = batchOf(single).apply
