package shape

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Split cuts a tensor into parts along one axis: of given sizes, or equal ones
// of which the last may be smaller.
// https://onnx.ai/onnx/operators/onnx__Split.html   Departures: none.
var Split = op.Declare("", "Split", func() op.Def {
	return op.Def{
		Halves:   op.KeptHalves,
		Versions: op.Versions{18: "num_outputs, uneven parts"},
		Attrs:    op.Attrs(op.Int("axis", 0), op.Optional("num_outputs", op.KindInt)),
		Shape: func(c *op.Infer) error {
			n := c.Outputs()
			switch {
			case c.Has(1) && c.Attr.Has("num_outputs"):
				return errs.New(errs.Model, "both the input split and num_outputs are given: one of them is expected")
			case c.Has(1):
				sizes, err := c.Ints(1)
				return splitShape(c, sizes, true, false, err)
			case !c.Attr.Has("num_outputs"):
				return errs.New(errs.Model, "neither the input split nor num_outputs is given: one of them is expected")
			case c.Attr.Int("num_outputs") != n:
				return errs.New(errs.Model, "num_outputs is %d, the node has %d outputs", c.Attr.Int("num_outputs"), n)
			}
			return splitShape(c, nil, false, true, nil)
		},
		Prepare: splitPrepare(false),
		Run:     splitRun,
		Cuts:    splitCuts,
		DTypes:  wholeBytes,
		Also:    map[int][]tensor.DType{1: {tensor.I64}},
	}
})

// Split13 is Split before version 18: equal parts must be equal.
var Split13 = op.Declare("", "Split", func() op.Def {
	return op.Def{
		Halves:   op.KeptHalves,
		Versions: op.Versions{13: "split is an input"},
		Attrs:    op.Attrs(op.Int("axis", 0)),
		Shape: func(c *op.Infer) error {
			if !c.Has(1) {
				return splitShape(c, nil, false, false, nil)
			}
			sizes, err := c.Ints(1)
			return splitShape(c, sizes, true, false, err)
		},
		Prepare: splitPrepare(false),
		Run:     splitRun,
		Cuts:    splitCuts,
		DTypes:  wholeBytes,
		Also:    map[int][]tensor.DType{1: {tensor.I64}},
	}
})

// Split2 is Split before version 13: the sizes are an attribute.
var Split2 = op.Declare("", "Split", func() op.Def {
	return op.Def{
		Halves:   op.KeptHalves,
		Versions: op.Versions{2: "split is an attribute", 11: "negative axes"},
		Attrs:    op.Attrs(op.Int("axis", 0), op.Ints("split")),
		Shape: func(c *op.Infer) error {
			return splitShape(c, c.Attr.Ints("split"), c.Attr.Has("split"), false, nil)
		},
		Prepare: splitPrepare(true),
		Run:     splitRun,
		Cuts:    splitCuts,
		DTypes:  wholeBytes,
	}
})

// Split1 is Split before version 2: the sizes are an attribute or an input of
// the type of the data.
var Split1 = op.Declare("", "Split", func() op.Def {
	return op.Def{
		Halves:   op.KeptHalves,
		Versions: op.Versions{1: "split is an attribute or a floating-point input"},
		Attrs:    op.Attrs(op.Int("axis", 0), op.Ints("split")),
		Shape: func(c *op.Infer) error {
			if !c.Has(1) {
				return splitShape(c, c.Attr.Ints("split"), c.Attr.Has("split"), false, nil)
			}
			sizes, err := c.Whole(1)
			return splitShape(c, sizes, true, false, err)
		},
		Prepare: splitPrepare(true),
		Run:     splitRun,
		Cuts:    splitCuts,
		DTypes:  wholeBytes,
	}
})

// splitShape sets the shapes of all outputs. err is that of reading the sizes;
// uneven lets the last equal parts be smaller.
func splitShape(c *op.Infer, sizes []int, given, uneven bool, err error) error {
	if err != nil {
		return err
	}
	in := c.In(0)
	axis, err := c.Axis("axis", len(in))
	if err != nil {
		return err
	}
	d, n := in[axis], c.Outputs()
	if given && len(sizes) != n {
		return errs.New(errs.Shape, "split %v has %d sizes, the node has %d outputs", sizes, len(sizes), n)
	}
	if !given && !uneven && d%n != 0 {
		return errs.New(errs.Shape, "axis %d of size %d cannot be split into %d equal parts", axis, d, n)
	}
	left := d
	for k := range n {
		size := min(left, (d+n-1)/n)
		if given {
			size = sizes[k]
		}
		if size < 0 || size > left {
			return errs.New(errs.Shape, "split %v does not fit axis %d of size %d", sizes, axis, d)
		}
		left -= size
		out := c.Grow(k, c.DType(0), len(in))
		copy(out, in)
		out[axis] = size
	}
	if left != 0 {
		return errs.New(errs.Shape, "split %v leaves %d of the %d elements of axis %d", sizes, left, d, axis)
	}
	return nil
}

// splitCuts tells where the parts begin that lie one behind the other.
func splitCuts(c *op.Infer) (first []int, ok bool) {
	at := 0
	for i := range c.Results() {
		first = append(first, at)
		at += c.Results()[i].Elements()
	}
	return first, outermost(c)
}

// splitPrepare returns the Prepare; attr tells whether the sizes may be an
// attribute.
func splitPrepare(attr bool) func(*op.Context) error {
	return func(c *op.Context) error {
		in := c.In(0)
		axis, err := tensor.Axis(c.Attr.Int("axis"), len(in.Shape))
		if err != nil {
			return err
		}
		d, n := in.Shape[axis], c.Outputs()
		var sizes []int
		switch {
		case c.Has(1):
			if sizes, err = c.Whole(1); err != nil {
				return err
			}
		case attr && c.Attr.Has("split"):
			sizes = c.Attr.Ints("split")
		default:
			for k := range n {
				each := (d + n - 1) / n
				sizes = append(sizes, min(each, max(0, d-k*each)))
			}
		}
		c.State = newBlocks(in, axis, sizes, false)
		return nil
	}
}

func splitRun(c *op.Context) error {
	b := c.State.(*blocks)
	b.whole = c.In(0).Raw()
	for k := range b.parts {
		if c.Wants(k) {
			b.parts[k].data = c.Out(k).Raw()
		}
	}
	b.settle()
	b.run(c)
	return nil
}
