package control

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
	"github.com/goruntime/goruntime/goruntime/values"
)

// stack collects the tensors that the iterations of a Loop give, one behind the
// other. How many there will be is not known, so its memory doubles.
type stack struct {
	n     int // tensors
	one   tensor.View
	room  *values.Value // u8 [capacity], or nil
	bytes int           // in use
}

// push appends h, which must be like those before, and drops it.
func (s *stack) push(c *op.Context, h *op.Held) error {
	if h.DType == tensor.Other {
		return errs.New(errs.Type, "the body's scan output is a %v, a tensor expected", h.Value.Kind)
	}
	if s.n == 0 {
		s.one.DType, s.one.Shape = h.DType, append(s.one.Shape[:0], h.Shape...)
	}
	if s.one.DType != h.DType || !s.one.Shape.Equal(h.Shape) {
		return errs.New(errs.Shape, "the body's scan output is %v in iteration %d and was %v before: all must be alike", &h.View, s.n, &s.one)
	}
	size := h.Bytes()
	if err := s.reserve(c, size); err != nil {
		return err
	}
	if size > 0 {
		copy(s.room.View.Raw()[s.bytes:], h.Raw())
	}
	s.n, s.bytes = s.n+1, s.bytes+size
	h.Drop()
	return nil
}

func (s *stack) reserve(c *op.Context, more int) error {
	need := s.bytes + more
	if s.room != nil && need <= s.room.View.Elements() {
		return nil
	}
	room, err := c.Element(tensor.U8, tensor.Shape{max(2*need, 64)})
	if err != nil {
		return err
	}
	if s.room != nil {
		copy(room.View.Raw(), s.room.View.Raw()[:s.bytes])
		s.room.Release()
	}
	s.room = room
	return nil
}

// put makes the tensors output slot of the node: [n, ...]. Where there are none,
// t is what the body declares.
func (s *stack) put(c *op.Context, slot int, t *onnx.Type) error {
	if s.n == 0 {
		dtype, shape, err := declaredElement(t)
		if err != nil {
			return err
		}
		_, err = c.MakeOutputTensor(slot, dtype, append(tensor.Shape{0}, shape...))
		return err
	}
	out, err := c.MakeOutputTensor(slot, s.one.DType, append(tensor.Shape{s.n}, s.one.Shape...))
	if err != nil || s.bytes == 0 {
		return err
	}
	if bits := s.one.DType.Bits(); bits < 8 {
		joinPacked(out.Raw(), s.room.View.Raw()[:s.bytes], s.one.Elements(), bits)
		return nil
	}
	copy(out.Raw(), s.room.View.Raw()[:s.bytes])
	return nil
}

// joinPacked packs tensors of n elements each, which start at full bytes, without
// gaps.
func joinPacked(dst, src []byte, n, bits int) {
	each := (n*bits + 7) / 8
	wide := make([]byte, 0, len(src)*8/bits)
	for len(src) > 0 {
		wide = wide[:len(wide)+n]
		tensor.Unpack(wide[len(wide)-n:], src[:each], bits)
		src = src[each:]
	}
	tensor.Pack(dst, wide, bits)
}

// declaredElement returns the declared type of a tensor that no iteration made;
// dimensions without a number are 0.
func declaredElement(t *onnx.Type) (tensor.DType, tensor.Shape, error) {
	if t == nil || t.Elem == tensor.Undefined {
		return 0, nil, errs.New(errs.Model, "the loop ran no iteration and its body does not declare the element type of a scan output")
	}
	shape := make(tensor.Shape, len(t.Dims))
	for i, d := range t.Dims {
		if d.Known {
			shape[i] = int(d.Value)
		}
	}
	return t.Elem, shape, nil
}

func (s *stack) drop() {
	s.room.Release()
	s.room, s.n, s.bytes = nil, 0, 0
}
