package quant

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/igemm"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// QLinearMatMul multiplies quantized matrices into a quantized one.
// https://onnx.ai/onnx/operators/onnx__QLinearMatMul.html
// Departures: none. Sums of bytes are exact; they are scaled by
// a_scale * b_scale / y_scale in f32. Products of float8 are summed in float64.
var QLinearMatMul = op.Declare("", "QLinearMatMul", func() op.Def {
	return op.Def{
		Versions: op.Versions{10: "", 21: "float8, half scales"},
		Shape: func(c *op.Infer) error {
			if n, z := c.In(6).Elements(), c.In(7).Elements(); n != 1 || z != 1 {
				return errs.New(errs.Shape, "y_scale has shape %v, y_zero_point has shape %v: one number expected", c.In(6), c.In(7))
			}
			return productShape(c, c.In(0), c.In(3), c.DType(7))
		},
		Prepare: qlinearPrepare,
		Run:     qlinearRun,
		DTypes:  op.Uniform(struct{}{}, qlinearTypes...),
		Also: map[int][]tensor.DType{
			1: floatScales, 3: qlinearTypes, 4: floatScales, 5: qlinearTypes, 6: floatScales, 7: qlinearTypes,
		},
	}
})

var (
	floatScales  = []tensor.DType{tensor.F32, tensor.F16, tensor.BF16}
	qlinearTypes = []tensor.DType{tensor.I8, tensor.U8, tensor.F8E4M3FN, tensor.F8E4M3UZ, tensor.F8E5M2, tensor.F8E5M2UZ}
)

func isByte(d tensor.DType) bool { return d == tensor.I8 || d == tensor.U8 }

// scaledProduct is a product whose sums are scaled by the row's and the column's
// scale.
type scaledProduct struct {
	*product
	inA, inB     int   // the inputs with the scales
	rowAt, colAt []int // offset of each batch's scales, nil where one serves all
	atRow, atCol op.Part
	rowScales    []float32
	colScales    []float32
	outScale     float32
	outZero      float32
	bytesY       []uint8
	signsY       []int8
	slow         bool
	readA, readB reader
}

// newScaledProduct prepares a product of bytes with scales.
func newScaledProduct(c *op.Context, in operands, scaleA, scaleB int, r *op.Room) (*scaledProduct, error) {
	p, err := newProduct(c, in, r, true)
	if err != nil {
		return nil, err
	}
	s := &scaledProduct{product: p, inA: scaleA, inB: scaleB}
	return s, s.planScales(c, r)
}

func (s *scaledProduct) planScales(c *op.Context, r *op.Room) (err error) {
	rows := 1
	if a := c.In(s.in.a).Shape; len(a) > 1 {
		rows = a[len(a)-2]
	}
	if s.rowAt, err = zeroOffsets(c, s.inA, s.m, rows, s.a, s.m*s.k); err != nil {
		return err
	}
	if s.colAt, err = zeroOffsets(c, s.inB, s.n, s.n, s.b, s.k*s.n); err != nil {
		return err
	}
	s.atRow, s.atCol = r.Add(4*zeroCount(c, s.inA, s.m)), r.Add(4*zeroCount(c, s.inB, s.n))
	return nil
}

// bindScales reads the scales.
func (s *scaledProduct) bindScales(c *op.Context) {
	s.rowScales, s.colScales = s.atRow.Floats(c), s.atCol.Floats(c)
	if s.inA >= 0 {
		readScales(c.In(s.inA), s.rowScales)
	}
	readScales(c.In(s.inB), s.colScales)
}

// readScales widens scales, repeating them.
func readScales(v *tensor.View, dst []float32) {
	n, read := v.Elements(), readers[v.DType]
	for i := range dst {
		dst[i] = float32(read(v, i%n))
	}
}

// rowScale returns the scale of row i of a batch.
func (s *scaledProduct) rowScale(batch, i int) float32 {
	if s.rowAt == nil {
		return s.rowScales[0]
	}
	return s.rowScales[s.rowAt[batch]+i]
}

// colScalesOf returns the scales of the columns of a batch: one or all.
func (s *scaledProduct) colScalesOf(batch int) []float32 {
	if s.colAt == nil {
		return s.colScales[:1]
	}
	return s.colScales[s.colAt[batch] : s.colAt[batch]+s.n]
}

func qlinearPrepare(c *op.Context) error {
	var r op.Room
	if isByte(c.In(0).DType) && isByte(c.In(3).DType) && isByte(c.Out(0).DType) {
		s, err := newScaledProduct(c, operands{a: 0, b: 3, zeroA: 2, zeroB: 5}, 1, 4, &r)
		if err != nil {
			return err
		}
		s.finish = s.toBytes
		c.State = s
		r.Need(c)
		return nil
	}
	return slowPrepare(c, &r)
}

