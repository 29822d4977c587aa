package quant

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/igemm"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// GatherBlockQuantized picks slices of data along one axis, by index, and computes
// (code - zero point) * scale of them, where blocks along another axis have one of both.
// What an index out of range picks is zero.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.GatherBlockQuantized
// Departures: data of float8 and float4 is not taken.
var GatherBlockQuantized = op.Declare(microsoft, "GatherBlockQuantized", func() op.Def {
	return op.Def{
		Versions: op.Versions{1: ""}, Needs: []int{0, 1, 2},
		Attrs:   op.Attrs(op.Int("gather_axis", 0), op.Int("quantize_axis", 1), op.Int("block_size", 128), op.Int("bits", 4)),
		Shape:   gatherBlocksShape,
		Prepare: gatherBlocksPrepare,
		Run:     gatherBlocksRun,
		DTypes: op.ByType(map[tensor.DType]gatherBlocksKernel{
			tensor.F32: gatherBlocks32, tensor.F16: gatherBlocks16,
		}),
		Key:  2,
		Also: map[int][]tensor.DType{0: blockTypes, 1: {tensor.I32, tensor.I64}, 3: blockTypes},
	}
})

// blockTypes are those of data and zero points: bytes hold several codes, of bits each.
var blockTypes = []tensor.DType{tensor.U8, tensor.U4, tensor.I4}

// gatherBlocks is the State of a GatherBlockQuantized: data as [outer, n, inner] of the
// gathered axis, and as [..., length, beside] of the quantized one.
type gatherBlocks struct {
	outer, n, inner       int
	length, beside, block int
	bits                  int
	sign                  uint8 // of codes that have one
	blocks                int   // along the quantized axis
	zeroBlocks            int   // those that zero points have room for
	middle                int   // the zero point where none is given
	indices               []int
	codes, zeros          []byte
	scales                []float32
	out                   *tensor.View
	kernel                gatherBlocksKernel
	atScales              op.Part
}

// gatherBlocksAxes returns both axes, the codes in an element of data, and their bits.
func gatherBlocksAxes(a *op.Values, data tensor.Shape, d tensor.DType) (gather, quantize, codes, bits int, err error) {
	bits = a.Int("bits")
	if gather, err = tensor.Axis(a.Int("gather_axis"), len(data)); err != nil {
		return
	}
	if quantize, err = tensor.Axis(a.Int("quantize_axis"), len(data)); err != nil {
		return
	}
	size := a.Int("block_size")
	switch {
	case size < 16 || size&(size-1) != 0:
		err = errs.New(errs.Argument, "block_size is %d: a power of two from 16 on expected", size)
	case d != tensor.U8 && bits != 4:
		err = errs.New(errs.Argument, "bits is %d: 4 expected for data of %v", bits, d)
	case bits != 2 && bits != 4 && bits != 8:
		err = errs.New(errs.Argument, "bits is %d: 2, 4 or 8 expected", bits)
	case d == tensor.U8 && (gather != 0 || quantize != len(data)-1 || len(data) < 2):
		err = errs.New(errs.Argument, "data of bytes %v is gathered along axis %d and quantized along axis %d: the first and the last expected", data, gather, quantize)
	}
	if codes = 1; d == tensor.U8 && err == nil {
		codes = 8 / bits
	}
	return
}

// gatherBlocksShape: data [..., N, ...], indices [K...], scales and zero points as many as
// blocks -> [..., K..., ...].
func gatherBlocksShape(c *op.Infer) error {
	data, indices := c.In(0), c.In(1)
	gather, quantize, codes, _, err := gatherBlocksAxes(c.Attr, data, c.DType(0))
	if err != nil {
		return err
	}
	want := data.Clone()
	size := c.Attr.Int("block_size")
	want[quantize] = (data[quantize]*codes + size - 1) / size
	if !c.In(2).Equal(want) {
		return errs.New(errs.Shape, "the scales have shape %v, %v expected", c.In(2), want)
	}
	if c.Has(3) {
		want[quantize] = (want[quantize] + codes - 1) / codes
		if !c.In(3).Equal(want) || c.DType(3) != c.DType(0) {
			return errs.New(errs.Shape, "the zero points have shape %v of %v, %v of %v expected", c.In(3), c.DType(3), want, c.DType(0))
		}
	}
	out := c.Grow(0, c.DType(2), len(data)-1+len(indices))
	n := copy(out, data[:gather])
	n += copy(out[n:], indices)
	copy(out[n:], data[gather+1:])
	if gather < len(data)-1 {
		out[len(out)-1] *= codes
	}
	return nil
}

