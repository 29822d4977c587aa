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
	apart               bool // it is of squared distances, others are of products
	gamma, coef, degree float32
	panels              tensor.View // the vectors as gemm reads them
	from                *op.Rows
	in                  *tensor.View
	load                rowLoader
	end                 similarityFinisher
	rooms               []svmRoom
	free                chan int
}

// similarityFinisher makes the outputs of n rows from row on, given how similar each is to
// each vector; scratch has as many numbers as newMachine was asked for.
type similarityFinisher interface {
	finishSimilar(row, n int, similar []float32, scratch []float64)
}

// svmRoom is the scratch memory of one chunk at work.
type svmRoom struct {
	x, similar tensor.View // rows and out as gemm takes them
	rows, out  []float32
	scratch    []float64
}

// together is how many rows are compared with the vectors at once.
const together = 24

var kernels = map[string]func(*machine, []float32){
	"LINEAR":  func(*machine, []float32) {},
	"RBF":     (*machine).radial,
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
	m.kernel, m.apart = f, name == "RBF" && !linear
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
	m.from = op.NewRows(c, 0)
	var err error
	m.panels, err = op.Derive(c.Attr, vectorsKey{m.features}, func() (tensor.View, error) { return packVectors(vectors, m.vectors, m.features) })
	if err != nil {
		return err
	}
	n := c.Threads() + 1
	m.rooms, m.free = make([]svmRoom, n), make(chan int, n)
	for i := range m.rooms {
		r := &m.rooms[i]
		r.rows, r.out, r.scratch = make([]float32, together*m.features), make([]float32, together*m.vectors), make([]float64, scratch)
		if r.x, err = tensor.ViewOf(tensor.F32, tensor.Shape{len(r.rows)}, r.rows); err != nil {
			return err
		}
		if r.similar, err = tensor.ViewOf(tensor.F32, tensor.Shape{len(r.out)}, r.out); err != nil {
			return err
		}
		m.free <- i
	}
	return nil
}

// vectorsKey is what the panels of the vectors depend on beside the attributes.
type vectorsKey struct{ features int }

// packVectors returns n vectors as gemm reads them.
func packVectors(list []float32, n, features int) (tensor.View, error) {
	panels := make([]float32, gemm.PackedSize(features, n))
	gemm.PackB(panels, list, features, n, 1, features)
	return tensor.ViewOf(tensor.F32, tensor.Shape{len(panels)}, panels)
}

// rowLoader reads the numbers of rows as float32s.
type rowLoader func(dst []float32, in *tensor.View)

func loadRow[T float32 | float64 | int64 | int32](dst []float32, in *tensor.View) {
	for i, x := range tensor.Elems[T](in) {
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
	r, from := &m.rooms[slot], m.from.Take()
	defer m.from.Give(from)
	for lo < hi {
		n := min(hi-lo, together)
		n = from.Read(m.in, lo, lo+n)
		x := &from.View
		if m.in.DType != tensor.F32 {
			m.load(r.rows[:n*m.features], &from.View)
			x = &r.x
		}
		m.compare(r, x, n)
		m.end.finishSimilar(lo, n, r.out[:n*m.vectors], r.scratch)
		lo += n
	}
}

// compare computes the kernel of the first n rows of x and each vector.
func (m *machine) compare(r *svmRoom, x *tensor.View, n int) {
	if m.vectors == 0 {
		return
	}
	gemm.Run(&gemm.Args{
		M: n, N: m.vectors, K: m.features, A: x.Data, LDA: m.features, B: m.panels.Data, C: r.similar.Data, LDC: m.vectors, Apart: m.apart,
	}, 0, n, 0, m.vectors)
	m.kernel(m, r.out[:n*m.vectors])
}

// radial is exp(-gamma |x - v|^2), the squares added feature after feature.
func (m *machine) radial(out []float32) {
	gamma := [1]float32{-m.gamma}
	vec.Combine(vec.Times, out, out, gamma[:])
	vec.Apply(vec.Exponential, out, out)
}

// polynomial is (gamma x v + coef0)^degree.
func (m *machine) polynomial(out []float32) {
	switch m.degree {
	case 2:
		vec.Bend(vec.Square, out, out, m.gamma, m.coef)
	case 3:
		vec.Bend(vec.Cube, out, out, m.gamma, m.coef)
	default:
		vec.Bend(vec.Line, out, out, m.gamma, m.coef)
		for i, x := range out {
			out[i] = float32(math.Pow(float64(x), float64(m.degree)))
		}
	}
}

// sigmoid is tanh(gamma x v + coef0).
func (m *machine) sigmoid(out []float32) {
	vec.Bend(vec.Line, out, out, m.gamma, m.coef)
	vec.Apply(vec.HyperbolicTangent, out, out)
}