func qlinearRun(c *op.Context) error {
	s := c.State.(*scaledProduct)
	if s.m == 0 || s.n == 0 || len(s.a) == 0 {
		return nil
	}
	s.bindScales(c)
	s.outScale = float32(readers[c.In(6).DType](c.In(6), 0))
	s.outZero = float32(readers[c.In(7).DType](c.In(7), 0))
	if s.slow {
		s.runSlow(c)
		return nil
	}
	if c.Out(0).DType == tensor.U8 {
		s.bytesY, s.signsY = tensor.Elems[uint8](c.Out(0)), nil
	} else {
		s.bytesY, s.signsY = nil, tensor.Elems[int8](c.Out(0))
	}
	s.run(c)
	return nil
}

// toBytes scales, rounds and stores a part of a batch's sums.
func (s *scaledProduct) toBytes(batch, m0, m1, n0, n1 int) {
	cols := s.colScalesOf(batch)
	for i := m0; i < m1; i++ {
		scale := s.rowScale(batch, i)
		sums := s.sums[i*s.n+n0 : i*s.n+n1]
		at := (batch*s.m+i)*s.n + n0
		if s.bytesY != nil {
			requantizeRow(s.bytesY[at:at+len(sums)], sums, scale, cols, n0, s.outScale, s.outZero, 0, 255)
		} else {
			requantizeRow(s.signsY[at:at+len(sums)], sums, scale, cols, n0, s.outScale, s.outZero, -128, 127)
		}
	}
}

// requantizeRow stores sums times scale * cols[from...] / out, rounded half to
// even, plus zero.
func requantizeRow[T uint8 | int8](dst []T, sums []int32, scale float32, cols []float32, from int, out, zero, low, high float32) {
	low, high = low-zero, high-zero
	f := scale * cols[0] / out
	for j, v := range sums {
		if len(cols) > 1 {
			f = scale * cols[from+j] / out
		}
		dst[j] = T(int32(igemm.Saturate(float32(v)*f, low, high) + zero))
	}
}

// slowPrepare is Prepare where a float8 takes part.
func slowPrepare(c *op.Context, r *op.Room) error {
	a, b := c.In(0).Shape, c.In(3).Shape
	p := &product{k: a[len(a)-1], m: 1, n: 1, in: operands{a: 0, b: 3, zeroA: 2, zeroB: 5}}
	if len(a) > 1 {
		p.m = a[len(a)-2]
	}
	if len(b) > 1 {
		p.n = b[len(b)-1]
	}
	la, lb := a[:max(0, len(a)-2)], b[:max(0, len(b)-2)]
	batch, err := op.BroadcastShape(nil, la, lb)
	if err != nil {
		return err
	}
	p.a, p.b = op.BatchOffsets(batch, la, p.m*p.k), op.BatchOffsets(batch, lb, p.k*p.n)
	if p.perRow, err = zeroOffsets(c, 2, p.m, p.m, p.a, p.m*p.k); err != nil {
		return err
	}
	if p.perCol, err = zeroOffsets(c, 5, p.n, p.n, p.b, p.k*p.n); err != nil {
		return err
	}
	s := &scaledProduct{product: p, inA: 1, inB: 4, slow: true, readA: readers[c.In(0).DType], readB: readers[c.In(3).DType]}
	if err := s.planScales(c, r); err != nil {
		return err
	}
	c.State = s
	r.Need(c)
	return nil
}

// runSlow computes each element by the definition.
func (s *scaledProduct) runSlow(c *op.Context) {
	a, b, za, zb, y := c.In(0), c.In(3), c.In(2), c.In(5), c.Out(0)
	write := writers[y.DType]
	for batch := range s.a {
		cols := s.colScalesOf(batch)
		for i := range s.m {
			for j := range s.n {
				sum, zeroA, zeroB := 0.0, s.readA(za, zeroAt(s.perRow, batch, i, za)), s.readB(zb, zeroAt(s.perCol, batch, j, zb))
				for k := range s.k {
					sum += (s.readA(a, s.a[batch]+i*s.k+k) - zeroA) * (s.readB(b, s.b[batch]+k*s.n+j) - zeroB)
				}
				f := s.rowScale(batch, i) * cols[j%len(cols)] / s.outScale
				write(y, (batch*s.m+i)*s.n+j, float64(float32(sum)*f), float64(s.outZero), true)
			}
		}
	}
}

// zeroAt returns which zero point the i-th row or column of a batch has.
func zeroAt(offsets []int, batch, i int, v *tensor.View) int {
	if offsets == nil {
		return 0
	}
	return (offsets[batch] + i) % v.Elements()
}
