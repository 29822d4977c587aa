package microsoft

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The activations around GELU: Gelu and BiasGelu by the error function, FastGelu
// by the hyperbolic tangent, QuickGelu by the logistic function; a bias of the
// last dimension is added first.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
// Departures: none. Halves are computed in f32.
var (
	Gelu = op.Declare(domain, "Gelu", func() op.Def {
		return activation(curve{gelu, gelu64, false})
	})
	BiasGelu = op.Declare(domain, "BiasGelu", func() op.Def {
		return activation(curve{gelu, gelu64, true})
	})
	FastGelu = op.Declare(domain, "FastGelu", func() op.Def {
		return activation(curve{fastGelu, fastGelu64, false})
	})
	QuickGelu = op.Declare(domain, "QuickGelu", func() op.Def {
		return activation(curve{quickGelu, quickGelu64, false}, op.Float("alpha", 1.702))
	})
)

// curve is a function of one number with a parameter.
type curve struct {
	single func(x, t []float32, alpha float32) // in place; t is scratch as long as x
	double func(x, alpha float64) float64
	bias   bool // must be given
}

func activation(f curve, attrs ...op.Attr) op.Def {
	return op.Def{
		Versions: op.Versions{1: ""}, Needs: []int{0}, Attrs: attrs, InPlace: op.FirstOnly,
		Shape: func(c *op.Infer) error {
			if f.bias && !c.Has(1) {
				return errs.New(errs.Model, "the bias is missing")
			}
			if x := c.In(0); c.Has(1) && (len(x) == 0 || !c.In(1).Equal(x[len(x)-1:])) {
				return errs.New(errs.Shape, "X has shape %v, the bias has shape %v: the last dimension expected", x, c.In(1))
			}
			if err := c.Alike(0, 1); err != nil {
				return err
			}
			return op.SameAsInput(c)
		},
		Prepare: func(c *op.Context) error {
			s := &activating{curve: f, work: op.Row[activatingKernel](c)}
			if len(attrs) > 0 {
				s.alpha = c.Attr.Float(attrs[0].Name)
			}
			s.parts = max(1, min(c.In(0).Elements()/(16<<10), 8*c.Threads()))
			c.NeedWorkspace(4 * 2 * block * s.parts)
			c.State = s
			return nil
		},
		Run: func(c *op.Context) error {
			s := c.State.(*activating)
			s.in, s.out, s.offset, s.scratch = c.In(0), c.Out(0), nil, op.WorkspaceOf[float32](c)
			if c.Has(1) {
				s.offset = c.In(1)
			}
			c.For(s.parts, 1, s)
			return nil
		},
		DTypes: op.Uniform(activatingKernel(activateSingle), floatTypes...).And(op.ByType(map[tensor.DType]activatingKernel{tensor.F64: activateDouble})),
	}
}

// activatingKernel computes the elements [lo, hi), with two blocks of scratch.
type activatingKernel func(s *activating, scratch []float32, lo, hi int)

// activating is the State of an activation.
type activating struct {
	curve
	alpha           float32
	work            activatingKernel
	in, out, offset *tensor.View
	parts           int
	scratch         []float32 // two blocks a part
}

// Chunk implements op.Task over parts of the elements.
func (s *activating) Chunk(lo, hi int) {
	n := s.in.Elements()
	for p := lo; p < hi; p++ {
		s.work(s, s.scratch[p*2*block:(p+1)*2*block], n*p/s.parts, n*(p+1)/s.parts)
	}
}

// block is how many numbers are computed at once.
const block = 512

func activateSingle(s *activating, scratch []float32, lo, hi int) {
	room, rest := scratch[:block], scratch[block:]
	load, store := loaders[s.in.DType], storers[s.out.DType]
	for lo < hi {
		x := room[:min(block, hi-lo)]
		load(x, s.in, lo)
		if s.offset != nil {
			for i := 0; i < len(x); { // runs that do not pass the end of a row
				at := (lo + i) % s.offset.Elements()
				b := rest[:min(len(x)-i, s.offset.Elements()-at)]
				load(b, s.offset, at)
				vec.Combine(vec.Plus, x[i:i+len(b)], x[i:i+len(b)], b)
				i += len(b)
			}
		}
		s.single(x, rest[:len(x)], s.alpha)
		store(s.out, lo, x)
		lo += len(x)
	}
}

func activateDouble(s *activating, _ []float32, lo, hi int) {
	x, y := tensor.Elems[float64](s.in), tensor.Elems[float64](s.out)
	for i := lo; i < hi; i++ {
		v := x[i]
		if s.offset != nil {
			b := tensor.Elems[float64](s.offset)
			v += b[i%len(b)]
		}
		y[i] = s.double(v, float64(s.alpha))
	}
}

func gelu(x, _ []float32, _ float32) { vec.Apply(vec.Gelu, x, x) }
func gelu64(x, _ float64) float64    { return x / 2 * (1 + math.Erf(x/math.Sqrt2)) }

// tanhScale and tanhCube are those of the approximation of GELU.
const (
	tanhScale = 0.7978845608028654 // sqrt(2 / pi)
	tanhCube  = 0.044715
)

// What fastGelu multiplies and adds.
var (
	cubeFactor   = []float32{tanhScale * tanhCube}
	linearFactor = []float32{tanhScale}
	half         = []float32{0.5}
)

func fastGelu(x, t []float32, _ float32) {
	vec.Combine(vec.Times, t, x, x)
	vec.Combine(vec.Times, t, t, cubeFactor)
	vec.Combine(vec.Plus, t, t, linearFactor)
	vec.Combine(vec.Times, t, t, x)
	vec.Apply(vec.HyperbolicTangent, t, t)
	vec.Combine(vec.Times, t, t, half)
	vec.Combine(vec.Plus, t, t, half)
	vec.Combine(vec.Times, x, x, t)
}

func fastGelu64(x, _ float64) float64 {
	return x / 2 * (1 + math.Tanh(x*(tanhScale+tanhScale*tanhCube*x*x)))
}

func quickGelu(x, t []float32, alpha float32) {
	for i, v := range x {
		t[i] = alpha * v
	}
	vec.Apply(vec.Logistic, t, t)
	vec.Combine(vec.Times, x, x, t)
}

func quickGelu64(x, alpha float64) float64 { return x / (1 + math.Exp(-alpha*x)) }
