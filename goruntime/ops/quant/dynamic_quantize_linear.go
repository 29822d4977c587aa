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
var DynamicQuantizeLinear = op.Declare(op.Def{
	Name:     "DynamicQuantizeLinear",
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
	d.scale, d.zero = dynamicParameters(low, high)
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

// dynamicParameters returns the scale and the zero point for a range that holds
// 0.
func dynamicParameters(low, high float32) (scale float32, zero uint8) {
	scale = (high - low) / 255
	if scale == 0 {
		return 1, 0
	}
	return scale, uint8(int32(igemm.Saturate(-low/scale, 0, 255)))
}

// Chunk implements op.Task over parts.
func (d *dynamic) Chunk(lo, hi int) {
	for p := lo; p < hi; p++ {
		from, to := p*unitLength, min(d.n, (p+1)*unitLength)
		if d.ranged {
			quantizeBytes(d.y[from:to], d.x[from:to], d.scale, d.zero)
		} else {
			d.ranges[2*p], d.ranges[2*p+1] = span(d.x[from:to])
		}
	}
}

// span returns the least and the greatest number of x and 0; a NaN is none.
func span(x []float32) (low, high float32) {
	for _, f := range x {
		if f < low {
			low = f
		} else if f > high {
			high = f
		}
	}
	return low, high
}

func quantizeBytes(dst []uint8, x []float32, scale float32, zero uint8) {
	z := float32(zero)
	for i, f := range x {
		dst[i] = uint8(int32(igemm.Saturate(f/scale, -z, 255-z) + z))
	}
}
