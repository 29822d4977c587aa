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
	coefficients dot.Factors
	rho          float32
	oneClass     bool
	transform    transform
	out          []float32
}

func newSVMRegressor(c *op.Context) (*svmRegressor, error) {
	a := c.Attr
	coefficients := a.Floats("coefficients")
	f := &svmRegressor{oneClass: a.Bool("one_class")}
	var err error
	if f.transform, err = transformOf(a.Str("post_transform")); err != nil {
		return nil, err
	}
	if rho := a.Floats("rho"); len(rho) > 0 {
		f.rho = rho[0]
	}
	if n := a.Int("n_supports"); n > 0 {
		if len(coefficients) != n {
			return nil, errs.New(errs.Model, "%d coefficients given for %d support vectors", len(coefficients), n)
		}
		f.machine, err = newMachine(c, a.Floats("support_vectors"), n, together, false)
	} else { // the only vector holds the coefficients
		f.machine, err = newMachine(c, coefficients, 1, together, true)
		coefficients = []float32{1}
	}
	if err == nil {
		f.coefficients = dot.NewFactors(coefficients, 1, len(coefficients), 0)
		f.machine.end = f
	}
	return f, err
}

// finishSimilar implements similarityFinisher.
func (f *svmRegressor) finishSimilar(row, n int, similar []float32, scratch []float64) {
	sums, out := scratch[:n], f.out[row:row+n]
	f.coefficients.Sums(sums, similar, n, f.machine.vectors)
	for i, s := range sums {
		s += float64(f.rho)
		out[i] = float32(s)
		switch {
		case !f.oneClass:
			apply(f.transform, out[i:i+1])
		case s > 0:
			out[i] = 1
		default:
			out[i] = -1
		}
	}
}
