package quant

import (
	"github.com/goruntime/goruntime/goruntime/kernels/igemm"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// DynamicQuantizeLinear quantizes x to u8 with the scale and the zero point that
// its range, widened to hold 0, asks for.
// https://onnx.ai/onnx/operators/onnx__DynamicQuantizeLinear.html
// Departures: none. A tensor of zeros gets the scale 1, as in ONNX Runtime.
var DynamicQuantizeLinear = op.Declare("", "DynamicQuantizeLinear", func() op.Def {
	return op.Def{
		Versions: op.Versions{11: ""},
		Shape: func(c *op.Infer) error {
			c.SetOutput(0, tensor.U8, c.In(0))
			c.SetOutput(1, tensor.F32, nil)
			c.SetOutput(2, tensor.U8, nil)
			return nil
		},
		Prepare: func(c *op.Context) error {
			n := c.In(0).Elements()
			d := &dynamic{n: n, parts: (n + unitLength - 1) / unitLength}
			c.NeedWorkspace(4 * 2 * d.parts)
			c.State = d
			return nil
		},
		Run:    dynamicRun,
		DTypes: op.Uniform(struct{}{}, tensor.F32),
	}
})

// dynamic is the State of a DynamicQuantizeLinear. Ranges are found part by
// part, then the parts are quantized.
type dynamic struct {
	n, parts int
	ranges   []float32 // least and greatest of each part
	ranged   bool
	scale    float32
	zero     uint8
	x        []float32
	y        []uint8
}

func dynamicRun(c *op.Context) error {
	d := c.State.(*dynamic)
	d.x = tensor.Elems[float32](c.In(0))
	d.ranges, d.ranged = op.WorkspaceOf[float32](c), false
	c.For(d.parts, 8, d)
	low, high := float32(0), float32(0)
	for i := 0; i < len(d.ranges); i += 2 {
		low, high = min(low, d.ranges[i]), max(high, d.ranges[i+1])
	}
	d.scale, d.zero = igemm.Parameters(low, high)
	if c.Wants(1) {
		tensor.Elems[float32](c.Out(1))[0] = d.scale
	}
	if c.Wants(2) {
		tensor.Elems[uint8](c.Out(2))[0] = d.zero
	}
	if c.Wants(0) {
		d.y, d.ranged = tensor.Elems[uint8](c.Out(0)), true
		c.For(d.parts, 8, d)
	}
	return nil
}

// Chunk implements op.Task over parts.
func (d *dynamic) Chunk(lo, hi int) {
	for p := lo; p < hi; p++ {
		from, to := p*unitLength, min(d.n, (p+1)*unitLength)
		if d.ranged {
			igemm.Quantize(d.y[from:to], d.x[from:to], d.scale, d.zero)
		} else {
			d.ranges[2*p], d.ranges[2*p+1] = igemm.Span(d.x[from:to])
		}
	}
}
