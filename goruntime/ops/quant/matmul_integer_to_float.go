package quant

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/chain"
	"github.com/goruntime/goruntime/goruntime/kernels/igemm"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// MatMulIntegerToFloat multiplies matrices of bytes, less their zero points, and
// scales the sums by a_scale * b_scale; a bias of the columns is added.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.MatMulIntegerToFloat
// Departures: none. The sums are exact.
var MatMulIntegerToFloat = op.Declare("com.microsoft", "MatMulIntegerToFloat", func() op.Def {
	return op.Def{
		Versions: op.Versions{1: ""}, Needs: []int{0, 1, 2, 3}, Tail: true,
		Shape: func(c *op.Infer) error {
			if err := productShape(c, c.In(0), c.In(1), c.DType(2)); err != nil {
				return err
			}
			return biasShape(c, 6, c.In(1))
		},
		Prepare: func(c *op.Context) error {
			return floatPrepare(c, operands{a: 0, b: 1, zeroA: 4, zeroB: 5}, 2, 3, 6)
		},
		Run:    floatRun,
		DTypes: op.Uniform(struct{}{}, bytes...),
		Also: map[int][]tensor.DType{
			1: bytes, 2: {tensor.F32, tensor.F16}, 3: {tensor.F32, tensor.F16}, 4: bytes, 5: bytes, 6: {tensor.F32, tensor.F16},
		},
	}
})

// biasShape checks the bias, input i, of a product with B.
func biasShape(c *op.Infer, i int, b tensor.Shape) error {
	if n := b[len(b)-1]; c.Has(i) && (len(b) < 2 || !c.In(i).Equal(tensor.Shape{n})) {
		return errs.New(errs.Shape, "the bias has shape %v, [%d] expected", c.In(i), n)
	}
	return nil
}

// floatProduct is a scaled product with an output of floating point.
type floatProduct struct {
	*scaledProduct
	inBias         int
	atCols, atBias op.Part
	cols, bias     []float32 // of every column
	out            *tensor.View
	write          func(v *tensor.View, i int, f float32)
	tail           *chain.Bound
	room           chain.Room
	atRoom         op.Part
	work           []float32 // of the room
}

// floatPrepare leaves the State of a product with scales and a bias; scaleA is
// negative where A is quantized in the run.
func floatPrepare(c *op.Context, in operands, scaleA, scaleB, bias int) error {
	var r op.Room
	s, err := newScaledProduct(c, in, scaleA, scaleB, &r)
	if err != nil {
		return err
	}
	f := &floatProduct{scaledProduct: s, inBias: bias, write: floatWriters[c.Out(0).DType]}
	f.atCols, f.atBias = r.Add(4*s.n), r.Add(4*s.n)
	f.room = chain.NewRoom(c.Tail(), c.Threads())
	f.atRoom = r.Add(4 * f.room.Floats())
	s.finish = f.toFloat
	r.Need(c)
	c.State = f
	return nil
}

func floatRun(c *op.Context) error {
	f := c.State.(*floatProduct)
	if f.m == 0 || f.n == 0 || len(f.a) == 0 {
		return nil
	}
	f.bindScales(c)
	f.cols, f.bias = f.atCols.Floats(c), f.atBias.Floats(c)
	clear(f.bias)
	if c.Has(f.inBias) {
		readScales(c.In(f.inBias), f.bias)
	}
	if f.colAt == nil {
		for j := range f.cols {
			f.cols[j] = f.colScales[0]
		}
	}
	f.out, f.tail, f.work = c.Out(0), c.Tail(), f.atRoom.Floats(c)
	f.run(c)
	return nil
}

// toFloat scales and stores a part of a batch's sums.
func (f *floatProduct) toFloat(batch, m0, m1, n0, n1 int) {
	cols := f.cols
	if f.colAt != nil {
		cols = f.colScalesOf(batch)
	}
	for i := m0; i < m1; i++ {
		scale := f.scaleA
		if f.inA >= 0 {
			scale = f.rowScale(batch, i)
		}
		at, sums := (batch*f.m+i)*f.n+n0, f.sums[i*f.n+n0:i*f.n+n1]
		if f.out.DType == tensor.F32 {
			igemm.Rescale(tensor.Elems[float32](f.out)[at:at+len(sums)], sums, f.columns[n0:], 0, scale, cols[n0:], f.bias[n0:])
			continue
		}
		for j, sum := range sums {
			f.write(f.out, at+j, float32(sum)*(scale*cols[n0+j])+f.bias[n0+j])
		}
	}
	if f.tail != nil {
		scratch, part := f.room.Take(f.work)
		f.tail.Rows((batch*f.m+m0)*f.n+n0, n1-n0, f.n, m1-m0, scratch)
		f.room.Give(part)
	}
}
