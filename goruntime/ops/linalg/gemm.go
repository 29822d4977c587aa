package linalg

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/gemm"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Gemm computes alpha * A' * B' + beta * C, where A' and B' are A and B or their
// transposes and C broadcasts to the product.
// https://onnx.ai/onnx/operators/onnx__Gemm.html   Departures: none.
// C is not read where beta is 0. Alpha and beta other than 1 are applied to the
// exact sums of integers in float64, fractions cut off.
var Gemm = op.Declare("", "Gemm", func() op.Def {
	return op.Widened(op.Def{
		Versions: op.Versions{7: "C broadcasts", 9: "integers", 11: "C is optional", 13: "bfloat16"},
		Attrs:    op.Attrs(op.Float("alpha", 1), op.Float("beta", 1), op.Int("transA", 0), op.Int("transB", 0)),
		Tail:     true,
		Shape:    gemmShape,
		Prepare:  gemmPrepare,
		Run:      gemmRun,
		DTypes: op.ByType(map[tensor.DType]gemmKernel{
			tensor.F32: gemmOf(scaleFloats[float32]), tensor.F64: gemmOf(scaleFloats[float64]),
			tensor.I32: gemmOf(scaleIntegers[int32]), tensor.I64: gemmOf(scaleIntegers[int64]), tensor.U32: gemmOf(scaleIntegers[uint32]), tensor.U64: gemmOf(scaleIntegers[uint64]),
		}),
		Columns: gemmColumns,
		Whole: func(c *op.Infer) (*op.Def, bool) {
			plain := c.Attr.Float("alpha") == 1 && c.Attr.Float("beta") == 1 && !c.Attr.Bool("transA") && c.Attr.Bool("transB")
			return nil, plain && (!c.Has(2) || c.In(2).Equal(tensor.Shape{c.In(1)[0]}))
		},
	})
})

// Gemm1 is Gemm before version 7, where C broadcasts only on demand.
var Gemm1 = op.Declare("", "Gemm", func() op.Def {
	return op.Widened(op.Def{
		Versions: op.Versions{1: "broadcast attribute", 6: ""},
		Attrs: op.Attrs(op.Float("alpha", 1), op.Float("beta", 1), op.Int("transA", 0), op.Int("transB", 0),
			op.Int("broadcast", 0)),
		Shape: func(c *op.Infer) error {
			if err := gemmShape(c); err != nil {
				return err
			}
			if out := gemmSize(c.Attr, c.In(0), c.In(1)); !c.Attr.Bool("broadcast") && !c.In(2).Equal(tensor.Shape{out.m, out.n}) {
				return errs.New(errs.Shape, "C has shape %v, the product is [%d, %d]: they must be equal without the attribute broadcast", c.In(2), out.m, out.n)
			}
			return nil
		},
		Prepare: gemmPrepare,
		Run:     gemmRun,
		DTypes:  Gemm.Def().DTypes,
		Columns: gemmColumns,
	})
})

// gemmColumns tells whether A may lie as columns: where it is read by rows, and B does
// not take its place (see few).
func gemmColumns(c *op.Infer) bool {
	_, err := c.View(1)
	return !c.Attr.Bool("transA") && (err == nil || !c.Attr.Bool("transB")) && !c.DType(0).Half()
}

// gemmKernel is what one element type does in Prepare and in Run.
type gemmKernel struct {
	prepare, run func(c *op.Context) error
}

// gemmSizes are those of A' [M, K], B' [K, N] and C seen as [M, N].
type gemmSizes struct {
	m, n, k        int
	transA, transB bool
}

// gemmSize returns the sizes of the product.
func gemmSize(attr *op.Values, a, b tensor.Shape) gemmSizes {
	s := gemmSizes{transA: attr.Bool("transA"), transB: attr.Bool("transB"), m: a[0], k: a[1], n: b[1]}
	if s.transA {
		s.m, s.k = a[1], a[0]
	}
	if s.transB {
		s.n = b[0]
	}
	return s
}

// gemmShape: A [M, K] or [K, M], B [K, N] or [N, K], C repeats to [M, N].
func gemmShape(c *op.Infer) error {
	a, b := c.In(0), c.In(1)
	if len(a) != 2 || len(b) != 2 {
		return errs.New(errs.Shape, "A has shape %v, B has shape %v: both must be matrices", a, b)
	}
	s := gemmSize(c.Attr, a, b)
	kb := b[0]
	if s.transB {
		kb = b[1]
	}
	if s.k != kb {
		return errs.New(errs.Shape, "A has shape %v, B has shape %v, transA is %v, transB is %v: the inner dimensions %d and %d must be equal", a, b, s.transA, s.transB, s.k, kb)
	}
	if c.Has(2) {
		if _, _, ok := s.spread(c.In(2)); !ok {
			return errs.New(errs.Shape, "C has shape %v, which does not broadcast to [%d, %d]", c.In(2), s.m, s.n)
		}
	}
	out := c.Grow(0, c.DType(0), 2)
	out[0], out[1] = s.m, s.n
	return nil
}

// spread returns the steps of a C of this shape along M and N.
func (s gemmSizes) spread(c tensor.Shape) (row, col int, ok bool) {
	rows, cols := 1, 1
	switch len(c) {
	case 0:
	case 1:
		cols = c[0]
	case 2:
		rows, cols = c[0], c[1]
	default:
		return 0, 0, false
	}
	if cols != 1 {
		col = 1
	}
	if rows != 1 {
		row = cols
	}
	return row, col, (rows == 1 || rows == s.m) && (cols == 1 || cols == s.n)
}

func gemmPrepare(c *op.Context) error { return op.Row[gemmKernel](c).prepare(c) }

func gemmRun(c *op.Context) error { return op.Row[gemmKernel](c).run(c) }

// gemmOf is the row of an element type.
func gemmOf[T gemm.Number](scale gemmScale[T]) gemmKernel {
	return gemmKernel{
		prepare: func(c *op.Context) error {
			s := &gemmState[T]{gemmSizes: gemmSize(c.Attr, c.In(0).Shape, c.In(1).Shape), scale: scale}
			c.State = s
			return s.prepare(c)
		},
		run: func(c *op.Context) error {
			if s := c.State.(*gemmState[T]); s.m > 0 && s.n > 0 {
				s.run(c)
			}
			return nil
		},
	}
}

// gemmScale writes alpha * row + beta * C to row. C is nil where it does not count, or lies
// in steps.
type gemmScale[T gemm.Number] func(row, c []T, step int, alpha, beta float32)

func scaleFloats[T float32 | float64](row, c []T, step int, alpha, beta float32) {
	if c == nil {
		for j := range row {
			row[j] *= T(alpha)
		}
		return
	}
	at := 0
	for j := range row {
		row[j] = T(alpha)*row[j] + T(beta)*c[at]
		at += step
	}
}

// scaleIntegers keeps exact what needs no fractions.
func scaleIntegers[T int32 | int64 | uint32 | uint64](row, c []T, step int, alpha, beta float32) {
	at := 0
	for j, x := range row {
		switch {
		case c == nil:
			row[j] = T(float64(alpha) * float64(x))
		case alpha == 1 && beta == 1:
			row[j] = x + c[at]
		default:
			row[j] = T(float64(alpha)*float64(x) + float64(beta)*float64(c[at]))
		}
		at += step
	}
}
