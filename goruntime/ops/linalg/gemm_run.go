package linalg

import (
	"unsafe" //lint:allow unsafe kernels/gemm takes addresses

	"github.com/goruntime/goruntime/goruntime/kernels/chain"
	"github.com/goruntime/goruntime/goruntime/kernels/columns"
	"github.com/goruntime/goruntime/goruntime/kernels/gemm"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// gemmState is the State of a Gemm, which package gemm computes: A in rows, B in panels or
// rows, and the sums, each where the tensors have them or in the workspace.
type gemmState[T gemm.Number] struct {
	gemmSizes
	alpha, beta  float32
	withC        bool // C counts
	cRow, cCol   int  // the steps of C along M and N, 0 where it is repeated
	scale        gemmScale[T]
	scaled       bool // the sums are not the result
	args         gemm.Args
	roomA, roomB op.Part // empty where the tensor itself serves
	roomY        op.Part
	a, b, y      []T  // in the workspace
	packed       bool // args.B holds panels
	swapped      bool // B is multiplied with the transpose of A, see few
	grid         gemm.Grid
	in, c, out   *tensor.View
	rows         *op.Rows  // of an A that lies as columns, else nil
	act          func([]T) // of FusedGemm, nil where there is none
	tail         *chain.Bound
	room         chain.Room
	roomTail     op.Part
	work         []float32 // of the tail
}

// plain reports whether a matrix and its transpose lie in memory alike.
func plain(transposed bool, rows, cols int) bool { return !transposed || rows == 1 || cols == 1 }

func (s *gemmState[T]) prepare(c *op.Context) error {
	s.alpha, s.beta = c.Attr.Float("alpha"), c.Attr.Float("beta")
	if c.Has(2) && s.beta != 0 {
		s.withC = true
		s.cRow, s.cCol, _ = s.spread(c.In(2).Shape)
	}
	if !c.In(0).Dense() {
		s.rows = op.NewRows(c, 0)
	}
	s.scaled = s.alpha != 1 || s.withC
	if s.alpha == 1 && s.withC && s.beta == 1 {
		switch {
		case s.cRow == 0 && (s.cCol == 1 || s.n == 1):
			s.args.Start, s.scaled = gemm.Columns, false
		case s.cCol == 0 && s.cRow == 1:
			s.args.Start, s.scaled = gemm.Rows, false
		}
	}
	s.args.Of = gemm.ElementOf[T]()
	s.room = chain.NewRoom(c.Tail(), c.Threads())
	s.grid = gemm.NewGrid(gemm.Work{Products: 1, M: s.m, N: s.n, K: s.k, Steps: stepsOf(c.Tail())}, c.Threads())
	return s.place(c)
}

// place packs a constant B, and makes room for what must be turned.
func (s *gemmState[T]) place(c *op.Context) error {
	var r op.Room
	s.roomTail = r.Add(4 * s.room.Floats())
	width := int(unsafe.Sizeof(T(0)))
	constant := c.Constant(1)
	s.swapped = s.transB && !constant && s.m <= few && s.n > 1
	switch {
	case s.swapped:
		s.swap()
		if s.m > 1 {
			s.roomY = r.Add(width * s.n * s.m)
		}
		if s.m > 1 && !s.transA {
			s.roomA = r.Add(width * s.k * s.m)
		}
	default:
		if !plain(s.transA, s.m, s.k) {
			s.roomA = r.Add(width * s.m * s.k)
		}
		if s.packed = constant && s.n > 1; !s.packed && !plain(s.transB, s.k, s.n) {
			s.roomB = r.Add(width * s.k * s.n)
		}
	}
	r.Need(c)
	if !s.packed {
		return nil
	}
	layout, sk, sn := "gemm.panels", s.n, 1
	if s.transB {
		layout, sk, sn = "gemm.panels/transposed", 1, s.k
	}
	mem, err := panels(c, layout, s.k, s.n, sk, sn, tensor.Elems[T])
	s.args.B = mem
	return err
}

// few is up to how many rows of A a B that changes is read as it lies, [N, K]:
// its product with the transpose of A is that of the result, each number summed
// in the same order. More rows are worth turning B.
const few = 8

// swap lets the sums of the transpose of the result start from the same numbers.
func (s *gemmState[T]) swap() {
	switch s.args.Start {
	case gemm.Columns:
		s.args.Start = gemm.Rows
	case gemm.Rows:
		s.args.Start = gemm.Columns
	}
}

// bind finds the parts of the workspace. A tail of which the product itself can do all is
// none.
func (s *gemmState[T]) bind(c *op.Context) {
	s.a, s.b, s.y = op.PartOf[T](c, s.roomA), op.PartOf[T](c, s.roomB), op.PartOf[T](c, s.roomY)
	s.work = s.roomTail.Floats(c)
	s.in, s.out, s.tail = c.In(0), c.Out(0), c.Tail()
	if s.args.Relu = s.tail != nil && !s.scaled && s.tail.Relu(); s.args.Relu {
		s.tail = nil
	}
	if s.withC {
		s.c = c.In(2)
	}
	if s.args.Start != gemm.Zero {
		s.args.Bias = c.In(2).Data
	}
}

func (s *gemmState[T]) run(c *op.Context) {
	s.bind(c)
	if s.swapped {
		s.runSwapped(c)
		return
	}
	if len(s.a) > 0 {
		columns.Transpose(s.a, tensor.Elems[T](c.In(0)), s.m, s.k, s.m)
	}
	if len(s.b) > 0 {
		columns.Transpose(s.b, tensor.Elems[T](c.In(1)), s.k, s.n, s.k)
	}
	g := &s.args
	g.M, g.N, g.K, g.LDA, g.LDB, g.LDC = s.m, s.n, s.k, s.k, s.n, s.n
	g.A, g.C = either(s.a, c.In(0)), c.Out(0).Data
	if s.packed {
		g.LDB = 0
	} else {
		g.B = either(s.b, c.In(1))
	}
	c.For(s.grid.Parts(), s.grid.Grain(), s)
}

// runSwapped multiplies B with the transpose of A.
func (s *gemmState[T]) runSwapped(c *op.Context) {
	g := &s.args
	g.M, g.N, g.K, g.LDA, g.LDB, g.LDC = s.n, s.m, s.k, s.k, s.m, s.m
	if len(s.a) > 0 {
		columns.Transpose(s.a, tensor.Elems[T](c.In(0)), s.k, s.m, s.k)
	}
	g.A, g.B, g.C = c.In(1).Data, either(s.a, c.In(0)), either(s.y, c.Out(0))
	c.For((s.n+rowBlock-1)/rowBlock, max(1, flopsGrain/max(1, s.m*s.k*rowBlock)), s)
	if len(s.y) > 0 {
		columns.Transpose(tensor.Elems[T](s.out), s.y, s.m, s.n, s.m)
	}
	s.end(0, s.m, 0, s.n)
}

// either returns where the numbers are: in the workspace or in the tensor.
func either[T any](w []T, v *tensor.View) unsafe.Pointer {
	if len(w) > 0 {
		return unsafe.Pointer(unsafe.SliceData(w))
	}
	return v.Data
}

// Chunk implements op.Task over the parts of the product, or blocks of rows of B.
func (s *gemmState[T]) Chunk(lo, hi int) {
	if s.swapped {
		gemm.Run(&s.args, lo*rowBlock, min(s.n, hi*rowBlock), 0, s.m)
		return
	}
	for lo < hi {
		var m0, m1, n0, n1 int
		m0, m1, n0, n1, lo = s.grid.Cover(lo, hi)
		s.part(m0, m1, n0, n1)
	}
}

// part computes and ends the rows [m0, m1) of the columns [n0, n1).
func (s *gemmState[T]) part(m0, m1, n0, n1 int) {
	if s.rows != nil {
		s.fromColumns(m0, m1, n0, n1)
		return
	}
	if s.tail == nil && !s.scaled && s.act == nil {
		gemm.Run(&s.args, m0, m1, n0, n1)
		return
	}
	for block := rowsAtOnce(n1 - n0); m0 < m1; m0 += block {
		to := min(m1, m0+block)
		gemm.Run(&s.args, m0, to, n0, n1)
		s.end(m0, to, n0, n1)
	}
}

// fromColumns computes a part of a product whose A lies as columns.
func (s *gemmState[T]) fromColumns(m0, m1, n0, n1 int) {
	x := s.rows.Take()
	defer s.rows.Give(x)
	for m0 < m1 {
		n := x.Read(s.in, m0, m1)
		part := s.args.From(m0, x.Data)
		gemm.Run(&part, 0, n, n0, n1)
		s.end(m0, m0+n, n0, n1)
		m0 += n
	}
}

// end does what follows the sums in a part of the result.
func (s *gemmState[T]) end(m0, m1, n0, n1 int) {
	out := tensor.Elems[T](s.out)
	for i := m0; i < m1 && (s.scaled || s.act != nil); i++ {
		row := out[i*s.n+n0 : i*s.n+n1]
		if s.scaled {
			var c []T
			if s.withC {
				c = tensor.Elems[T](s.c)[i*s.cRow+n0*s.cCol:]
			}
			s.scale(row, c, s.cCol, s.alpha, s.beta)
		}
		if s.act != nil {
			s.act(row)
		}
	}
	if s.tail != nil {
		scratch, part := s.room.Take(s.work)
		finishRows(s.tail, 0, s.n, m0, m1, n0, n1, scratch)
		s.room.Give(part)
	}
}
