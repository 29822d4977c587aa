package ml

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/gemm"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The attributes of both support vector machines.
var svmAttrs = op.Attrs(op.Floats("coefficients"), op.Floats("kernel_params"), op.String("kernel_type", "LINEAR"), op.String("post_transform", "NONE"),
	op.Floats("rho"), op.Floats("support_vectors"))

// machine compares rows with support vectors by a kernel function. Everything is
// computed in float32 but for the sums over the vectors.
type machine struct {
	vectors, features   int
	kernel              func(m *machine, out []float32)
	gamma, coef, degree float32
	transposed          []float32   // [features, vectors]
	panels              tensor.View // the same as gemm reads it
	in                  *tensor.View
	load                rowLoader
	end                 similarityFinisher
	rooms               []svmRoom
	free                chan int
}

// similarityFinisher makes the outputs of a row, given how similar it is to each
// vector; scratch has as many numbers as newMachine was asked for.
type similarityFinisher interface {
	finishSimilar(row int, similar []float32, scratch []float64)
}

// svmRoom is the scratch memory of one chunk at work.
type svmRoom struct {
	x, similar   tensor.View
	row, out, by []float32
	scratch      []float64
}

var kernels = map[string]func(*machine, []float32){
	"LINEAR":  func(*machine, []float32) {},
	"RBF":     nil, // does not come from products
	"POLY":    (*machine).polynomial,
	"SIGMOID": (*machine).sigmoid,
}

// newMachine takes rows of x and so many vectors one after the other; without any
// the machine is linear and its vectors are the coefficients.
func newMachine(c *op.Context, vectors []float32, n, scratch int, linear bool) (*machine, error) {
	a := c.Attr
	m := &machine{vectors: n, features: featuresOf(c.In(0).Shape)}
	if len(vectors) != n*m.features {
		return nil, errs.New(errs.Model, "%d numbers given for %d vectors of %d features", len(vectors), n, m.features)
	}
	name := a.Str("kernel_type")
	f, ok := kernels[name]
	if !ok {
		return nil, errs.New(errs.Argument, "kernel_type %q is none of LINEAR, POLY, RBF, SIGMOID", name)
	}
	if linear {
		f = kernels["LINEAR"]
	}
	m.kernel = f
	switch p := a.Floats("kernel_params"); len(p) {
	case 0:
	case 3:
		m.gamma, m.coef, m.degree = p[0], p[1], p[2]
	default:
		return nil, errs.New(errs.Model, "kernel_params has %d numbers, 3 expected: gamma, coef0, degree", len(p))
	}
	return m, m.build(c, vectors, scratch)
}

func (m *machine) build(c *op.Context, vectors []float32, scratch int) error {
	m.transposed = make([]float32, len(vectors))
	for i := range m.vectors {
		for f := range m.features {
			m.transposed[f*m.vectors+i] = vectors[i*m.features+f]
		}
	}
	panels := make([]float32, gemm.PackedSize(m.features, m.vectors))
	gemm.PackB(panels, vectors, m.features, m.vectors, 1, m.features)
	var err error
	if m.panels, err = tensor.ViewOf(tensor.F32, tensor.Shape{len(panels)}, panels); err != nil {
		return err
	}
	n := c.Threads() + 1
	m.rooms, m.free = make([]svmRoom, n), make(chan int, n)
	for i := range m.rooms {
		r := &m.rooms[i]
		r.row, r.out, r.by, r.scratch = make([]float32, m.features), make([]float32, m.vectors), make([]float32, m.vectors), make([]float64, scratch)
		if r.x, err = tensor.ViewOf(tensor.F32, tensor.Shape{m.features}, r.row); err != nil {
			return err
		}
		if r.similar, err = tensor.ViewOf(tensor.F32, tensor.Shape{m.vectors}, r.out); err != nil {
			return err
		}
		m.free <- i
	}
	return nil
}

// rowLoader reads a row as float32s.
type rowLoader func(dst []float32, in *tensor.View, at int)

func loadRow[T float32 | float64 | int64 | int32](dst []float32, in *tensor.View, at int) {
	for i, x := range tensor.Elems[T](in)[at : at+len(dst)] {
		dst[i] = float32(x)
	}
}

// rowLoaders are the rows of the types that the machines take.
var rowLoaders = op.ByType(map[tensor.DType]rowLoader{
	tensor.F32: loadRow[float32], tensor.F64: loadRow[float64], tensor.I64: loadRow[int64], tensor.I32: loadRow[int32],
})

func (m *machine) run(c *op.Context) {
	m.in, m.load = c.In(0), op.Row[rowLoader](c)
	c.For(rowsOf(m.in.Shape), max(1, (64<<10)/max(1, m.features*m.vectors)), m)
}

// Chunk implements op.Task over the rows.
func (m *machine) Chunk(lo, hi int) {
	slot := <-m.free
	defer func() { m.free <- slot }()
	r := &m.rooms[slot]
	for row := lo; row < hi; row++ {
		m.load(r.row, m.in, row*m.features)
		m.similar(r)
		m.end.finishSimilar(row, r.out, r.scratch)
	}
}

// similar computes the kernel of a room's row and each vector.
func (m *machine) similar(r *svmRoom) {
	if m.vectors == 0 {
		return
	}
	if m.kernel == nil {
		m.radial(r)
		return
	}
	gemm.Run(&gemm.Args{M: 1, N: m.vectors, K: m.features, A: r.x.Data, LDA: m.features, B: m.panels.Data, C: r.similar.Data, LDC: m.vectors}, 0, 1, 0, m.vectors)
	m.kernel(m, r.out)
}

// radial is exp(-gamma |x - v|^2).
func (m *machine) radial(r *svmRoom) {
	clear(r.out)
	for f := range r.row {
		vec.Combine(vec.Minus, r.by, m.transposed[f*m.vectors:(f+1)*m.vectors], r.row[f:f+1])
		vec.Combine(vec.Times, r.by, r.by, r.by)
		vec.Combine(vec.Plus, r.out, r.out, r.by)
	}
	for i, d := range r.out {
		r.out[i] = -m.gamma * d
	}
	vec.Apply(vec.Exponential, r.out, r.out)
}

// polynomial is (gamma x v + coef0)^degree.
func (m *machine) polynomial(out []float32) {
	for i, p := range out {
		x := m.gamma*p + m.coef
		switch m.degree {
		case 2:
			out[i] = x * x
		case 3:
			out[i] = x * x * x
		default:
			out[i] = float32(math.Pow(float64(x), float64(m.degree)))
		}
	}
}

// sigmoid is tanh(gamma x v + coef0).
func (m *machine) sigmoid(out []float32) {
	for i, p := range out {
		out[i] = m.gamma*p + m.coef
	}
	vec.Apply(vec.HyperbolicTangent, out, out)
}
