package op

import "github.com/goruntime/goruntime/goruntime/tensor"

// Codes is how the numbers of a tensor are quantized: a number is (code - Zero) * Scale,
// one scale and zero point for all.
type Codes struct {
	Scale, Zero float32
	Low, High   float32 // the codes that the type has
	// Read returns a code of a tensor of that type.
	Read func(v *tensor.View, i int) float64
}

// Least and Most are the bounds of a code less the zero point.
func (c *Codes) Least() float32 { return c.Low - c.Zero }

// Most is the upper bound; see Least.
func (c *Codes) Most() float32 { return c.High - c.Zero }
