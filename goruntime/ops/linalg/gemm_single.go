package linalg

import (
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/kernels/chain"
	"github.com/goruntime/goruntime/goruntime/kernels/gemm"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// gemmSheet is the part of a Gemm's state that is computed in f32 by package
// gemm: A in rows, B in panels or rows, and the sums, each where the tensors
// have them or in the workspace.
type gemmSheet struct {
	args    gemm.Args
	a, b, y []float32 // in the workspace; empty where the tensor itself serves
	sizes   [3]int    // of a, b and y
	packed  bool      // args.B holds panels
	swapped bool      // B is multiplied with the transpose of A, see few
	grid    gemm.Grid
	finish  func(s *gemmState, m0, m1, n0, n1 int) // nil where the sums are the result
	c, out  *tensor.View
	in      *tensor.View // an A that lies as columns
	tail    *chain.Bound
	room    chain.Room
	work    []float32 // of the room
}

// plain reports whether a matrix and its transpose lie in memory alike.
func plain(transposed bool, rows, cols int) bool { return !transposed || rows == 1 || cols == 1 }

// gemmPrepareSingle is Prepare for f32.
func gemmPrepareSingle(c *op.Context, s *gemmState) error {
	h := &s.sheet
	h.room = chain.NewRoom(c.Tail(), c.Threads())
	h.finish = finishSingle
	if s.alpha == 1 && !s.c {
		h.finish = nil
	}
	if s.alpha == 1 && s.c && s.beta == 1 {
		switch {
		case s.cRow == 0 && (s.cCol == 1 || s.n == 1):
			h.args.Start, h.finish = gemm.Columns, nil
		case s.cCol == 0 && s.cRow == 1:
			h.args.Start, h.finish = gemm.Rows, nil
		}
	}
	if h.swapped = s.transB && !c.Constant(1) && s.m <= few && s.n > 1; h.swapped {
		h.swap(s)
		c.NeedWorkspace(4 * (h.sizes[0] + h.sizes[2] + h.room.Floats()))
		return nil
	}
	if !plain(s.transA, s.m, s.k) {
		h.sizes[0] = s.m * s.k
	}
	return h.prepare(c, s, !plain(s.transB, s.k, s.n), func() ([]float32, error) {
		b, err := c.Value(1)
		if err != nil {
			return nil, err
		}
		return tensor.Elems[float32](b), nil
	})
}

// few is up to how many rows of A a B that changes is read as it lies, [N, K]:
// its product with the transpose of A is that of the result, each number summed
// in the same order. More rows are worth turning B.
const few = 8

// swap makes room for the transposes of A and of the result, and lets the sums
// start from the same numbers.
func (h *gemmSheet) swap(s *gemmState) {
	if s.m > 1 {
		h.sizes[2] = s.n * s.m
		if !s.transA {
			h.sizes[0] = s.k * s.m
		}
	}
	switch h.args.Start {
	case gemm.Columns:
		h.args.Start = gemm.Rows
	case gemm.Rows:
		h.args.Start = gemm.Columns
	}
}

// runSwapped multiplies B with the transpose of A.
func (h *gemmSheet) runSwapped(c *op.Context, s *gemmState) {
	g := &h.args
	g.M, g.N, g.K, g.LDA, g.LDB, g.LDC = s.n, s.m, s.k, s.k, s.m, s.m
	if len(h.a) > 0 {
		turn(h.a, tensor.Elems[float32](c.In(0)), s.k, s.m)
	}
	g.A, g.B, g.C = c.In(1).Data, floats(h.a, c.In(0)), floats(h.y, c.Out(0))
	if h.out = c.Out(0); s.c {
		h.c = c.In(2)
	}
	c.For((s.n+rowBlock-1)/rowBlock, max(1, flopsGrain/max(1, s.m*s.k*rowBlock)), s)
	if len(h.y) > 0 {
		turn(tensor.Elems[float32](h.out), h.y, s.m, s.n)
	}
	h.end(s, 0, s.m, 0, s.n)
}

// prepare packs a constant B, or makes room for one that must be turned, and
// asks for the workspace. values gives B's elements in f32.
func (h *gemmSheet) prepare(c *op.Context, s *gemmState, turned bool, values func() ([]float32, error)) error {
	switch {
	case c.Constant(1) && s.n > 1:
		h.packed = true
		n, layout, sk, sn := gemm.PackedSize(s.k, s.n), "gemm.panels", s.n, 1
		if s.transB {
			layout, sk, sn = "gemm.panels/transposed", 1, s.k
		}
		mem, err := c.Pack(1, layout, 4*n, func(dst []byte) error {
			b, err := values()
			if err == nil {
				// SAFETY: dst is 64-byte aligned and holds n float32s.
				gemm.PackB(unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(dst))), n), b, s.k, s.n, sk, sn)
			}
			return err
		})
		if err != nil {
			return err
		}
		h.args.B = unsafe.Pointer(unsafe.SliceData(mem))
	case turned:
		h.sizes[1] = s.k * s.n
	}
	h.grid = gemm.NewGrid(gemm.Work{Products: 1, M: s.m, N: s.n, K: s.k, Steps: stepsOf(c.Tail())}, c.Threads())
	c.NeedWorkspace(4 * (h.sizes[0] + h.sizes[1] + h.sizes[2] + h.room.Floats()))
	return nil
}

