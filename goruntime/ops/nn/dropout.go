package nn

import (
	"math/rand/v2"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/wide"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Dropout copies its input or, in training mode, zeroes each element with the
// probability ratio and scales the others by 1 / (1 - ratio). With a seed the
// mask is that of numpy.random.seed and uniform; without, it differs in each
// run.
// https://onnx.ai/onnx/operators/onnx__Dropout.html   Departures: none.
var Dropout = op.Declare("", "Dropout", func() op.Def {
	return op.Def{
		Versions: op.Versions{12: "ratio and training_mode are inputs", 13: "bfloat16", 22: "float8"},
		Attrs:    op.Attrs(op.Optional("seed", op.KindInt)),
		InPlace:  op.FirstOnly, Random: true,
		Shape:   dropoutShape,
		Prepare: dropoutPrepare,
		Cuts:    dropoutCuts,
		Run:     dropoutRun,
		DTypes:  dropouts.And(smallDropouts),
		Also:    map[int][]tensor.DType{1: ratioTypes, 2: {tensor.Bool}},
	}
})

// Dropout7 is Dropout before version 12, which only copies. Before version 10
// the mask has the type of the data.
var Dropout7 = op.Declare("", "Dropout", func() op.Def {
	return op.Def{
		Versions: op.Versions{7: "", 10: "the mask is bool"},
		Attrs:    op.Attrs(op.Float("ratio", 0.5)),
		InPlace:  op.FirstOnly,
		Shape:    dropoutShape, Prepare: dropoutPrepare, Cuts: dropoutCuts, Run: dropoutRun, DTypes: dropouts,
	}
})

// Dropout1 is Dropout before version 7, which trains unless is_test is set.
var Dropout1 = op.Declare("", "Dropout", func() op.Def {
	return op.Def{
		Versions: op.Versions{1: "", 6: ""},
		Attrs:    op.Attrs(op.Ints("consumed_inputs"), op.Int("is_test", 0), op.Float("ratio", 0.5)),
		InPlace:  op.FirstOnly, Random: true,
		Shape: dropoutShape, Prepare: dropoutPrepare, Cuts: dropoutCuts, Run: dropoutRun, DTypes: dropouts,
	}
})

var dropouts = floats(dropOf(single), dropOf(double), dropOf(half), dropOf(brain))

var smallDropouts = op.ByType(map[tensor.DType]dropKernel{
	tensor.F8E4M3FN: dropOf(wide.Small(tensor.E4M3FN)), tensor.F8E4M3UZ: dropOf(wide.Small(tensor.E4M3UZ)),
	tensor.F8E5M2: dropOf(wide.Small(tensor.E5M2)), tensor.F8E5M2UZ: dropOf(wide.Small(tensor.E5M2UZ)),
})

var ratioTypes = append(floatTypes[:4:4], tensor.F8E4M3FN, tensor.F8E4M3UZ, tensor.F8E5M2, tensor.F8E5M2UZ)

func dropoutShape(c *op.Infer) error {
	mask := tensor.Bool
	if c.Version < 10 {
		mask = c.DType(0)
	}
	c.SetOutput(1, mask, c.In(0))
	return op.SameAsInput(c)
}

// dropoutCuts tells where output 0 is all of input 0: where it is known that nothing is
// dropped, and that the ratio is one.
func dropoutCuts(c *op.Infer) (first []int, ok bool) {
	if c.Version < 7 {
		return []int{0}, c.Attr.Bool("is_test")
	}
	if c.Has(1) {
		v, err := c.View(1)
		if err != nil || v.Elements() != 1 {
			return nil, false
		}
		var ratio [1]float64
		if wide.Load[v.DType](ratio[:], v); !(ratio[0] >= 0 && ratio[0] <= 1) {
			return nil, false // the run's to refuse
		}
	}
	if c.Has(2) {
		v, err := c.View(2)
		return []int{0}, err == nil && v.Elements() == 1 && !tensor.Elems[bool](v)[0]
	}
	return []int{0}, true
}

// dropKernel copies what random leaves of the data, all where it is nil, and
// fills the mask where it is wanted.
type dropKernel func(c *op.Context, random *twister, ratio float64)

// dropping is the State of a Dropout: memory of a run.
type dropping struct {
	random twister
	ratio  [1]float64
}

func dropoutPrepare(c *op.Context) error {
	c.State = new(dropping)
	return nil
}

func dropoutRun(c *op.Context) error {
	k := op.Row[dropKernel](c)
	ratio, train, err := dropoutMode(c)
	if err != nil {
		return err
	}
	if !train || ratio == 0 {
		k(c, nil, 0)
		return nil
	}
	random := &c.State.(*dropping).random
	if c.Version >= 12 && c.Attr.Has("seed") {
		random.seed(uint32(c.Attr.Int("seed")))
	} else {
		random.seed(rand.Uint32())
	}
	k(c, random, ratio)
	return nil
}

// dropoutMode returns the ratio, and whether elements are to be dropped.
func dropoutMode(c *op.Context) (ratio float64, train bool, err error) {
	switch {
	case c.Version < 7:
		return float64(c.Attr.Float("ratio")), !c.Attr.Bool("is_test"), nil
	case c.Version < 12:
		return 0, false, nil
	}
	ratio = 0.5
	if c.Has(1) {
		if c.In(1).Elements() != 1 {
			return 0, false, errs.New(errs.Shape, "ratio has shape %v, one element expected", c.In(1).Shape)
		}
		s := c.State.(*dropping)
		wide.Load[c.In(1).DType](s.ratio[:], c.In(1))
		ratio = s.ratio[0]
	}
	if c.Has(2) {
		if train, err = op.Scalar[bool](c, 2); err != nil {
			return 0, false, err
		}
	}
	if !(ratio >= 0 && ratio <= 1) {
		return 0, false, errs.New(errs.Argument, "ratio is %v: it must lie in [0, 1]", ratio)
	}
	return ratio, train, nil
}

func dropOf[T any](n number[T]) dropKernel {
	return func(c *op.Context, random *twister, ratio float64) {
		out, in := tensor.Elems[T](c.Out(0)), tensor.Elems[T](c.In(0))
		var masks []T
		var bits []bool
		if c.Wants(1) && c.Out(1).DType == tensor.Bool {
			bits = tensor.Elems[bool](c.Out(1))
		} else if c.Wants(1) {
			masks = tensor.Elems[T](c.Out(1))
		}
		if random == nil {
			copy(out, in)
			for i := range bits {
				bits[i] = true
			}
			one := n.Narrow(1)
			for i := range masks {
				masks[i] = one
			}
			return
		}
		for i := range out {
			keep, mask := random.uniform() >= ratio, 0.0
			out[i], mask = dropped(n, in[i], keep, ratio)
			if bits != nil {
				bits[i] = keep
			}
			if masks != nil {
				masks[i] = n.Narrow(mask)
			}
		}
	}
}

// dropped returns what becomes of x, and its mask.
func dropped[T any](n number[T], x T, keep bool, ratio float64) (T, float64) {
	if keep {
		return n.Narrow(n.Widen(x) / (1 - ratio)), 1
	}
	return n.Narrow(0), 0
}
