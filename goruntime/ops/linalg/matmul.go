// Package linalg holds the matrix products.
package linalg

import (
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/chain"
	"github.com/goruntime/goruntime/goruntime/kernels/gemm"
	"github.com/goruntime/goruntime/goruntime/kernels/igemm"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// MatMul multiplies matrices like numpy.matmul: leading dimensions broadcast, a
// vector is a row on the left and a column on the right.
// https://onnx.ai/onnx/operators/onnx__MatMul.html   Departures: none.
var MatMul = op.Declare("", "MatMul", func() op.Def {
	return op.Widened(op.Def{
		Versions: op.Versions{1: "", 9: "integers", 13: "bfloat16"},
		Tail:     true,
		Shape:    matmulShape,
		Prepare:  matmulPrepare,
		Run:      matmulRun,
		DTypes: op.ByType(map[tensor.DType]matmulKernel{
			tensor.F32: matmulOf[float32](), tensor.F64: matmulOf[float64](), tensor.I32: matmulOf[int32](), tensor.I64: matmulOf[int64](),
			tensor.U32: matmulOf[uint32](), tensor.U64: matmulOf[uint64](),
		}),
		Columns: func(c *op.Infer) bool { return len(c.In(1)) == 2 && !c.DType(0).Half() },
		Scaled: func(c *op.Infer) (*op.Def, bool) {
			def := op.Find("com.microsoft", "MatMulIntegerToFloat", 1)
			return def, def != nil && fasterOnBytes(c.In(1))
		},
	})
})

func matmulShape(c *op.Infer) error {
	if c.DType(0) != c.DType(1) {
		return errs.New(errs.Type, "the inputs are %v and %v: they must be alike", c.DType(0), c.DType(1))
	}
	out, err := op.ProductShape(c.Grow(0, c.DType(0), 0), c.In(0), c.In(1))
	if err == nil {
		c.SetOutput(0, c.DType(0), out)
	}
	return err
}

// fasterOnBytes reports whether bytes are multiplied faster by a constant B of this shape:
// what a row of the product saves against what it costs to have its numbers as bytes and its
// sums scaled.
func fasterOnBytes(b tensor.Shape) bool {
	if len(b) != 2 || !igemm.Fast() {
		return false
	}
	k, n := float64(b[0]), float64(b[1])
	return 0.0125*k*n > 0.3*k+0.4*n // nanoseconds, roughly
}

// product is the State of a MatMul: m x k times k x n for each batch.
type product struct {
	m, n, k int
	a, b    []int // offset of each batch's matrices, in elements
	args    gemm.Args
	width   int // bytes of an element
	packed  bool
	grid    gemm.Grid
	pa, pb  unsafe.Pointer
	pc      unsafe.Pointer
	tail    *chain.Bound
	room    chain.Room
	work    []float32
	in      *tensor.View
	rows    *op.Rows // of an A that lies as columns, else nil
}

func matmulPrepare(c *op.Context) error {
	a, b := c.In(0).Shape, c.In(1).Shape
	p := &product{k: a[len(a)-1], m: 1, n: 1}
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
	if lb.Elements() == 1 { // one B for all: one tall A
		p.m *= la.Elements()
		batch, la, lb = nil, nil, nil
	}
	if !c.In(0).Dense() {
		p.rows = op.NewRows(c, 0)
	}
	p.a, p.b = op.BatchOffsets(batch, la, p.m*p.k), op.BatchOffsets(batch, lb, p.k*p.n)
	c.State = p
	p.grid = gemm.NewGrid(gemm.Work{Products: len(p.a), M: p.m, N: p.n, K: p.k, Steps: stepsOf(c.Tail())}, c.Threads())
	p.room = chain.NewRoom(c.Tail(), c.Threads())
	c.NeedWorkspace(4 * p.room.Floats())
	if c.Constant(1) && len(p.b) == 1 && p.n > 1 {
		p.packed = true
		p.pb, err = op.Row[matmulKernel](c).pack(c, p)
	}
	return err
}

// matmulKernel is what one element type does.
type matmulKernel struct {
	pack func(c *op.Context, p *product) (unsafe.Pointer, error) // of a constant B
	run  func(c *op.Context, p *product)
}

func matmulOf[T gemm.Number]() matmulKernel {
	return matmulKernel{
		pack: func(c *op.Context, p *product) (unsafe.Pointer, error) {
			return panels(c, "gemm.panels", p.k, p.n, p.n, 1, tensor.Elems[T])
		},
		run: matmul[T],
	}
}

// panels packs a constant input 1, once a session: B [k, n], whose element [k, n] is number
// k*sk+n*sn of what values returns.
func panels[T gemm.Number](c *op.Context, layout string, k, n, sk, sn int, values func(*tensor.View) []T) (unsafe.Pointer, error) {
	b, err := c.Value(1)
	if err != nil {
		return nil, err
	}
	size := gemm.PackedSize(k, n)
	mem, err := c.Pack(1, layout, size*int(unsafe.Sizeof(T(0))), func(dst []byte) error {
		// SAFETY: dst is 64-byte aligned and holds size numbers.
		gemm.PackB(unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(dst))), size), values(b), k, n, sk, sn)
		return nil
	})
	return unsafe.Pointer(unsafe.SliceData(mem)), err
}

