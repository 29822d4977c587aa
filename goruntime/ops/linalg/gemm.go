package linalg

import (
	"github.com/goruntime/goruntime/goruntime/errs"
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
			tensor.F32: {prepare: gemmPrepareSingle, run: gemmSingle},
			tensor.F64: gemmOf[float64](), tensor.I32: gemmOf[int32](), tensor.I64: gemmOf[int64](), tensor.U32: gemmOf[uint32](), tensor.U64: gemmOf[uint64](),
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
	prepare func(c *op.Context, s *gemmState) error
	run     func(c *op.Context, s *gemmState)
}

// gemmState is the State of a Gemm: A' [M, K], B' [K, N], C seen as [M, N].
type gemmState struct {
	m, n, k        int
	transA, transB bool
	alpha, beta    float32
	c              bool // C counts
	cRow, cCol     int  // the steps of C along M and N, 0 where it is repeated
	sheet          gemmSheet
	act            func([]float32) // of FusedGemm, nil where there is none
	rows           *op.Rows        // of an A that lies as columns, else nil
}

// gemmSize returns the sizes of the product.
func gemmSize(attr *op.Values, a, b tensor.Shape) gemmState {
	s := gemmState{transA: attr.Bool("transA"), transB: attr.Bool("transB"), m: a[0], k: a[1], n: b[1]}
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
func (s *gemmState) spread(c tensor.Shape) (row, col int, ok bool) {
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

func gemmPrepare(c *op.Context) error {
	s := gemmSize(c.Attr, c.In(0).Shape, c.In(1).Shape)
	s.alpha, s.beta = c.Attr.Float("alpha"), c.Attr.Float("beta")
	if c.Has(2) && s.beta != 0 {
		s.c = true
		s.cRow, s.cCol, _ = s.spread(c.In(2).Shape)
	}
	if !c.In(0).Dense() {
		s.rows = op.NewRows(c, 0)
	}
	c.State = &s
	if prepare := op.Row[gemmKernel](c).prepare; prepare != nil {
		return prepare(c, &s)
	}
	return nil
}

func gemmRun(c *op.Context) error {
	if s := c.State.(*gemmState); s.m > 0 && s.n > 0 {
		op.Row[gemmKernel](c).run(c, s)
	}
	return nil
}

// gemmOf is the row of a type that is summed in itself, k ascending.
func gemmOf[T number]() gemmKernel {
	return gemmKernel{run: func(c *op.Context, s *gemmState) {
		out := tensor.Elems[T](c.Out(0))
		if s.rows == nil {
			gemmRows(s, out, tensor.Elems[T](c.In(0)), tensor.Elems[T](c.In(1)), s.m)
		} else {
			x := s.rows.Take()
			for i := 0; i < s.m; {
				n := x.Read(c.In(0), i, s.m)
				gemmRows(s, out[i*s.n:], tensor.Elems[T](&x.View), tensor.Elems[T](c.In(1)), n)
				i += n
			}
			s.rows.Give(x)
		}
		if s.c {
			addC(s, out, tensor.Elems[T](c.In(2)))
		} else if s.alpha != 1 {
			for i, x := range out {
				out[i] = T(float64(s.alpha) * float64(x))
			}
		}
	}}
}

// gemmRows computes m rows of the plain product.
func gemmRows[T number](s *gemmState, out, a, b []T, m int) {
	aRow, aCol, bRow, bCol := s.k, 1, s.n, 1
	if s.transA {
		aRow, aCol = 1, s.m
	}
	if s.transB {
		bRow, bCol = 1, s.k
	}
	for i := range m {
		row := out[i*s.n : (i+1)*s.n]
		clear(row)
		for k := range s.k {
			v := a[i*aRow+k*aCol]
			at := k * bRow
			for j := range row {
				row[j] += v * b[at]
				at += bCol
			}
		}
	}
}

// addC writes alpha * out + beta * C to out.
func addC[T number](s *gemmState, out, c []T) {
	for i := range s.m {
		at := i * s.cRow
		row := out[i*s.n : (i+1)*s.n]
		for j, x := range row {
			if s.alpha == 1 && s.beta == 1 {
				row[j] = x + c[at]
			} else {
				row[j] = T(float64(s.alpha)*float64(x) + float64(s.beta)*float64(c[at]))
			}
			at += s.cCol
		}
	}
}
