package quant

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/igemm"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// QGemm multiplies quantized matrices, or their transposes, adds C and scales by
// alpha * a_scale * b_scale: into f32, or with y_scale into quantized numbers.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QGemm
// Departures: none. The sums are exact.
var QGemm = op.Declare("com.microsoft", "QGemm", func() op.Def {
	return op.Def{
		Versions: op.Versions{1: ""}, Needs: []int{0, 1, 3, 4},
		Attrs: op.Attrs(op.Float("alpha", 1), op.Int("transA", 0), op.Int("transB", 0)),
		Shape: func(c *op.Infer) error {
			a, b := c.In(0), c.In(3)
			if len(a) != 2 || len(b) != 2 {
				return errs.New(errs.Shape, "A has shape %v, B has shape %v: both must be matrices", a, b)
			}
			m, k, n, kb := a[0], a[1], b[1], b[0]
			if c.Attr.Bool("transA") {
				m, k = k, m
			}
			if c.Attr.Bool("transB") {
				n, kb = kb, n
			}
			if k != kb {
				return errs.New(errs.Shape, "A has shape %v, B has shape %v: the inner dimensions %d and %d must be equal", a, b, k, kb)
			}
			if c.Has(6) {
				if out, err := op.BroadcastShape(c.Grow(0, tensor.F32, 0), tensor.Shape{m, n}, c.In(6)); err != nil || !out.Equal(tensor.Shape{m, n}) {
					return errs.New(errs.Shape, "C has shape %v, which does not broadcast to [%d, %d]", c.In(6), m, n)
				}
			}
			dtype := tensor.F32
			if c.Has(7) {
				if dtype = tensor.U8; c.Has(8) {
					dtype = c.DType(8)
				}
			}
			c.SetOutput(0, dtype, tensor.Shape{m, n})
			return nil
		},
		Prepare: func(c *op.Context) error {
			var r op.Room
			in := operands{a: 0, b: 3, zeroA: 2, zeroB: 5, transA: c.Attr.Bool("transA"), transB: c.Attr.Bool("transB")}
			s, err := newScaledProduct(c, in, 1, 4, &r)
			if err != nil {
				return err
			}
			g := &quantizedGemm{scaledProduct: s, alpha: c.Attr.Float("alpha")}
			if c.Has(6) {
				shape := c.In(6).Shape
				for d, step := len(shape)-1, 1; d >= 0; d-- {
					if shape[d] != 1 {
						g.steps[d+2-len(shape)] = step
					}
					step *= shape[d]
				}
			}
			s.finish = g.store
			r.Need(c)
			c.State = g
			return nil
		},
		Run:    qgemmRun,
		DTypes: op.Uniform(struct{}{}, bytes...),
		Also: map[int][]tensor.DType{
			1: {tensor.F32}, 3: bytes, 4: {tensor.F32}, 5: bytes, 6: {tensor.I32}, 7: {tensor.F32}, 8: bytes,
		},
	}
})

// quantizedGemm is the State of a QGemm.
type quantizedGemm struct {
	*scaledProduct
	alpha float32
	c     []int32 // nil where there is none
	steps [2]int  // of C along M and N
	out   *tensor.View
}

func qgemmRun(c *op.Context) error {
	g := c.State.(*quantizedGemm)
	if g.m == 0 || g.n == 0 {
		return nil
	}
	g.bindScales(c)
	g.c, g.out, g.outScale, g.outZero = nil, c.Out(0), 1, 0
	if c.Has(6) {
		g.c = tensor.Elems[int32](c.In(6))
	}
	if c.Has(7) {
		g.outScale = tensor.Elems[float32](c.In(7))[0]
	}
	if c.Has(8) {
		g.outZero = float32(readers[c.In(8).DType](c.In(8), 0))
	}
	g.run(c)
	return nil
}

// store adds C, scales and stores a part of the sums.
func (g *quantizedGemm) store(batch, m0, m1, n0, n1 int) {
	cols := g.colScalesOf(batch)
	for i := m0; i < m1; i++ {
		scale, sums, at := g.alpha*g.rowScale(batch, i), g.sums[i*g.n+n0:i*g.n+n1], i*g.n+n0
		if g.c != nil {
			for j := range sums {
				sums[j] += g.c[i*g.steps[0]+(n0+j)*g.steps[1]]
			}
		}
		qgemmStores[g.out.DType](g, at, sums, scale, cols, n0)
	}
}

// qgemmStores write a row of sums by the element type of the output.
var qgemmStores = map[tensor.DType]func(g *quantizedGemm, at int, sums []int32, scale float32, cols []float32, n0 int){
	tensor.U8: func(g *quantizedGemm, at int, sums []int32, scale float32, cols []float32, n0 int) {
		requantizeRow(tensor.Elems[uint8](g.out)[at:at+len(sums)], sums, scale, cols, n0, g.outScale, g.outZero, igemm.Unsigned.Low, igemm.Unsigned.High)
	},
	tensor.I8: func(g *quantizedGemm, at int, sums []int32, scale float32, cols []float32, n0 int) {
		requantizeRow(tensor.Elems[int8](g.out)[at:at+len(sums)], sums, scale, cols, n0, g.outScale, g.outZero, igemm.Signed.Low, igemm.Signed.High)
	},
	tensor.F32: func(g *quantizedGemm, at int, sums []int32, scale float32, cols []float32, n0 int) {
		y := tensor.Elems[float32](g.out)[at : at+len(sums)]
		for j, sum := range sums {
			y[j] = float32(sum) * (scale * cols[(n0+j)%len(cols)])
		}
	},
}
