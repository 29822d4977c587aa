package ml

import (
	"math"
	"slices"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/tree"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// TreeEnsembleRegressor adds up what the leaves of many trees give.
// https://onnx.ai/onnx/operators/onnx_aionnxml_TreeEnsembleRegressor.html
// Departures: none.
var TreeEnsembleRegressor = op.Declare(op.Def{
	Name: "TreeEnsembleRegressor", Domain: Domain, Versions: op.Versions{1: "", 3: "double thresholds", 5: "deprecated"},
	Attrs: append(slices.Clone(nodeAttrs), op.String("aggregate_function", "SUM"), op.Floats("base_values"), op.Tensor("base_values_as_tensor"),
		op.Optional("n_targets", op.KindInt), op.Tensor("nodes_hitrates_as_tensor"), op.Tensor("nodes_values_as_tensor"),
		op.String("post_transform", "NONE"), op.Ints("target_ids"), op.Ints("target_nodeids"), op.Ints("target_treeids"),
		op.Floats("target_weights"), op.Tensor("target_weights_as_tensor")),
	Shape: func(c *op.Infer) error {
		x := c.In(0)
		if len(x) != 1 && len(x) != 2 {
			return errs.New(errs.Shape, "X has shape %v, [N, F] or [F] expected", x)
		}
		out := c.Grow(0, tensor.F32, 2)
		out[0], out[1] = rowsOf(x), targets(c.Attr)
		return nil
	},
	Prepare: func(c *op.Context) error { return op.Row[ensemble](c).prepare(c) },
	Run: func(c *op.Context) error {
		op.Row[ensemble](c).run(c)
		return nil
	},
	DTypes: op.ByType(map[tensor.DType]ensemble{
		tensor.F32: ensembleOf[float32, float32](), tensor.F64: ensembleOf[float64, float64](),
		tensor.I64: ensembleOf[int64, float64](), tensor.I32: ensembleOf[int32, float64](),
	}),
})

func rowsOf(x tensor.Shape) int {
	if len(x) == 1 {
		return 1
	}
	return x[0]
}

func targets(a *op.Values) int {
	if a.Has("n_targets") {
		return a.Int("n_targets")
	}
	n := 0
	for _, id := range a.Ints("target_ids") {
		n = max(n, id+1)
	}
	return n
}

// ensemble prepares and runs for one input type.
type ensemble struct {
	prepare func(c *op.Context) error
	run     func(c *op.Context)
}

// forest is the State: rows of In are walked as T.
type forest[In float32 | float64 | int32 | int64, T float32 | float64] struct {
	trees     *tree.Forest[T]
	targets   int
	features  int
	base      []T
	aggregate string
	transform func([]float32)
	out       []float32
	in        []In
	scratch   [][]T // one row of features for each chunk at work
	free      chan int
}

func ensembleOf[In float32 | float64 | int32 | int64, T float32 | float64]() ensemble {
	return ensemble{
		prepare: func(c *op.Context) error {
			f, err := newEnsemble[In, T](c)
			c.State = f
			return err
		},
		run: func(c *op.Context) {
			f := c.State.(*forest[In, T])
			f.out, f.in = tensor.Elems[float32](c.Out(0)), tensor.Elems[In](c.In(0))
			c.For(rowsOf(c.In(0).Shape), max(1, 2000/max(1, len(f.trees.Roots))), f)
		},
	}
}

func newEnsemble[In float32 | float64 | int32 | int64, T float32 | float64](c *op.Context) (*forest[In, T], error) {
	a, x := c.Attr, c.In(0).Shape
	f := &forest[In, T]{targets: targets(a), features: x[len(x)-1], base: numbers[T](a, "base_values"), aggregate: a.Str("aggregate_function")}
	for _, id := range a.Ints("target_ids") {
		if id < 0 || id >= f.targets {
			return nil, errs.New(errs.Model, "target id %d is outside [0, %d)", id, f.targets)
		}
	}
	if n := len(f.base); n != 0 && n != 1 && n != f.targets {
		return nil, errs.New(errs.Model, "%d base values given for %d targets", n, f.targets)
	}
	if !slices.Contains([]string{"SUM", "AVERAGE", "MIN", "MAX"}, f.aggregate) {
		return nil, errs.New(errs.Argument, "aggregate_function %q is none of SUM, AVERAGE, MIN, MAX", f.aggregate)
	}
	var ok bool
	if f.transform, ok = transforms[a.Str("post_transform")]; !ok {
		return nil, errs.New(errs.Argument, "post_transform %q is none that the specification names", a.Str("post_transform"))
	}
	var err error
	f.trees, err = newForest(a, leafWeights{a.Ints("target_treeids"), a.Ints("target_nodeids"), a.Ints("target_ids")}, numbers[T](a, "target_weights"), f.features)
	slots := c.Threads() + 1
	f.free = make(chan int, slots)
	for i := range slots {
		f.scratch = append(f.scratch, make([]T, f.features+f.targets))
		f.free <- i
	}
	return f, err
}

// Chunk implements op.Task over the rows.
func (f *forest[In, T]) Chunk(lo, hi int) {
	slot := <-f.free
	defer func() { f.free <- slot }()
	x, sums := f.scratch[slot][:f.features], f.scratch[slot][f.features:]
	for r := lo; r < hi; r++ {
		for i, v := range f.in[r*f.features : (r+1)*f.features] {
			x[i] = T(v)
		}
		f.row(x, sums)
		out := f.out[r*f.targets : (r+1)*f.targets]
		for i, s := range sums {
			out[i] = float32(s)
		}
		f.transform(out)
	}
}

// row computes the sums of one row.
func (f *forest[In, T]) row(x, sums []T) {
	start := T(0)
	switch f.aggregate {
	case "MIN":
		start = T(math.Inf(1))
	case "MAX":
		start = T(math.Inf(-1))
	}
	for i := range sums {
		sums[i] = start
	}
	for _, root := range f.trees.Roots {
		leaf := f.trees.Leaf(root, x)
		for _, w := range f.trees.Weights[leaf.Yes:leaf.No] {
			switch f.aggregate {
			case "MIN":
				sums[w.Target] = min(sums[w.Target], w.Value)
			case "MAX":
				sums[w.Target] = max(sums[w.Target], w.Value)
			default:
				sums[w.Target] += w.Value
			}
		}
	}
	for i := range sums {
		if f.aggregate == "AVERAGE" {
			sums[i] /= T(len(f.trees.Roots))
		}
		if math.IsInf(float64(sums[i]), 0) && sums[i] == start {
			sums[i] = 0 // no leaf speaks for this target
		}
		switch len(f.base) {
		case 0:
		case 1:
			sums[i] += f.base[0]
		default:
			sums[i] += f.base[i]
		}
	}
}