// bind gives a, b and y their parts of the workspace. A tail of which the product itself
// can do all is none.
func (h *gemmSheet) bind(c *op.Context) {
	w := op.WorkspaceOf[float32](c)
	h.a, w = w[:h.sizes[0]], w[h.sizes[0]:]
	h.b, w = w[:h.sizes[1]], w[h.sizes[1]:]
	h.y, h.work = w[:h.sizes[2]], w[h.sizes[2]:]
	h.tail = c.Tail()
	if h.args.Relu = h.tail != nil && h.finish == nil && h.tail.Relu(); h.args.Relu {
		h.tail = nil
	}
}

func gemmSingle(c *op.Context, s *gemmState) {
	h := &s.sheet
	h.bind(c)
	if h.args.Start != gemm.Zero {
		h.args.Bias = c.In(2).Data
	}
	if h.swapped {
		h.runSwapped(c, s)
		return
	}
	if len(h.a) > 0 {
		turn(h.a, tensor.Elems[float32](c.In(0)), s.m, s.k)
	}
	if len(h.b) > 0 {
		turn(h.b, tensor.Elems[float32](c.In(1)), s.k, s.n)
	}
	h.run(c, s)
}

// turn writes the transpose of src [cols, rows] to dst [rows, cols], by squares
// that stay in the cache.
func turn(dst, src []float32, rows, cols int) {
	const side = 16
	for i0 := 0; i0 < rows; i0 += side {
		for j0 := 0; j0 < cols; j0 += side {
			for i := i0; i < min(rows, i0+side); i++ {
				for j := j0; j < min(cols, j0+side); j++ {
					dst[i*cols+j] = src[j*rows+i]
				}
			}
		}
	}
}

// run multiplies, splitting the work like MatMul.
func (h *gemmSheet) run(c *op.Context, s *gemmState) {
	g := &h.args
	g.M, g.N, g.K, g.LDA, g.LDB, g.LDC = s.m, s.n, s.k, s.k, s.n, s.n
	g.A, g.C = floats(h.a, c.In(0)), floats(h.y, c.Out(0))
	if h.packed {
		g.LDB = 0
	} else {
		g.B = floats(h.b, c.In(1))
	}
	h.in, h.out = c.In(0), c.Out(0)
	if s.c {
		h.c = c.In(2)
	}
	c.For(h.grid.Parts(), h.grid.Grain(), s)
}

// floats returns where the numbers are: in the workspace or in the tensor.
func floats(w []float32, v *tensor.View) unsafe.Pointer {
	if len(w) > 0 {
		return unsafe.Pointer(unsafe.SliceData(w))
	}
	return v.Data
}

// Chunk implements op.Task over the parts of the product, or blocks of rows of B.
func (s *gemmState) Chunk(lo, hi int) {
	h := &s.sheet
	if h.swapped {
		gemm.Run(&h.args, lo*rowBlock, min(s.n, hi*rowBlock), 0, s.m)
		return
	}
	for lo < hi {
		var m0, m1, n0, n1 int
		m0, m1, n0, n1, lo = h.grid.Cover(lo, hi)
		h.part(s, m0, m1, n0, n1)
	}
}

// part computes and ends the rows [m0, m1) of the columns [n0, n1).
func (h *gemmSheet) part(s *gemmState, m0, m1, n0, n1 int) {
	if s.rows != nil {
		h.fromColumns(s, m0, m1, n0, n1)
		return
	}
	if h.tail == nil && h.finish == nil && s.act == nil {
		gemm.Run(&h.args, m0, m1, n0, n1)
		return
	}
	for block := rowsAtOnce(n1 - n0); m0 < m1; m0 += block {
		to := min(m1, m0+block)
		gemm.Run(&h.args, m0, to, n0, n1)
		h.end(s, m0, to, n0, n1)
	}
}

// fromColumns computes a part of a product whose A lies as columns.
func (h *gemmSheet) fromColumns(s *gemmState, m0, m1, n0, n1 int) {
	x := s.rows.Take()
	defer s.rows.Give(x)
	for m0 < m1 {
		n := x.Read(h.in, m0, m1)
		part := h.args.From(m0, x.Data)
		gemm.Run(&part, 0, n, n0, n1)
		h.end(s, m0, m0+n, n0, n1)
		m0 += n
	}
}

// end does what follows the sums in a part of the result.
func (h *gemmSheet) end(s *gemmState, m0, m1, n0, n1 int) {
	if h.finish != nil {
		h.finish(s, m0, m1, n0, n1)
	}
	if s.act != nil {
		out := tensor.Elems[float32](h.out)
		for i := m0; i < m1; i++ {
			s.act(out[i*s.n+n0 : i*s.n+n1])
		}
	}
	if h.tail != nil {
		scratch, part := h.room.Take(h.work)
		finishRows(h.tail, 0, s.n, m0, m1, n0, n1, scratch)
		h.room.Give(part)
	}
}

func finishSingle(s *gemmState, m0, m1, n0, n1 int) {
	out := tensor.Elems[float32](s.sheet.out)
	for i := m0; i < m1; i++ {
		row := out[i*s.n+n0 : i*s.n+n1]
		if !s.c {
			for j := range row {
				row[j] *= s.alpha
			}
			continue
		}
		c, at := tensor.Elems[float32](s.sheet.c), i*s.cRow+n0*s.cCol
		for j := range row {
			row[j] = s.alpha*row[j] + s.beta*c[at]
			at += s.cCol
		}
	}
}
