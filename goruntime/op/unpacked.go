package op

import (
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// packedTypes are the element types narrower than a byte.
var packedTypes = []tensor.DType{tensor.U4, tensor.I4, tensor.F4E2M1, tensor.U2, tensor.I2}

// Packed is the table rows of the types narrower than a byte for an operator
// that only moves elements: f is its kernel for one-byte elements, and its Run
// is wrapped in Unpacked.
func Packed[F any](f F) Table { return Uniform(f, packedTypes...) }

// Unpacked returns a Run under which tensors of types narrower than a byte are
// seen as u8, one element a byte (the bits of its code, never sign-extended):
// inputs are spread into temporary memory before run and outputs are packed
// after it. Other tensors are seen as they are.
func Unpacked(run func(*Context) error) func(*Context) error {
	return func(c *Context) error {
		if !c.anyPacked() {
			return run(c)
		}
		n := len(c.in) + len(c.out)
		if cap(c.wide) < n {
			c.wide, c.narrow = make([]tensor.View, n), make([]*tensor.View, n)
		}
		c.wide, c.narrow = c.wide[:n], c.narrow[:n]
		copy(c.narrow, c.in)
		copy(c.narrow[len(c.in):], c.out)
		err := c.widen()
		if err == nil {
			err = run(c)
		}
		copy(c.in, c.narrow)
		copy(c.out, c.narrow[len(c.in):])
		if err == nil {
			c.packOutputs()
		}
		return err
	}
}

func isPacked(v *tensor.View) bool { return v != nil && v.DType.Bits() < 8 }

func (c *Context) anyPacked() bool {
	for _, v := range c.in {
		if isPacked(v) {
			return true
		}
	}
	for _, v := range c.out {
		if isPacked(v) {
			return true
		}
	}
	return false
}

// widen replaces the packed tensors of c by spread ones.
func (c *Context) widen() error {
	for i, v := range c.narrow {
		if !isPacked(v) {
			continue
		}
		w := &c.wide[i]
		p, err := c.rt.Temporary(c, v.Elements())
		if err != nil {
			return err
		}
		*w = tensor.View{DType: tensor.U8, Shape: v.Shape, Data: p}
		if i < len(c.in) {
			tensor.Unpack(w.Raw(), v.Raw(), v.DType.Bits())
			c.in[i] = w
		} else {
			c.out[i-len(c.in)] = w
		}
	}
	return nil
}

// packOutputs packs what run left in the spread outputs.
func (c *Context) packOutputs() {
	for i, v := range c.out {
		if isPacked(v) {
			tensor.Pack(v.Raw(), c.wide[len(c.in)+i].Raw(), v.DType.Bits())
		}
	}
}
