package op

import (
	"slices"

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
		if !c.any(isPacked) {
			return run(c)
		}
		c.keep()
		err := c.widen()
		if err == nil {
			err = run(c)
		}
		c.putBack()
		if err == nil {
			c.packOutputs()
		}
		return err
	}
}

func isPacked(v *tensor.View) bool { return v != nil && v.DType.Bits() < 8 }

// any reports whether a tensor of c is of a kind.
func (c *Context) any(is func(*tensor.View) bool) bool {
	return slices.ContainsFunc(c.in, is) || slices.ContainsFunc(c.out, is)
}

// keep remembers the tensors of c as narrow, and makes room for as many wide ones to stand
// in their places until putBack.
func (c *Context) keep() {
	n := len(c.in) + len(c.out)
	if cap(c.wide) < n {
		c.wide, c.narrow = make([]tensor.View, n), make([]*tensor.View, n)
	}
	c.wide, c.narrow = c.wide[:n], c.narrow[:n]
	copy(c.narrow, c.in)
	copy(c.narrow[len(c.in):], c.out)
}

// show puts wide tensor i in the place of the one that it stands for.
func (c *Context) show(i int) {
	if i < len(c.in) {
		c.in[i] = &c.wide[i]
	} else {
		c.out[i-len(c.in)] = &c.wide[i]
	}
}

func (c *Context) putBack() {
	copy(c.in, c.narrow)
	copy(c.out, c.narrow[len(c.in):])
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
		}
		c.show(i)
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
