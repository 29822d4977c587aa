package ml

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/gemm"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// affine computes scores X [N, F] * coefficients [targets, F] + intercepts, a row
// after the other, and hands each row to finish.
type affine struct {
	features, targets int
	stride            int // of the rows of scores
	coefficients      []float32
	intercepts        tensor.View
	panels            tensor.View // the coefficients as gemm reads them
	rows              *op.Rows
	in                *tensor.View
	out               tensor.View // [N, stride]
	kernel            affineKernel
	end               rowFinisher
	transform         transform // of the scores, when the rows are finished
}

// rowFinisher looks at the scores of a row before they are transformed.
type rowFinisher interface {
	finishRow(row int, scores []float32)
}

// newAffine reads the coefficients for rows of x; targets is 0 where the number of
// intercepts decides, or that of coefficients where there are none. Coefficients
// beyond those needed are ignored: published models have them.
func newAffine(c *op.Context, targets int) (*affine, error) {
	a, x := c.Attr, c.In(0).Shape
	coefficients, intercepts := a.Floats("coefficients"), a.Floats("intercepts")
	f := &affine{features: featuresOf(x), targets: targets, rows: op.NewRows(c, 0)}
	if targets == 0 {
		f.targets = len(intercepts)
	}
	if f.targets == 0 && f.features > 0 {
		f.targets = len(coefficients) / f.features
	}
	if len(coefficients) < f.targets*f.features {
		return nil, errs.New(errs.Model, "%d coefficients given for %d targets of %d features", len(coefficients), f.targets, f.features)
	}
	f.coefficients = coefficients[:f.targets*f.features]
	if len(intercepts) == 0 {
		intercepts = make([]float32, f.targets)
	}
	if len(intercepts) != f.targets {
		return nil, errs.New(errs.Model, "%d intercepts given for %d targets", len(intercepts), f.targets)
	}
	f.stride = f.targets
	var err error
	if f.intercepts, err = tensor.ViewOf(tensor.F32, tensor.Shape{f.targets}, intercepts); err != nil {
		return nil, err
	}
	f.panels, err = op.Derive(a, panelsKey{f.features, f.targets}, func() (tensor.View, error) {
		panels := make([]float32, gemm.PackedSize(f.features, f.targets))
		gemm.PackB(panels, f.coefficients, f.features, f.targets, 1, f.features)
		return tensor.ViewOf(tensor.F32, tensor.Shape{len(panels)}, panels)
	})
	return f, err
}

// panelsKey is what the panels depend on beside the attributes.
type panelsKey struct{ features, targets int }

// run computes the scores of all rows into out.
func (f *affine) run(c *op.Context, kernel affineKernel) {
	f.in, f.kernel = c.In(0), kernel
	c.For(rowsOf(f.in.Shape), max(1, (256<<10)/max(1, f.features*f.targets)), f)
}

// Chunk implements op.Task over the rows.
func (f *affine) Chunk(lo, hi int) {
	m := f.rows.Take()
	for at := lo; at < hi; {
		n := m.Read(f.in, at, hi)
		f.kernel(f, &m.View, at)
		at += n
	}
	f.rows.Give(m)
	out := tensor.Elems[float32](&f.out)
	if f.end != nil {
		for r := lo; r < hi; r++ {
			f.end.finishRow(r, out[r*f.stride:(r+1)*f.stride])
		}
	}
	applyRows(f.transform, out[lo*f.stride:hi*f.stride], f.stride)
}

// affineKernel computes the scores of the rows x, the first of which is number first.
type affineKernel func(f *affine, x *tensor.View, first int)

// affineKernels are the rows for the types that the linear operators take: f32
// sums in f32, the others in f64.
var affineKernels = op.ByType(map[tensor.DType]affineKernel{
	tensor.F32: affine32, tensor.F64: affineOf[float64], tensor.I64: affineOf[int64], tensor.I32: affineOf[int32],
})

func affine32(f *affine, x *tensor.View, first int) {
	if f.targets == 0 {
		return
	}
	gemm.Run(&gemm.Args{
		M: x.Shape[0], N: f.targets, K: f.features, A: x.Data, LDA: f.features, B: f.panels.Data, C: f.out.At(first * f.stride), LDC: f.stride,
		Start: gemm.Columns, Bias: f.intercepts.Data,
	}, 0, x.Shape[0], 0, f.targets)
}

func affineOf[T float64 | int64 | int32](f *affine, x *tensor.View, first int) {
	out, start := tensor.Elems[float32](&f.out)[first*f.stride:], tensor.Elems[float32](&f.intercepts)
	for r := range x.Shape[0] {
		row := tensor.Rows[T](x, r, r+1)
		for t := range f.targets {
			s := float64(start[t])
			for i, w := range f.coefficients[t*f.features : (t+1)*f.features] {
				s += float64(row[i]) * float64(w)
			}
			out[r*f.stride+t] = float32(s)
		}
	}
}
