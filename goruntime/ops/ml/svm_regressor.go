package ml

import (
	"slices"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/dot"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// SVMRegressor weighs the support vectors by their similarity to a row; with
// one_class the output is 1 or -1.
// https://onnx.ai/onnx/operators/onnx_aionnxml_SVMRegressor.html
// Departures: none. ONNX Runtime ignores post_transform.
var SVMRegressor = op.Declare(Domain, "SVMRegressor", func() op.Def {
	return op.Def{
		Versions: op.Versions{1: ""},
		Attrs:    append(slices.Clone(svmAttrs), op.Int("n_supports", 0), op.Int("one_class", 0)),
		Shape: func(c *op.Infer) error {
			if err := matrixShape(c.In(0)); err != nil {
				return err
			}
			out := c.Grow(0, tensor.F32, 2)
			out[0], out[1] = rowsOf(c.In(0)), 1
			return nil
		},
		Prepare: func(c *op.Context) error {
			f, err := newSVMRegressor(c)
			c.State = f
			return err
		},
		Run: func(c *op.Context) error {
			f := c.State.(*svmRegressor)
			f.out = tensor.Elems[float32](c.Out(0))
			f.machine.run(c)
			return nil
		},
		DTypes:  rowLoaders,
		Columns: op.AnyMatrix,
	}
})

// svmRegressor is the State.
type svmRegressor struct {
	machine      *machine
	coefficients []float32
	rho          float32
	oneClass     bool
	transform    transform
	out          []float32
}

func newSVMRegressor(c *op.Context) (*svmRegressor, error) {
	a := c.Attr
	f := &svmRegressor{coefficients: a.Floats("coefficients"), oneClass: a.Bool("one_class")}
	var err error
	if f.transform, err = transformOf(a.Str("post_transform")); err != nil {
		return nil, err
	}
	if rho := a.Floats("rho"); len(rho) > 0 {
		f.rho = rho[0]
	}
	if n := a.Int("n_supports"); n > 0 {
		if len(f.coefficients) != n {
			return nil, errs.New(errs.Model, "%d coefficients given for %d support vectors", len(f.coefficients), n)
		}
		f.machine, err = newMachine(c, a.Floats("support_vectors"), n, 0, false)
	} else { // the only vector holds the coefficients
		f.machine, err = newMachine(c, f.coefficients, 1, 0, true)
		f.coefficients = []float32{1}
	}
	if err == nil {
		f.machine.end = f
	}
	return f, err
}

// finishSimilar implements similarityFinisher.
func (f *svmRegressor) finishSimilar(row int, similar []float32, _ []float64) {
	s := float64(f.rho) + dot.Wide(similar, f.coefficients)
	out := f.out[row : row+1]
	out[0] = float32(s)
	switch {
	case !f.oneClass:
		apply(f.transform, out)
	case s > 0:
		out[0] = 1
	default:
		out[0] = -1
	}
}