func matmulRun(c *op.Context) error {
	if p, _ := c.State.(*product); p == nil || p.m > 0 && p.n > 0 && len(p.a) > 0 {
		op.Row[matmulKernel](c).run(c, p)
	}
	return nil
}

func matmul[T gemm.Number](c *op.Context, p *product) {
	p.in, p.pa, p.pc = c.In(0), c.In(0).Data, c.Out(0).Data
	if !p.packed {
		p.pb = c.In(1).Data
	}
	p.width = int(unsafe.Sizeof(T(0)))
	p.args = gemm.Args{M: p.m, N: p.n, K: p.k, LDA: p.k, LDC: p.n, LDB: p.n, Of: gemm.ElementOf[T]()}
	if p.packed {
		p.args.LDB = 0
	}
	p.tail, p.work = c.Tail(), op.WorkspaceOf[float32](c)
	if p.tail != nil && p.tail.Relu() {
		p.tail, p.args.Relu = nil, true
	}
	c.For(len(p.a)*p.grid.Parts(), p.grid.Grain(), p)
}

// stepsOf returns how many steps a tail has.
func stepsOf(t *chain.Bound) int {
	if t == nil {
		return 0
	}
	return t.Steps()
}

// flopsGrain is how many multiply-adds make a chunk worth handing out.
const flopsGrain = 256 << 10

// rowBlock is a multiple of the rows of every tile of more than a few columns.
const rowBlock = 24

// rowsAtOnce returns how many rows of n numbers stay in the cache until they are finished:
// more, of every tile's, where rows are short.
func rowsAtOnce(n int) int {
	if n <= gemm.Panel {
		return 4 * rowBlock
	}
	return rowBlock
}

// Chunk implements op.Task over the parts of all products.
func (p *product) Chunk(lo, hi int) {
	scratch, part := p.room.Take(p.work)
	defer p.room.Give(part)
	parts := p.grid.Parts()
	for lo < hi {
		batch, first := lo/parts, lo%parts
		m0, m1, n0, n1, end := p.grid.Cover(first, min(parts, first+hi-lo))
		g := p.args
		// SAFETY: the offsets are those of matrices inside the tensors.
		g.A = unsafe.Add(p.pa, p.width*p.a[batch])
		g.B = unsafe.Add(p.pb, p.width*p.b[batch])
		g.C = unsafe.Add(p.pc, p.width*batch*p.m*p.n)
		switch {
		case p.rows != nil:
			p.fromColumns(&g, m0, m1, n0, n1, scratch)
		case p.tail == nil:
			gemm.Run(&g, m0, m1, n0, n1)
		default:
			p.withTail(&g, batch*p.m, m0, m1, n0, n1, scratch)
		}
		lo += end - first
	}
}

// fromColumns computes a part of a product whose A lies as columns.
func (p *product) fromColumns(g *gemm.Args, m0, m1, n0, n1 int, scratch []float32) {
	x := p.rows.Take()
	defer p.rows.Give(x)
	for m0 < m1 {
		n := x.Read(p.in, m0, m1)
		part := g.From(m0, x.Data)
		if p.tail == nil {
			gemm.Run(&part, 0, n, n0, n1)
		} else {
			p.withTail(&part, m0, 0, n, n0, n1, scratch)
		}
		m0 += n
	}
}

// withTail computes a part of a product in blocks of rows, each of which stays in
// the cache until its tail is done. Row 0 of the product is row first of the output.
func (p *product) withTail(g *gemm.Args, first, m0, m1, n0, n1 int, scratch []float32) {
	for block := rowsAtOnce(n1 - n0); m0 < m1; m0 += block {
		to := min(m1, m0+block)
		gemm.Run(g, m0, to, n0, n1)
		finishRows(p.tail, first, p.n, m0, to, n0, n1, scratch)
	}
}

// finishRows applies a tail to the columns [n0, n1) of the rows [m0, m1) of a matrix
// with n columns whose first row is number first of the output.
func finishRows(t *chain.Bound, first, n, m0, m1, n0, n1 int, scratch []float32) {
	t.Rows((first+m0)*n+n0, n1-n0, n, m1-m0, scratch)
}
