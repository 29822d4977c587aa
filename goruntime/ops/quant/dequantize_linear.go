package quant

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// DequantizeLinear computes (x - zero point) * scale.
// https://onnx.ai/onnx/operators/onnx__DequantizeLinear.html
// Departures: the product is rounded to f32, then to the
// type of the output.
var DequantizeLinear = op.Declare("", "DequantizeLinear", func() op.Def {
	return op.Def{
		Versions: op.Versions{
			10: "", 13: "axis", 19: "float8, half scales", 21: "blocks, 16 and 4 bits", 23: "output_dtype, float4",
			24: "float8e8m0 scales", 25: "2 bits", 28: "float6",
		},
		Attrs: op.Attrs(op.Int("axis", 1), op.Int("block_size", 0), op.Int("output_dtype", 0)),
		Shape: func(c *op.Infer) error {
			d := tensor.DType(c.Attr.Int("output_dtype"))
			if d == tensor.Undefined {
				d = c.DType(1)
			}
			if d != tensor.F32 && d != tensor.F16 && d != tensor.BF16 {
				return errs.New(errs.Type, "the output would be %v: f32, f16 or bf16 expected of output_dtype or of the scale", d)
			}
			return scaledShape(c, d)
		},
		Codes: func(c *op.Infer) (op.Codes, bool) {
			if d := tensor.DType(c.Attr.Int("output_dtype")); d != tensor.Undefined && d != tensor.F32 {
				return op.Codes{}, false
			}
			return codesOf(c, c.DType(0))
		},
		Prepare: dequantizePrepare,
		Run:     op.Unpacked(dequantizeRun),
		DTypes:  op.Uniform(struct{}{}, append([]tensor.DType{tensor.I32}, quantizedTypes...)...),
		Also:    map[int][]tensor.DType{1: {tensor.F32, tensor.F16, tensor.BF16, tensor.F8E8M0}},
	}
})

// dequantizing is the State of a DequantizeLinear.
type dequantizing struct {
	granularity
	read, scale, zero reader
	write             func(v *tensor.View, i int, f float32)
	fast              func(dst, src *tensor.View, at, n int, scales, zeros []float64, step int)
	scales, zeros     []float64
	x, y              *tensor.View
}

var floatWriters = [tensor.NumDTypes]func(v *tensor.View, i int, f float32){
	tensor.F32:  func(v *tensor.View, i int, f float32) { tensor.Elems[float32](v)[i] = f },
	tensor.F16:  func(v *tensor.View, i int, f float32) { tensor.Elems[tensor.Half](v)[i] = tensor.HalfOf(f) },
	tensor.BF16: func(v *tensor.View, i int, f float32) { tensor.Elems[tensor.BFloat16](v)[i] = tensor.BFloat16Of(f) },
}

func dequantizePrepare(c *op.Context) error {
	g, err := newGranularity(c.Attr, c.In(0).Shape, c.In(1).Shape)
	if err != nil {
		return err
	}
	x, y := c.In(0).DType, c.Out(0).DType
	d := &dequantizing{granularity: g, read: readers[x], scale: readers[c.In(1).DType], write: floatWriters[y]}
	if c.Has(2) {
		d.zero = readers[x]
	}
	if y == tensor.F32 {
		d.fast = fastDequantizers[x]
	}
	c.NeedWorkspace(2 * 8 * g.scales)
	c.State = d
	return nil
}

func dequantizeRun(c *op.Context) error {
	d := c.State.(*dequantizing)
	d.scales, d.zeros = readParameters(c, d.scale, d.zero)
	d.x, d.y = c.In(0), c.Out(0)
	c.For(d.units, d.grain(), d)
	return nil
}

// Chunk implements op.Task over units.
func (d *dequantizing) Chunk(lo, hi int) { d.each(lo, hi, d) }

func (d *dequantizing) run(at, n, s, step int) {
	if d.fast != nil {
		d.fast(d.y, d.x, at, n, parametersOf(d.scales, s, n, step), parametersOf(d.zeros, s, n, step), step)
		return
	}
	for i := at; i < at+n; i++ {
		d.write(d.y, i, float32(d.read(d.x, i)-d.zeros[s])*float32(d.scales[s]))
		s += step
	}
}
