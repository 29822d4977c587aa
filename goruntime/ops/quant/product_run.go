package quant

import (
	"github.com/goruntime/goruntime/goruntime/kernels/igemm"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// bind gives p its parts of the workspace.
func (p *product) bind(c *op.Context) {
	p.rows, p.rowSums = p.atRows.Bytes(c), p.atSums.Ints(c)
	p.args.Init, p.zeroA, p.zeroB = p.atInit.Ints(c), p.atZeroA.Ints(c), p.atZeroB.Ints(c)
	if !p.constant {
		p.packed, p.columns = p.atB.Bytes(c), p.atCols.Ints(c)
	}
	if p.finish != nil {
		p.sums = p.atC.Ints(c)
	}
}

// run computes all batches. Where finish is nil, sums has room for all of them.
func (p *product) run(c *op.Context) {
	if p.m == 0 || p.n == 0 || len(p.a) == 0 {
		return
	}
	p.bind(c)
	readZeros(c, p.in.zeroA, p.zeroA, p.signedA)
	readZeros(c, p.in.zeroB, p.zeroB, p.signedB)
	p.correctRows = false
	for _, z := range p.zeroB {
		p.correctRows = p.correctRows || z != 0
	}
	p.src, p.step = c.In(p.in.a).Raw(), stepRows
	if p.dynamic {
		p.floats = tensor.Elems[float32](c.In(p.in.a))
		p.scaleA, p.quantized = igemm.Parameters(igemm.Span(p.floats))
		p.zeroA[0] = int32(p.quantized)
	}
	c.For(len(p.rowSums), max(1, 1<<16/max(1, p.k)), p)
	p.step = stepProduct
	for p.batch = range p.a {
		p.runBatch(c)
	}
}

// readZeros widens the zero points, repeating them over the matrix.
func readZeros(c *op.Context, input int, dst []int32, add int32) {
	if !given(c, input) {
		dst[0] = add
		return
	}
	v := c.In(input)
	n := v.Elements()
	for i := range dst {
		if v.DType == tensor.I8 {
			dst[i] = int32(tensor.Elems[int8](v)[i%n]) + add
		} else {
			dst[i] = int32(tensor.Elems[uint8](v)[i%n]) + add
		}
	}
}

func (p *product) runBatch(c *op.Context) {
	if !p.constant {
		p.packB(p.packed, c.In(p.in.b).Raw()[p.b[p.batch]:])
		igemm.ColumnSums(p.columns, p.packed, p.k, p.n)
	}
	g := &p.args
	if p.perRow == nil {
		z := p.zeroA[0]
		for j := range g.Init {
			g.Init[j] = -z * (p.columns[j] - int32(p.k)*p.zeroOfColumn(j))
		}
	} else {
		g.Init = nil
	}
	g.A, g.B, g.C = p.rows[p.row(0)*g.LDA:], p.packed, p.sums
	if p.finish == nil {
		g.C = p.sums[p.batch*p.m*p.n:]
	}
	c.For(p.parts, max(1, 1<<22/max(1, p.m*p.n*p.k/p.parts)), p)
	if p.perRow != nil {
		g.Init = p.atInit.Ints(c)
	}
}

// row returns which row of all is row i of the current batch.
func (p *product) row(i int) int { return p.a[p.batch]/max(1, p.k) + i }

func (p *product) zeroOfColumn(j int) int32 {
	if p.perCol == nil {
		return p.zeroB[0]
	}
	return p.zeroB[p.perCol[p.batch]+j]
}

// Chunk implements op.Task: over rows of A, then over parts of a product.
func (p *product) Chunk(lo, hi int) {
	if p.step == stepRows {
		p.padRows(lo, hi)
		return
	}
	m0, m1, n0, n1 := 0, p.m, lo*igemm.Panel, min(p.n, hi*igemm.Panel)
	if p.byRows {
		m0, m1, n0, n1 = lo*rowBlock, min(p.m, hi*rowBlock), 0, p.n
	}
	igemm.Run(&p.args, m0, m1, n0, n1)
	if p.perRow != nil || p.correctRows {
		p.correct(m0, m1, n0, n1)
	}
	if p.finish != nil {
		p.finish(p.batch, m0, m1, n0, n1)
	}
}

// padRows copies rows of A into the form that the kernel reads, and sums them
// where that is needed.
func (p *product) padRows(lo, hi int) {
	for i := lo; i < hi; i++ {
		row := p.rows[i*p.args.LDA : (i+1)*p.args.LDA]
		p.fill(row[:p.k], i)
		clear(row[p.k:])
		if p.correctRows {
			s := int32(0)
			for _, v := range row[:p.k] {
				s += int32(v)
			}
			p.rowSums[i] = s
		}
	}
}

// fill copies row i of A.
func (p *product) fill(row []byte, i int) {
	switch {
	case p.dynamic:
		igemm.Quantize(row, p.floats[i*p.k:(i+1)*p.k], p.scaleA, p.quantized)
	case p.in.transA:
		for x := range row {
			row[x] = p.src[x*p.m+i] ^ p.flipA
		}
	case p.flipA == 0:
		copy(row, p.src[i*p.k:])
	default:
		for x, v := range p.src[i*p.k : (i+1)*p.k] {
			row[x] = v ^ igemm.Flip
		}
	}
}

// correct takes off what the zero points of columns, and those of rows where
// they differ, contribute.
func (p *product) correct(m0, m1, n0, n1 int) {
	for i := m0; i < m1; i++ {
		c := p.args.C[i*p.n+n0 : i*p.n+n1]
		sum := int32(0)
		if p.correctRows {
			sum = p.rowSums[p.row(i)]
		}
		if p.perRow == nil && p.perCol == nil {
			for j := range c {
				c[j] -= p.zeroB[0] * sum
			}
			continue
		}
		zero := int32(0)
		if p.perRow != nil {
			zero = p.zeroA[p.perRow[p.batch]+i]
		}
		for j := range c {
			z := p.zeroOfColumn(n0 + j)
			c[j] -= z*sum + zero*(p.columns[n0+j]-int32(p.k)*z)
		}
	}
}
