package elementwise

import (
	"github.com/goruntime/goruntime/goruntime/kernels/chain"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// What the operators of this package are in a chain: the same loops of package vec
// that their f32 kernels are, so that a node in a chain gives the bits that it gives
// alone.

// link is Def.Chain.
type link func(c *op.Infer, b *chain.Builder, x func(int) chain.Ref) (chain.Ref, bool)

// chained gives a declared operator its part in chains.
func chained(l link, def op.Def) op.Def {
	def.Chain = l
	return def
}

// applies is the link of a function of one number.
func applies(f vec.Function) link {
	return func(_ *op.Infer, b *chain.Builder, x func(int) chain.Ref) (chain.Ref, bool) {
		return b.Apply(f, x(0)), true
	}
}

// combines is the link of an operation on two broadcast inputs.
func combines(o vec.Operation) link {
	return func(c *op.Infer, b *chain.Builder, x func(int) chain.Ref) (chain.Ref, bool) {
		if c.DType(0) != tensor.F32 || c.DType(1) != tensor.F32 {
			return 0, false
		}
		return b.Combine(o, x(0), x(1)), true
	}
}

// gathers is the link of an operation on any number of inputs, of which the first
// has the shape of the output.
func gathers(o vec.Operation) link {
	return func(c *op.Infer, b *chain.Builder, x func(int) chain.Ref) (chain.Ref, bool) {
		for i := range c.Inputs() {
			if c.DType(i) != tensor.F32 || !under(c.In(i), c.In(0)) {
				return 0, false
			}
		}
		sum := x(0)
		if c.Inputs() == 1 {
			return 0, false
		}
		for i := 1; i < c.Inputs(); i++ {
			sum = b.Combine(o, sum, x(i))
		}
		return sum, true
	}
}

// under reports whether a tensor of shape s broadcasts to shape full.
func under(s, full tensor.Shape) bool {
	if len(s) > len(full) {
		return false
	}
	for i, d := range s {
		if d != 1 && d != full[len(full)-len(s)+i] {
			return false
		}
	}
	return true
}

// bends is the link of a curve whose parameters the attributes give.
func bends(curve vec.Curve, params func(a *op.Values) (s, r float32)) link {
	return func(c *op.Infer, b *chain.Builder, x func(int) chain.Ref) (chain.Ref, bool) {
		s, r := params(c.Attr)
		return b.Bend(curve, x(0), s, r), true
	}
}

// leaks is the link of LeakyRelu.
func leaks(c *op.Infer, b *chain.Builder, x func(int) chain.Ref) (chain.Ref, bool) {
	return b.Combine(vec.Leak, x(0), b.Number(c.Attr.Float("alpha"))), true
}

// swishes is the link of Swish.
func swishes(c *op.Infer, b *chain.Builder, x func(int) chain.Ref) (chain.Ref, bool) {
	gate := b.Combine(vec.Times, x(0), b.Number(c.Attr.Float("alpha")))
	return b.Combine(vec.Times, x(0), b.Apply(vec.Logistic, gate)), true
}

// gelus is the link of Gelu.
func gelus(c *op.Infer, b *chain.Builder, x func(int) chain.Ref) (chain.Ref, bool) {
	if c.Attr.Str("approximate") != "none" {
		return 0, false
	}
	return b.Apply(vec.Gelu, x(0)), true
}

// squares is the link of Pow with the exponent 2, whose product is exact in f64 and
// rounded once: that of f32.
func squares(c *op.Infer, b *chain.Builder, x func(int) chain.Ref) (chain.Ref, bool) {
	e, err := c.View(1)
	if err != nil || c.DType(0) != tensor.F32 || e.Elements() != 1 || !under(e.Shape, c.In(0)) {
		return 0, false
	}
	if read := exponents[e.DType]; read == nil || read(e) != 2 {
		return 0, false
	}
	return b.Combine(vec.Times, x(0), x(0)), true
}

// exponents reads the exponent of Pow.
var exponents = [tensor.NumDTypes]func(v *tensor.View) float64{
	tensor.F32: exponentOf[float32], tensor.F64: exponentOf[float64], tensor.I32: exponentOf[int32], tensor.I64: exponentOf[int64],
}

func exponentOf[T number](v *tensor.View) float64 { return float64(tensor.Elems[T](v)[0]) }

// clamps is the link of a Clip with known bounds.
func clamps(c *op.Infer, b *chain.Builder, x func(int) chain.Ref) (chain.Ref, bool) {
	bounds := [2]float32{least, greatest}
	for i := range bounds {
		if !c.Has(i + 1) {
			continue
		}
		v, err := c.View(i + 1)
		if err != nil || v.DType != tensor.F32 || v.Elements() != 1 {
			return 0, false
		}
		bounds[i] = tensor.Elems[float32](v)[0]
	}
	return b.Bend(vec.Clamp, x(0), bounds[0], bounds[1]), true
}

// clampsByAttrs is the link of a Clip whose bounds are attributes; always says that
// they have defaults.
func clampsByAttrs(c *op.Infer, b *chain.Builder, x func(int) chain.Ref) (chain.Ref, bool) {
	low, high := least, greatest
	if c.Version >= 6 || c.Attr.Has("min") {
		low = c.Attr.Float("min")
	}
	if c.Version >= 6 || c.Attr.Has("max") {
		high = c.Attr.Float("max")
	}
	return b.Bend(vec.Clamp, x(0), low, high), true
}
