package ml

import (
	"slices"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// TreeEnsembleRegressor adds up what the leaves of many trees give.
// https://onnx.ai/onnx/operators/onnx_aionnxml_TreeEnsembleRegressor.html
// Departures: none. ONNX Runtime transforms a single target by PROBIT only.
var TreeEnsembleRegressor = op.Declare(Domain, "TreeEnsembleRegressor", func() op.Def {
	return op.Def{
		Versions: op.Versions{1: "", 3: "double thresholds", 5: "deprecated"},
		Attrs: append(slices.Clone(nodeAttrs), op.String("aggregate_function", "SUM"), op.Optional("n_targets", op.KindInt),
			op.Ints("target_ids"), op.Ints("target_nodeids"), op.Ints("target_treeids"), op.Floats("target_weights"), op.Tensor("target_weights_as_tensor")),
		Shape:   func(c *op.Infer) error { return targetsShape(c, tensor.F32, "target_ids") },
		Prepare: func(c *op.Context) error { return op.Row[regression](c).prepare(c) },
		Run: func(c *op.Context) error {
			op.Row[regression](c).run(c)
			return nil
		},
		DTypes: op.ByType(map[tensor.DType]regression{
			tensor.F32: regressionOf[float32](load[float32]), tensor.F64: regressionOf[float64](load[float64]),
			tensor.I64: regressionOf[float64](load[int64]), tensor.I32: regressionOf[float64](load[int32]),
		}),
		Columns: op.AnyMatrix,
	}
})

// targetsShape: x [N, F] -> [N, targets] of type d; ids is the attribute with the target
// of each weight.
func targetsShape(c *op.Infer, d tensor.DType, ids string) error {
	x := c.In(0)
	if err := matrixShape(x); err != nil {
		return err
	}
	out := c.Grow(0, d, 2)
	out[0], out[1] = rowsOf(x), targetsOf(c.Attr, ids)
	if out[1] < 0 || out[1] > mostTargets {
		return errs.New(errs.Model, "n_targets is %d: it must lie in [0, %d]", out[1], mostTargets)
	}
	return nil
}

// targetsOf returns n_targets or, where the model does not say it, what the greatest
// target asks for.
func targetsOf(a *op.Values, ids string) int {
	if a.Has("n_targets") {
		return a.Int("n_targets")
	}
	n := 0
	for _, id := range a.Ints(ids) {
		n = max(n, id+1)
	}
	return n
}

// regression prepares and runs for one input type.
type regression struct {
	prepare func(c *op.Context) error
	run     func(c *op.Context)
}

// regressor is the State.
type regressor[T number] struct {
	ensemble  *ensemble[T]
	base      []T
	aggregate aggregate
	transform transform
	out       []float32
}

func regressionOf[T number](load loader) regression {
	return regression{
		prepare: func(c *op.Context) error {
			f, err := newRegressor[T](c, load)
			c.State = f
			return err
		},
		run: func(c *op.Context) {
			f := c.State.(*regressor[T])
			f.out = tensor.Elems[float32](c.Out(0))
			f.ensemble.run(c)
		},
	}
}

func newRegressor[T number](c *op.Context, load loader) (*regressor[T], error) {
	a := c.Attr
	f := &regressor[T]{}
	var ok bool
	if f.aggregate, ok = aggregates[a.Str("aggregate_function")]; !ok {
		return nil, errs.New(errs.Argument, "aggregate_function %q is none of SUM, AVERAGE, MIN, MAX", a.Str("aggregate_function"))
	}
	var err error
	if f.transform, err = transformOf(a.Str("post_transform")); err != nil {
		return nil, err
	}
	targets := targetsOf(a, "target_ids")
	if f.base, err = baseOf[T](a, targets); err != nil {
		return nil, err
	}
	g, err := woodOf[T](c, func(features int) (*wood[T], error) {
		forest, votes, err := newForest[T](a, "target_", features, targets)
		if err != nil {
			return nil, err
		}
		return newWood(c.In(0).DType, forest, votes, targets, features, f.aggregate), nil
	})
	if err != nil {
		return nil, err
	}
	f.ensemble = newEnsemble(c, g, load, f)
	return f, nil
}

// finish implements finisher. A target that no leaf spoke for has its base value.
func (f *regressor[T]) finish(row int, sums []T, _ []bool) {
	out := f.out[row*len(sums) : (row+1)*len(sums)]
	for i, s := range sums {
		if f.aggregate == average {
			s /= T(f.ensemble.trees.Len())
		}
		switch len(f.base) {
		case 0:
		case 1:
			s += f.base[0]
		default:
			s += f.base[i]
		}
		out[i] = float32(s)
	}
	apply(f.transform, out)
}
