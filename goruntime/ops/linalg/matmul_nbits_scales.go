package linalg

import (
	"strconv"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// packScales widens constant scales and zero points once a session, each under
// the input that it comes from.
func (s *nbitsState) packScales(c *op.Context, count int) error {
	var err error
	if s.scales, err = packFloats(c, 2, "nbits.scales", count, func(dst []float32) { s.fillScales(c, dst) }); err != nil {
		return err
	}
	from, layout := 3, "nbits.zeros/"+strconv.Itoa(s.args.Bits)+"/"+strconv.Itoa(count)
	if !c.Has(3) {
		from, layout = 2, "nbits.middles/"+strconv.Itoa(s.args.Bits)
	}
	s.zeros, err = packFloats(c, from, layout, count, func(dst []float32) { s.fillZeros(c, dst) })
	return err
}

// packFloats is Pack for float32s.
func packFloats(c *op.Context, input int, layout string, n int, fill func([]float32)) ([]float32, error) {
	if _, err := c.Value(input); err != nil {
		return nil, err
	}
	mem, err := c.Pack(input, layout, 4*n, func(dst []byte) error {
		// SAFETY: dst is 64-byte aligned and holds n float32s.
		fill(unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(dst))), n))
		return nil
	})
	if err != nil {
		return nil, err
	}
	// SAFETY: as above.
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(mem))), n), nil
}

var nbitsLoaders = [tensor.NumDTypes]func(dst []float32, v *tensor.View, at int){
	tensor.F32: nbitsOf(func(f float32) float32 { return f }, func(f float32) float32 { return f }).load,
	tensor.F16: nbitsOf(tensor.Half.Float32, tensor.HalfOf).load, tensor.BF16: nbitsOf(tensor.BFloat16.Float32, tensor.BFloat16Of).load,
}

func (s *nbitsState) fillScales(c *op.Context, scales []float32) {
	nbitsLoaders[c.In(2).DType](scales, c.In(2), 0)
}

// fillZeros widens zero points; the one that no input gives is the middle of the
// range.
func (s *nbitsState) fillZeros(c *op.Context, zeros []float32) {
	bits := s.args.Bits
	switch {
	case !c.Has(3):
		for i := range zeros {
			zeros[i] = float32(int(1) << (bits - 1))
		}
	case c.In(3).DType == tensor.U8:
		blocks := len(zeros) / max(1, s.args.N)
		row := (blocks*bits + 7) / 8
		codes := tensor.Elems[uint8](c.In(3))
		for i := range zeros {
			at := i % blocks * bits
			zeros[i] = float32(codes[i/blocks*row+at/8] >> (at % 8) & (1<<bits - 1))
		}
	default:
		nbitsLoaders[c.In(3).DType](zeros, c.In(3), 0)
	}
}