func gatherBlocksPrepare(c *op.Context) error {
	data := c.In(0).Shape.Clone()
	gather, quantize, codes, bits, err := gatherBlocksAxes(c.Attr, data, c.In(0).DType)
	if err != nil {
		return err
	}
	data[len(data)-1] *= codes
	s := &gatherBlocks{block: c.Attr.Int("block_size"), bits: bits, kernel: op.Row[gatherBlocksKernel](c)}
	s.outer, s.n, s.inner = data.Around(gather)
	_, s.length, s.beside = data.Around(quantize)
	s.blocks = (s.length + s.block - 1) / s.block
	s.zeroBlocks = (s.blocks + codes - 1) / codes * codes
	if c.In(0).DType != tensor.U4 { // where none is given, u4 counts from zero, i4 and bytes from the middle
		s.middle = 1 << (bits - 1)
	}
	if c.In(0).DType == tensor.I4 {
		s.sign = 8
	}
	var r op.Room
	if c.In(2).DType != tensor.F32 {
		s.atScales = r.Add(4 * c.In(2).Elements())
	}
	r.Need(c)
	c.State = s
	return nil
}

func gatherBlocksRun(c *op.Context) error {
	s := c.State.(*gatherBlocks)
	indices, err := c.Ints(1)
	if err != nil {
		return err
	}
	s.indices, s.codes, s.zeros, s.out = indices, c.In(0).Raw(), nil, c.Out(0)
	if c.Has(3) {
		s.zeros = c.In(3).Raw()
	}
	if v := c.In(2); v.DType == tensor.F32 {
		s.scales = tensor.Elems[float32](v)
	} else {
		s.scales = s.atScales.Floats(c)
		for i := range s.scales {
			s.scales[i] = float32(readers[v.DType](v, i))
		}
	}
	c.For(s.outer*len(indices), max(1, (16<<10)/max(1, s.inner)), s)
	return nil
}

// Chunk implements op.Task over the slices that are picked.
func (s *gatherBlocks) Chunk(lo, hi int) {
	for k := lo; k < hi; k++ {
		from := s.indices[k%len(s.indices)]
		if from < 0 {
			from += s.n
		}
		s.kernel(s, k*s.inner, (k/len(s.indices)*s.n+from)*s.inner, from >= 0 && from < s.n)
	}
}

// gatherBlocksKernel writes a slice from element to on, of the data from code at on, or
// zeros where none is there.
type gatherBlocksKernel func(s *gatherBlocks, to, at int, there bool)

func gatherBlocks32(s *gatherBlocks, to, at int, there bool) {
	out := tensor.Elems[float32](s.out)[to : to+s.inner]
	if !there {
		clear(out)
		return
	}
	for len(out) > 0 {
		n, scale, step := s.run(at, len(out))
		s.dequantize(out[:n], at, scale, step)
		out, at = out[n:], at+n
	}
}

func gatherBlocks16(s *gatherBlocks, to, at int, there bool) {
	out := tensor.Elems[tensor.Half](s.out)[to : to+s.inner]
	if !there {
		clear(out)
		return
	}
	var room [codesAtOnce]float32
	for len(out) > 0 {
		n, scale, step := s.run(at, len(out))
		s.dequantize(room[:n], at, scale, step)
		for i, f := range room[:n] {
			out[i] = tensor.HalfOf(f)
		}
		out, at = out[n:], at+n
	}
}

// codesAtOnce is how many codes are dequantized in one go.
const codesAtOnce = 128

// dequantize writes the numbers from code at on, of one scale or of those side by side.
func (s *gatherBlocks) dequantize(dst []float32, at, scale, step int) {
	if step == 0 {
		var room [codesAtOnce]uint8
		igemm.Dequantize(dst, s.unpack(room[:len(dst)], at), s.scales[scale], uint8(s.zero(scale)))
		return
	}
	for i := range dst {
		dst[i] = float32(int(s.code(s.codes, at+i))-s.zero(scale+i)) * s.scales[scale+i]
	}
}

// unpack returns codes from at on, where they lie or written to room.
func (s *gatherBlocks) unpack(room []uint8, at int) []uint8 {
	switch {
	case s.bits == 8:
		return s.codes[at : at+len(room)]
	case s.bits == 4 && s.sign == 0 && at%2 == 0 && len(room)%2 == 0:
		for i, b := range s.codes[at/2 : (at+len(room))/2] {
			room[2*i], room[2*i+1] = b&15, b>>4
		}
	default:
		for i := range room {
			room[i] = s.code(s.codes, at+i)
		}
	}
	return room
}

// run returns how many codes from at on, rest at most, have one scale, or scales side by
// side, and the first of these.
func (s *gatherBlocks) run(at, rest int) (n, scale, step int) {
	beside := at % s.beside
	along := at / s.beside % s.length
	scale = (at/s.beside/s.length*s.blocks+along/s.block)*s.beside + beside
	if s.beside > 1 {
		return min(rest, codesAtOnce, s.beside-beside), scale, 1
	}
	return min(rest, codesAtOnce, s.block-along%s.block, s.length-along), scale, 0
}

// code returns number i of codes. Those with a sign are moved to begin at zero, as zero
// points are: the difference of both counts.
func (s *gatherBlocks) code(codes []byte, i int) uint8 {
	at := i * s.bits
	return codes[at/8]>>(at%8)&(1<<s.bits-1) ^ s.sign
}

// zero returns the zero point that goes with a scale: in bytes, those of a row begin one.
func (s *gatherBlocks) zero(scale int) int {
	if s.zeros == nil {
		return s.middle
	}
	return int(s.code(s.zeros, scale+scale/s.blocks*(s.zeroBlocks-s.blocks)))
}
