package shape

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Pad adds to the ends of dimensions, or takes away where a pad is negative:
// first is taken away, then what is left is padded.
// https://onnx.ai/onnx/operators/onnx__Pad.html   Departures: none.
var Pad = op.Declare("", "Pad", func() op.Def {
	return op.Def{
		Halves: op.KeptHalves,
		Versions: op.Versions{
			11: "pads are an input", 13: "bfloat16", 18: "axes", 19: "wrap", 21: "float8, 4-bit types",
			23: "float4e2m1", 24: "float8e8m0", 25: "2-bit types",
		},
		Attrs: op.Attrs(op.String("mode", "constant")),
		Shape: func(c *op.Infer) error {
			pads, axes, err := padInputs(c)
			if err != nil {
				return err
			}
			return padShape(c, pads, axes, c.Has(3))
		},
		Prepare: func(c *op.Context) error {
			pads, axes, err := padInputs(c)
			if err != nil {
				return err
			}
			p, err := newPadding(c.Attr.Str("mode"), c.In(0).Shape, c.Out(0).Shape, pads, axes)
			c.State = p
			return err
		},
		Run: op.Unpacked(func(c *op.Context) error {
			p := c.State.(*padding)
			p.value = nil
			if c.Has(2) {
				p.value = c.In(2)
				if n := p.value.Elements(); n != 1 {
					return errs.New(errs.Shape, "constant_value has %d elements, one expected", n)
				}
			}
			p.run(c)
			return nil
		}),
		DTypes: op.ByWidth[padKernel](pad[uint8], pad[uint16], pad[uint32], pad[uint64], pad[op.Bytes16], pad[op.Bytes16]).
			And(op.Packed[padKernel](pad[uint8])),
		Also: map[int][]tensor.DType{1: {tensor.I64}, 3: {tensor.I32, tensor.I64}},
	}
})

// padInputs returns the paddings and the axes that they are of.
func padInputs(c intReader) (pads, axes []int, err error) {
	if pads, err = c.Ints(1); err != nil {
		return nil, nil, err
	}
	axes, err = optionalInts(c, 3)
	return pads, axes, err
}

// Pad2 is Pad before version 11: everything is an attribute, floats only.
var Pad2 = op.Declare("", "Pad", func() op.Def {
	return padOfAttrs(2, "pads")
})

// Pad1 is Pad2 under another name of its attribute. The example of version 1
// contradicts its text in the order of the paddings; the text is followed, as by
// all later versions.
var Pad1 = op.Declare("", "Pad", func() op.Def {
	return padOfAttrs(1, "paddings")
})

func padOfAttrs(version int, pads string) op.Def {
	return op.Def{
		Halves:   op.KeptHalves,
		Versions: op.Versions{version: pads + " are an attribute"},
		Attrs:    op.Attrs(op.Required(pads, op.KindInts), op.String("mode", "constant"), op.Float("value", 0)),
		Shape:    func(c *op.Infer) error { return padShape(c, c.Attr.Ints(pads), nil, false) },
		Prepare: func(c *op.Context) error {
			p, err := newPadding(c.Attr.Str("mode"), c.In(0).Shape, c.Out(0).Shape, c.Attr.Ints(pads), nil)
			if err != nil {
				return err
			}
			c.State = p
			p.value, err = padValues[c.In(0).DType](c.Attr.Float("value"))
			return err
		},
		Run: func(c *op.Context) error {
			c.State.(*padding).run(c)
			return nil
		},
		DTypes: op.ByType(map[tensor.DType]padKernel{tensor.F16: pad[uint16], tensor.F32: pad[uint32], tensor.F64: pad[uint64]}),
	}
}

// padValues make a scalar of the attribute value.
var padValues = map[tensor.DType]func(float32) (*tensor.View, error){
	tensor.F16: func(f float32) (*tensor.View, error) { return scalar(tensor.F16, tensor.HalfOf(f)) },
	tensor.F32: func(f float32) (*tensor.View, error) { return scalar(tensor.F32, f) },
	tensor.F64: func(f float32) (*tensor.View, error) { return scalar(tensor.F64, float64(f)) },
}

func scalar[T any](dtype tensor.DType, x T) (*tensor.View, error) {
	v, err := tensor.ViewOf(dtype, nil, []T{x})
	return &v, err
}

// padShape sets the output's shape: pads are [begin..., end...] of the axes,
// which are all where none are named.
func padShape(c *op.Infer, pads, axes []int, named bool) error {
	in := c.In(0)
	n := len(in)
	if named {
		n = len(axes)
	}
	if len(pads) != 2*n {
		return errs.New(errs.Shape, "%d pads given, %d expected: a begin and an end for each of %d axes", len(pads), 2*n, n)
	}
	out := c.Grow(0, c.DType(0), len(in))
	copy(out, in)
	for k := range n {
		a := k
		if named {
			var err error
			if a, err = tensor.Axis(axes[k], len(in)); err != nil {
				return err
			}
		}
		if out[a] += pads[k] + pads[k+n]; out[a] < 0 {
			return errs.New(errs.Shape, "pads %d and %d take more than the %d elements of axis %d", pads[k], pads[k+n], in[a], a)
		}
	}
	_, err := out.Check(c.DType(0))
	return err
}

type padKernel func(p *padding, lo, hi int)

// pad writes the output rows [lo, hi).
func pad[T any](p *padding, lo, hi int) {
	var v T
	if p.value != nil {
		v = tensor.Elems[T](p.value)[0]
	}
	out, in := tensor.Elems[T](p.dst), tensor.Elems[T](p.src)
	last := p.from[len(p.from)-1]
	for r := lo; r < hi; r++ {
		dst := out[r*len(last) : (r+1)*len(last)]
		at := p.row(r)
		if at < 0 {
			fill(dst, v)
			continue
		}
		if p.lo < p.hi {
			copy(dst[p.lo:p.hi], in[at+p.first:])
		}
		for i, f := range last[:p.lo] {
			dst[i] = v
			if f >= 0 {
				dst[i] = in[at+f]
			}
		}
		for i := p.hi; i < len(last); i++ {
			dst[i] = v
			if f := last[i]; f >= 0 {
				dst[i] = in[at+f]
			}
		}
	}
}
