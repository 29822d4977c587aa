package quant

import (
	"encoding/binary"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/igemm"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// operands numbers the inputs of a product of bytes; a negative or omitted zero
// point is 0. Matrices may be transposed where both have rank 2. An A of f32 is
// quantized to u8 as a whole, with a scale and a zero point that fit its range.
type operands struct {
	a, b, zeroA, zeroB int
	transA, transB     bool
}

// productShape sets output 0 to the product of a and b, whose shapes are op.ProductShape's.
func productShape(c *op.Infer, a, b tensor.Shape, dtype tensor.DType) error {
	out, err := op.ProductShape(c.Grow(0, dtype, 0), a, b)
	if err == nil {
		c.SetOutput(0, dtype, out)
	}
	return err
}

// product multiplies matrices of bytes for each batch: the sums of
// (a - zero point of the row) * (b - zero point of the column). It is the
// kernel's product of unsigned and signed bytes, corrected by the sums of rows
// and columns.
type product struct {
	m, n, k      int
	a, b         []int // offset of each batch's matrices, in elements
	in           operands
	flipA, flipB byte
	perRow       []int // offset of each batch's zero points of rows, nil where one serves all
	perCol       []int // the same for columns

	// finish, where not nil, makes the result of the rows [m0, m1) and columns
	// [n0, n1) of a batch from its sums.
	finish func(batch, m0, m1, n0, n1 int)
	// sums are those of the current batch, or of all where finish is nil.
	sums []int32

	// An A of f32, and how it was quantized.
	dynamic   bool
	floats    []float32
	scaleA    float32
	quantized uint8

	packed   []byte  // B of the batch
	columns  []int32 // sums of B's columns
	constant bool    // packed and columns are made once

	args                                                  igemm.Args
	parts                                                 int
	byRows                                                bool
	step                                                  step
	batch                                                 int
	rows                                                  []byte // A, its rows padded
	rowSums                                               []int32
	zeroA, zeroB                                          []int32
	signedA, signedB                                      int32 // what flipping adds to the zero points
	correctRows                                           bool  // zero points of columns are not 0
	src                                                   []byte
	atRows, atSums, atInit, atZeroA, atZeroB, atB, atCols op.Part
	atC                                                   op.Part
}

// step is what a Chunk does.
type step int

const (
	stepRows step = iota
	stepProduct
)

// newProduct prepares a product; workspace says that the sums are kept in the
// workspace, for finish. It asks room for what it needs.
func newProduct(c *op.Context, in operands, r *op.Room, workspace bool) (*product, error) {
	a, b := c.In(in.a).Shape, c.In(in.b).Shape
	if in.transA {
		a = tensor.Shape{a[1], a[0]}
	}
	if in.transB {
		b = tensor.Shape{b[1], b[0]}
	}
	p := &product{k: a[len(a)-1], m: 1, n: 1, in: in, dynamic: c.In(in.a).DType == tensor.F32}
	if len(a) > 1 {
		p.m = a[len(a)-2]
	}
	if len(b) > 1 {
		p.n = b[len(b)-1]
	}
	if c.In(in.a).DType == tensor.I8 {
		p.flipA, p.signedA = igemm.Flip, 128
	}
	if c.In(in.b).DType == tensor.U8 {
		p.flipB, p.signedB = igemm.Flip, -128
	}
	la, lb := a[:max(0, len(a)-2)], b[:max(0, len(b)-2)]
	batch, err := op.BroadcastShape(nil, la, lb)
	if err != nil {
		return nil, err
	}
	rows := p.m
	if lb.Elements() == 1 { // one B for all: one tall A
		p.m *= la.Elements()
		batch, la, lb = nil, nil, nil
	}
	p.a, p.b = op.BatchOffsets(batch, la, p.m*p.k), op.BatchOffsets(batch, lb, p.k*p.n)
	if p.perRow, err = zeroOffsets(c, in.zeroA, p.m, rows, p.a, p.m*p.k); err != nil {
		return nil, err
	}
	if p.perCol, err = zeroOffsets(c, in.zeroB, p.n, p.n, p.b, p.k*p.n); err != nil {
		return nil, err
	}
	p.plan(c, r, workspace)
	return p, p.pack(c)
}

func given(c *op.Context, input int) bool { return input >= 0 && c.Has(input) }

// zeroOffsets returns where the zero points of each batch's n rows or columns
// start, once repeated as far as needed: nil where there is one for all.
func zeroOffsets(c *op.Context, input, n, period int, matrices []int, size int) ([]int, error) {
	if !given(c, input) || c.In(input).Elements() == 1 {
		return nil, nil
	}
	count := c.In(input).Elements()
	list := make([]int, len(matrices))
	items := 1
	for i, at := range matrices {
		if size > 0 {
			items = max(items, at/size+1)
		}
		if size > 0 && count != period {
			list[i] = at / size * n
		}
	}
	if count != period && count != items*n {
		return nil, errs.New(errs.Shape, "input %d has shape %v: one number or %d expected", input, c.In(input).Shape, period)
	}
	return list, nil
}

// plan reserves the workspace.
func (p *product) plan(c *op.Context, r *op.Room, workspace bool) {
	total := 0
	for _, at := range p.a {
		total = max(total, at/max(1, p.k)+p.m)
	}
	p.args = igemm.Args{M: p.m, N: p.n, K: p.k, LDA: igemm.Depths(p.k), LDC: p.n}
	p.atRows = r.Add(total * p.args.LDA)
	p.atSums = r.Add(4 * total)
	p.atInit = r.Add(4 * p.n)
	p.atZeroA = r.Add(4 * zeroCount(c, p.in.zeroA, p.m))
	p.atZeroB = r.Add(4 * zeroCount(c, p.in.zeroB, p.n))
	p.constant = c.Constant(p.in.b) && len(p.b) == 1
	if !p.constant {
		p.atB = r.Add(igemm.PackedSize(p.k, p.n))
		p.atCols = r.Add(4 * p.n)
	}
	if workspace {
		p.atC = r.Add(4 * p.m * p.n)
	}
	panels := (p.n + igemm.Panel - 1) / igemm.Panel
	blocks := (p.m + rowBlock - 1) / rowBlock
	p.byRows = blocks > panels
	p.parts = panels
	if p.byRows {
		p.parts = blocks
	}
}

// zeroCount is how many zero points there are, repeated to whole matrices.
func zeroCount(c *op.Context, input, n int) int {
	if !given(c, input) || c.In(input).Elements() == 1 {
		return 1
	}
	return max(n, c.In(input).Elements())
}

// rowBlock is a multiple of every tile's rows.
const rowBlock = 24

// pack packs a constant B, once a session.
func (p *product) pack(c *op.Context) error {
	if !p.constant {
		return nil
	}
	b, err := c.Value(p.in.b)
	if err != nil {
		return err
	}
	layout := ""
	if p.in.transB {
		layout = "/transposed"
	}
	p.packed, err = c.Pack(p.in.b, "igemm.panels"+layout, igemm.PackedSize(p.k, p.n), func(dst []byte) error {
		p.packB(dst, b.Raw())
		return nil
	})
	if err != nil {
		return err
	}
	sums, err := c.Pack(p.in.b, "igemm.sums"+layout, 4*p.n, func(dst []byte) error {
		list := make([]int32, p.n)
		igemm.ColumnSums(list, p.packed, p.k, p.n)
		for i, s := range list {
			binary.NativeEndian.PutUint32(dst[4*i:], uint32(s))
		}
		return nil
	})
	if err != nil {
		return err
	}
	p.columns = make([]int32, p.n)
	for i := range p.columns {
		p.columns[i] = int32(binary.NativeEndian.Uint32(sums[4*i:]))
	}
	return nil
}

func (p *product) packB(dst, b []byte) {
	sk, sn := p.n, 1
	if p.in.transB {
		sk, sn = 1, p.k
	}
	igemm.PackB(dst, b, p.k, p.n, sk, sn, p.flipB)
}
