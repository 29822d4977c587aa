package quant

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// QuantizeLinear divides x by a scale, rounds half to even, adds a zero point
// and saturates.
// https://onnx.ai/onnx/operators/onnx__QuantizeLinear.html
// Departures: whole numbers divided by whole scales are
// divided in float64; a scale of type f8e8m0 divides in the type of x, f32 for
// whole numbers. NaN becomes the least whole number.
var QuantizeLinear = op.Declare("", "QuantizeLinear", func() op.Def {
	return op.Def{
		Versions: op.Versions{
			10: "", 13: "axis", 19: "float8, saturate", 21: "blocks, 16 and 4 bits, output_dtype", 23: "precision, float4",
			24: "float8e8m0 scales", 25: "2 bits", 28: "float6",
		},
		Attrs: op.Attrs(op.Int("axis", 1), op.Int("saturate", 1), op.Int("block_size", 0), op.Int("output_dtype", 0), op.Int("precision", 0)),
		Shape: func(c *op.Infer) error {
			d, err := quantizedType(c)
			if err != nil {
				return err
			}
			return scaledShape(c, d)
		},
		Codes: func(c *op.Infer) (op.Codes, bool) {
			d, err := quantizedType(c)
			p := tensor.DType(c.Attr.Int("precision"))
			if err != nil || c.DType(0) != tensor.F32 || p != tensor.Undefined && p != tensor.F32 {
				return op.Codes{}, false
			}
			return codesOf(c, d)
		},
		Prepare: quantizePrepare,
		Run:     op.Unpacked(quantizeRun),
		DTypes:  op.Uniform(struct{}{}, tensor.F32, tensor.F16, tensor.BF16, tensor.I32),
		Also:    map[int][]tensor.DType{1: scaleTypes, 2: quantizedTypes},
	}
})

// scaleTypes are the types of scales.
var scaleTypes = []tensor.DType{tensor.F32, tensor.F16, tensor.BF16, tensor.I32, tensor.F8E8M0}

// scaledShape: x, scale, zero point -> the shape of x, of type d.
func scaledShape(c *op.Infer, d tensor.DType) error {
	if c.Has(2) && !sameGranularity(c.In(1), c.In(2)) {
		return errs.New(errs.Shape, "the zero point has shape %v, the scale has shape %v: they must be equal", c.In(2), c.In(1))
	}
	if _, err := newGranularity(c.Attr, c.In(0), c.In(1)); err != nil {
		return err
	}
	c.SetOutput(0, d, c.In(0))
	return nil
}

// sameGranularity reports whether a scale and a zero point go together: one
// number may be a scalar or a vector.
func sameGranularity(scale, zero tensor.Shape) bool {
	return scale.Equal(zero) || len(scale) < 2 && len(zero) < 2 && scale.Elements() == 1 && zero.Elements() == 1
}

// quantizedType returns the type of the output: the zero point's, or that of
// the attribute, or u8.
func quantizedType(c *op.Infer) (tensor.DType, error) {
	want := tensor.DType(c.Attr.Int("output_dtype"))
	if !c.Has(2) {
		if want == tensor.Undefined {
			want = tensor.U8
		}
		if want >= tensor.NumDTypes || writers[want] == nil {
			return want, errs.New(errs.Type, "output_dtype is %d (%v): no quantized type", c.Attr.Int("output_dtype"), want)
		}
		return want, nil
	}
	if d := c.DType(2); want == tensor.Undefined || want == d {
		return d, nil
	}
	return want, errs.New(errs.Type, "output_dtype is %v, the zero point is %v: they must be equal", want, c.DType(2))
}

// quantizing is the State of a QuantizeLinear.
type quantizing struct {
	granularity
	read     reader
	divide   quotient
	write    writer
	saturate bool
	fast     func(dst, src *tensor.View, at, n int, scales, zeros []float64, step int)
	scale    reader
	zero     reader
	scales   []float64 // as many as there are, then the zero points
	zeros    []float64
	x, y     *tensor.View
}

func quantizePrepare(c *op.Context) error {
	g, err := newGranularity(c.Attr, c.In(0).Shape, c.In(1).Shape)
	if err != nil {
		return err
	}
	x, s, y := c.In(0).DType, c.In(1).DType, c.Out(0).DType
	q := &quantizing{granularity: g, read: readers[x], scale: readers[s], write: writers[y], saturate: c.Attr.Bool("saturate")}
	precision := tensor.DType(c.Attr.Int("precision"))
	if precision == tensor.Undefined {
		precision = s
		if s == tensor.F8E8M0 {
			precision = x
			if x == tensor.I32 {
				precision = tensor.F32
			}
		}
	}
	if precision >= tensor.NumDTypes || quotients[precision] == nil {
		return errs.New(errs.Type, "precision is %v: f32, f16, bf16 or f64 expected", precision)
	}
	q.divide = quotients[precision]
	if c.Has(2) {
		q.zero = readers[c.In(2).DType]
	}
	if x == tensor.F32 && precision == tensor.F32 {
		q.fast = fastQuantizers[y]
	}
	c.NeedWorkspace(2 * 8 * g.scales)
	c.State = q
	return nil
}

func quantizeRun(c *op.Context) error {
	q := c.State.(*quantizing)
	q.scales, q.zeros = readParameters(c, q.scale, q.zero)
	q.x, q.y = c.In(0), c.Out(0)
	c.For(q.units, q.grain(), q)
	return nil
}

// readParameters puts scales and zero points, 0 where there are none, into the
// workspace as float64.
func readParameters(c *op.Context, scale, zero reader) (scales, zeros []float64) {
	w := op.WorkspaceOf[float64](c)
	scales, zeros = w[:len(w)/2], w[len(w)/2:]
	for i := range scales {
		scales[i] = scale(c.In(1), i)
		zeros[i] = 0
		if zero != nil {
			zeros[i] = zero(c.In(2), i)
		}
	}
	return scales, zeros
}

// Chunk implements op.Task over units.
func (q *quantizing) Chunk(lo, hi int) { q.each(lo, hi, q) }

func (q *quantizing) run(at, n, s, step int) {
	if q.fast != nil {
		q.fast(q.y, q.x, at, n, parametersOf(q.scales, s, n, step), parametersOf(q.zeros, s, n, step), step)
		return
	}
	for i := at; i < at+n; i++ {
		q.write(q.y, i, q.divide(q.read(q.x, i), q.scales[s]), q.zeros[s], q.saturate)
		s += step
	}
}
