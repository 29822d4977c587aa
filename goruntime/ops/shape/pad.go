package shape

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Pad adds to the ends of dimensions, or takes away where a pad is negative.
// https://onnx.ai/onnx/operators/onnx__Pad.html   Departures: none.
var Pad = op.Declare(op.Def{
	Name: "Pad",
	Versions: op.Versions{
		11: "pads are an input", 13: "bfloat16", 18: "axes", 19: "wrap", 21: "float8, 4-bit types",
		23: "float4e2m1", 24: "float8e8m0", 25: "2-bit types",
	},
	Attrs: op.Attrs(op.String("mode", "constant")),
	Shape: func(c *op.Infer) error {
		pads, err := c.Ints(1)
		if err != nil {
			return err
		}
		var axes []int
		if c.Has(3) {
			if axes, err = c.Ints(3); err != nil {
				return err
			}
		}
		return padShape(c, pads, axes)
	},
	Prepare: func(c *op.Context) error {
		pads, err := c.Ints(1)
		if err != nil {
			return err
		}
		var axes []int
		if c.Has(3) {
			if axes, err = c.Ints(3); err != nil {
				return err
			}
		}
		c.State, err = newPadding(c.Attr.Str("mode"), c.In(0).Shape, c.Out(0).Shape, pads, axes)
		return err
	},
	Run: func(c *op.Context) error {
		var value *tensor.View
		if c.Has(2) {
			value = c.In(2)
		}
		op.Row[padKernel](c)(c.State.(*padding), c.Out(0), c.In(0), value)
		return nil
	},
	DTypes: padRows,
	Also:   map[int][]tensor.DType{1: {tensor.I64}, 3: {tensor.I32, tensor.I64}},
})

// Pad1 is Pad before version 11: everything is an attribute, floats only.
var Pad1 = op.Declare(op.Def{
	Name:     "Pad",
	Versions: op.Versions{2: "pads are an attribute"},
	Attrs:    op.Attrs(op.Required("pads", op.KindInts), op.String("mode", "constant"), op.Float("value", 0)),
	Shape:    func(c *op.Infer) error { return padShape(c, c.Attr.Ints("pads"), nil) },
	Prepare: func(c *op.Context) (err error) {
		c.State, err = newPadding(c.Attr.Str("mode"), c.In(0).Shape, c.Out(0).Shape, c.Attr.Ints("pads"), nil)
		return err
	},
	Run: func(c *op.Context) error {
		v := c.Attr.Float("value")
		return op.Row[padAttrKernel](c)(c, v)
	},
	DTypes: op.ByType(map[tensor.DType]padAttrKernel{
		tensor.F32: padAttr(func(f float32) float32 { return f }),
		tensor.F64: padAttr(func(f float32) float64 { return float64(f) }),
		tensor.F16: padAttr(tensor.HalfOf),
	}),
})

type padAttrKernel func(c *op.Context, v float32) error

func padAttr[T any](convert func(float32) T) padAttrKernel {
	return func(c *op.Context, v float32) error {
		padInto(c.State.(*padding), tensor.Elems[T](c.Out(0)), tensor.Elems[T](c.In(0)), convert(v))
		return nil
	}
}

// padShape sets the output's shape: pads are [begin..., end...] of the axes.
func padShape(c *op.Infer, pads, axes []int) error {
	in := c.In(0)
	n := len(in)
	if axes != nil {
		n = len(axes)
	}
	if len(pads) != 2*n {
		return errs.New(errs.Shape, "%d pads given, %d expected: a begin and an end for each of %d axes", len(pads), 2*n, n)
	}
	out := c.Grow(0, c.DType(0), len(in))
	copy(out, in)
	for k := range n {
		a := k
		if axes != nil {
			var err error
			if a, err = tensor.Axis(axes[k], len(in)); err != nil {
				return err
			}
		}
		if out[a] += pads[k] + pads[k+n]; out[a] < 0 {
			return errs.New(errs.Shape, "pads %d and %d leave axis %d of size %d nothing", pads[k], pads[k+n], a, in[a])
		}
	}
	return nil
}

// padding says for each axis and output index which input index it takes; -1 is
// the padding value.
type padding struct {
	from   [][]int // per axis
	in     []int   // strides of the input
	out    []int   // dimensions of the output
	counts []int
}

// padModes maps an index outside [0, n) into it, or to -1.
var padModes = map[string]func(i, n int) int{
	"constant": func(int, int) int { return -1 },
	"edge":     func(i, n int) int { return min(max(i, 0), n-1) },
	"wrap":     func(i, n int) int { return ((i % n) + n) % n },
	"reflect": func(i, n int) int {
		if n == 1 {
			return 0
		}
		period := 2 * (n - 1)
		i = ((i % period) + period) % period
		return min(i, period-i)
	},
}

func newPadding(mode string, in, out tensor.Shape, pads, axes []int) (*padding, error) {
	outside := padModes[mode]
	if outside == nil {
		return nil, errs.New(errs.Argument, "mode %q is none of constant, edge, reflect, wrap", mode)
	}
	begin := make([]int, len(in))
	for k := range len(pads) / 2 {
		a := k
		if axes != nil {
			a, _ = tensor.Axis(axes[k], len(in)) // checked by the shape rule
		}
		begin[a] = pads[k]
	}
	p := &padding{in: make([]int, len(in)), out: out, counts: make([]int, len(in))}
	step := 1
	for a := len(in) - 1; a >= 0; a-- {
		p.in[a] = step
		step *= in[a]
	}
	for a, d := range out {
		from := make([]int, d)
		for i := range from {
			if from[i] = i - begin[a]; from[i] < 0 || from[i] >= in[a] {
				if in[a] == 0 && mode != "constant" {
					return nil, errs.New(errs.Shape, "axis %d is empty: mode %s has nothing to repeat", a, mode)
				}
				from[i] = outside(from[i], in[a])
			}
		}
		p.from = append(p.from, from)
	}
	return p, nil
}

type padKernel func(p *padding, out, in, value *tensor.View)

var padRows = op.ByWidth[padKernel](pad[uint8], pad[uint16], pad[uint32], pad[uint64], pad[op.Bytes16], pad[string])

func pad[T any](p *padding, out, in, value *tensor.View) {
	var v T
	if value != nil && value.Elements() > 0 {
		v = tensor.Elems[T](value)[0]
	}
	padInto(p, tensor.Elems[T](out), tensor.Elems[T](in), v)
}

// padInto fills out row by row, counting through the leading axes.
func padInto[T any](p *padding, out, in []T, v T) {
	if len(p.out) == 0 {
		copy(out, in)
		return
	}
	if len(out) == 0 {
		return
	}
	last := len(p.out) - 1
	clear(p.counts)
	for {
		at, inside := 0, true
		for a, i := range p.counts[:last] {
			f := p.from[a][i]
			inside = inside && f >= 0
			at += f * p.in[a]
		}
		row := out[:p.out[last]]
		out = out[len(row):]
		for i, f := range p.from[last] {
			if inside && f >= 0 {
				row[i] = in[at+f]
			} else {
				row[i] = v
			}
		}
		if !p.advance(last) {
			return
		}
	}
}

// advance counts to the next row and reports whether there is one.
func (p *padding) advance(last int) bool {
	for a := last - 1; a >= 0; a-- {
		if p.counts[a]++; p.counts[a] < p.out[a] {
			return true
		}
		p.counts[a] = 0
	}
	return false
}
