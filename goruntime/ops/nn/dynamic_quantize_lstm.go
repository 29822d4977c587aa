package nn

import (
	"encoding/binary"
	"slices"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/gemm"
	"github.com/goruntime/goruntime/goruntime/kernels/igemm"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// DynamicQuantizeLSTM is an LSTM with quantized weights, whose inputs and states
// are quantized to u8 for each product.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.DynamicQuantizeLSTM
// Departures: none.
var DynamicQuantizeLSTM = op.Declare("com.microsoft", "DynamicQuantizeLSTM", func() op.Def {
	return op.Def{
		Versions: op.Versions{1: ""}, Needs: []int{0, 1, 2, 8, 9, 10, 11},
		Attrs: op.Attrs(op.Floats("activation_alpha"), op.Floats("activation_beta"), op.Strings("activations"), op.Float("clip", 0),
			op.String("direction", "forward"), op.Optional("hidden_size", op.KindInt), op.Int("input_forget", 0)),
		Shape: func(c *op.Infer) error {
			s, err := quantizedSizes(c.Attr, c.In(0), c.In(1), c.In(2))
			if err != nil {
				return err
			}
			for i := 8; i < 12; i++ {
				if n := c.In(i).Elements(); n != s.dirs && n != s.dirs*4*s.hidden {
					return errs.New(errs.Shape, "input %d has shape %v: one number for each direction or each of its gates expected", i, c.In(i))
				}
			}
			return lstmUnit.outputs(c, s)
		},
		Prepare: quantizedLSTMPrepare,
		Run:     recurrentRun,
		DTypes:  op.ByType(map[tensor.DType]recurrentKernel{tensor.F32: quantizedLSTM}),
		Also: map[int][]tensor.DType{
			1: byteTypes, 2: byteTypes, 3: {tensor.F32}, 4: {tensor.I32}, 5: {tensor.F32}, 6: {tensor.F32}, 7: {tensor.F32},
			8: {tensor.F32}, 9: byteTypes, 10: {tensor.F32}, 11: byteTypes,
		},
	}
})

// quantizedSizes reads W [D, I, 4*H] and R [D, H, 4*H].
func quantizedSizes(a *op.Values, x, w, r tensor.Shape) (sizes, error) {
	if len(w) != 3 || len(r) != 3 {
		return sizes{}, errs.New(errs.Shape, "W has shape %v and R %v: each needs rank 3", w, r)
	}
	turned := [2][3]int{{w[0], w[2], w[1]}, {r[0], r[2], r[1]}}
	s, err := lstmUnit.sizesOf(a, x, turned[0][:], turned[1][:])
	if err != nil {
		return s, errs.New(errs.Shape, "X has shape %v, W %v and R %v: X [T, B, I], W [D, I, 4*H] and R [D, H, 4*H] expected", x, w, r)
	}
	return s, nil
}

// quantizedMemory are the parts of the workspace.
type quantizedMemory struct {
	work            op.Part
	rows, sums      [2]op.Part // of the directions that run side by side
	packed, columns [2]op.Part // of W and R, where they are not constant
	scales, zeros   [2]op.Part
}

func quantizedLSTMPrepare(c *op.Context) error {
	size, err := quantizedSizes(c.Attr, c.In(0).Shape, c.In(1).Shape, c.In(2).Shape)
	if err != nil {
		return err
	}
	s, err := lstmUnit.newRecurrence(c, size)
	if err != nil {
		return err
	}
	s.coupled = c.Attr.Bool("input_forget")
	s.plain = s.plain && !s.coupled
	var room op.Room
	m := &s.memory
	g := 4 * s.hidden
	m.work = room.Add(4 * s.sides() * s.workFloats())
	for d := range s.sides() {
		m.rows[d] = room.Add(max(s.steps*s.batch*igemm.Depths(s.in), s.batch*igemm.Depths(s.hidden)))
		m.sums[d] = room.Add(4 * max(s.steps, 1) * s.batch * g)
	}
	for i, k := range [...]int{s.in, s.hidden} {
		m.scales[i], m.zeros[i] = room.Add(4*s.dirs*g), room.Add(4*s.dirs*g)
		constant := c.Constant(1 + i)
		if !constant {
			m.packed[i], m.columns[i] = room.Add(s.dirs*igemm.PackedSize(k, g)), room.Add(4*s.dirs*g)
		}
		for d := range s.dirs {
			s.bytes[d][i] = &byteMatrix{k: k, n: g, constant: constant}
		}
		if constant {
			if err := s.packBytes(c, i, k, g); err != nil {
				return err
			}
		}
	}
	room.Need(c)
	return nil
}

// packBytes packs W or R of all directions, once a session.
func (s *recurrence) packBytes(c *op.Context, i, k, g int) error {
	v, err := c.Value(1 + i)
	if err != nil {
		return err
	}
	n := igemm.PackedSize(k, g)
	mem, err := c.Pack(1+i, "igemm.directions", s.dirs*(n+4*g), func(dst []byte) error {
		sums := make([]int32, g)
		for d := range s.dirs {
			packed := dst[d*n : (d+1)*n]
			igemm.PackB(packed, v.Raw()[d*k*g:], k, g, g, 1, flipOf(v))
			igemm.ColumnSums(sums, packed, k, g)
			for j, sum := range sums {
				binary.NativeEndian.PutUint32(dst[s.dirs*n+4*(d*g+j):], uint32(sum))
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for d := range s.dirs {
		q := s.bytes[d][i]
		q.packed, q.columns = mem[d*n:(d+1)*n], make([]int32, g)
		for j := range q.columns {
			q.columns[j] = int32(binary.NativeEndian.Uint32(mem[s.dirs*n+4*(d*g+j):]))
		}
	}
	return nil
}

// flipOf returns what makes the bytes of v signed.
func flipOf(v *tensor.View) byte {
	if v.DType == tensor.U8 {
		return igemm.Flip
	}
	return 0
}

func quantizedLSTM(c *op.Context, s *recurrence) error {
	s.x = tensor.Elems[float32](c.In(0))
	s.b, s.h0, s.c0, s.p = optional[float32](c, 3), optional[float32](c, 5), optional[float32](c, 6), optional[float32](c, 7)
	s.work = s.memory.work.Floats(c)
	for i := range 2 {
		s.bindBytes(c, i)
	}
	for i, dst := range [...]*[]float32{&s.y, &s.yh, &s.yc} {
		*dst = nil
		if c.Wants(i) {
			*dst = tensor.Elems[float32](c.Out(i))
		}
	}
	s.run(c)
	return nil
}

// bindBytes gives W or R of each direction its memory, scales and zero points.
func (s *recurrence) bindBytes(c *op.Context, i int) {
	m, w, g := &s.memory, c.In(1+i), 4*s.hidden
	scales, zeros := m.scales[i].Floats(c), m.zeros[i].Ints(c)
	given, points := tensor.Elems[float32](c.In(8+2*i)), c.In(9+2*i)
	add := int32(0)
	if w.DType == tensor.U8 {
		add = -128
	}
	for k, each := 0, len(scales)/max(1, len(given)); k < len(given); k++ {
		for j := k * each; j < (k+1)*each; j++ {
			scales[j] = given[k]
		}
	}
	for k, each := 0, len(zeros)/max(1, points.Elements()); k < points.Elements(); k++ {
		zero := byteAt(points, k) + add
		for j := k * each; j < (k+1)*each; j++ {
			zeros[j] = zero
		}
	}
	for d := range s.dirs {
		q := s.bytes[d][i]
		q.scales, q.zeros = scales[d*g:(d+1)*g], zeros[d*g:(d+1)*g]
		q.plain = !slices.ContainsFunc(q.zeros, func(z int32) bool { return z != 0 })
		side := min(d, s.sides()-1)
		q.rows, q.sums = m.rows[side].Bytes(c), m.sums[side].Ints(c)
		if !q.constant {
			n := igemm.PackedSize(q.k, g)
			q.packed, q.columns = m.packed[i].Bytes(c)[d*n:(d+1)*n], m.columns[i].Ints(c)[d*g:(d+1)*g]
			igemm.PackB(q.packed, w.Raw()[d*q.k*g:], q.k, g, g, 1, flipOf(w))
			igemm.ColumnSums(q.columns, q.packed, q.k, g)
		}
	}
}

// byteMatrix is a quantized matrix [K, N] and what a product with it needs.
type byteMatrix struct {
	k, n     int
	constant bool
	packed   []byte
	columns  []int32 // sums of the columns
	scales   []float32
	zeros    []int32
	plain    bool    // no zero point counts
	rows     []byte  // scratch: the other side, quantized
	sums     []int32 // scratch: the product
}

// product adds x [M, K], quantized to u8 as a whole, times q to the rows of out;
// where bias is given, the rows start from that instead of what they hold.
func (q *byteMatrix) product(a *gemm.Args, x, out, bias []float32) {
	if a.M == 0 || q.n == 0 {
		return
	}
	x = x[:a.M*q.k]
	scale, zero := igemm.Parameters(igemm.Span(x))
	depth := igemm.Depths(q.k)
	for i := range a.M {
		row := q.rows[i*depth : (i+1)*depth]
		igemm.Quantize(row[:q.k], x[i*q.k:(i+1)*q.k], scale, zero)
		clear(row[q.k:])
	}
	g := igemm.Args{M: a.M, N: q.n, K: q.k, A: q.rows, LDA: depth, B: q.packed, C: q.sums, LDC: q.n}
	igemm.Run(&g, 0, a.M, 0, q.n)
	for i := range a.M {
		dst, sums, start := out[i*a.LDC:][:q.n], q.sums[i*q.n:][:q.n], bias
		if bias == nil {
			start = dst
		}
		if !q.plain {
			q.takeOff(sums, q.rows[i*depth:i*depth+q.k], int32(zero))
		}
		igemm.Rescale(dst, sums, q.columns, int32(zero), scale, q.scales, start)
	}
}

// takeOff corrects the sums of a row for the zero points of the columns.
func (q *byteMatrix) takeOff(sums []int32, row []byte, zero int32) {
	total := int32(-q.k) * zero
	for _, b := range row {
		total += int32(b)
	}
	for j := range sums {
		sums[j] -= q.zeros[j] * total
	}
}
