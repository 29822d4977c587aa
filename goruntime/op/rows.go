package op

import (
	"unsafe" //lint:allow unsafe rows are addressed by number

	"github.com/goruntime/goruntime/goruntime/kernels/columns"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// AnyMatrix as Def.Columns says that input 0 may lie as columns, whatever its
// element type.
func AnyMatrix(*Infer) bool { return true }

// JoinsColumns reports whether all inputs are of one element type, that of output 0,
// and have one column each: what Def.Joins says of operators that put columns side by
// side.
func JoinsColumns(c *Infer) bool {
	for i := range c.Inputs() {
		if s := c.In(i); len(s) != 2 || s[1] != 1 || c.DType(i) != c.DType(0) || c.DType(i).Width() == 0 || c.DType(i) == tensor.Str {
			return false
		}
	}
	return c.Inputs() > 1
}

// Rows gives a kernel the rows of an input [N, F] or [F] as dense matrices: in place
// where they lie so; where the input lies as columns, some rows at a time, which are
// gathered into scratch that stays in the cache.
//
// Concurrency: each chunk takes a Reader of its own.
type Rows struct {
	features int
	readers  []Reader
	free     chan *Reader
}

// Reader reads rows for one chunk at work.
type Reader struct {
	// View has the rows that Read found: [n, F].
	tensor.View
	block   int // rows that scratch has room for
	scratch []uint64
	shape   [2]int
}

// scratchBytes is how much of a matrix is gathered at once.
const scratchBytes = 16 << 10

// wideBytes bounds what is gathered at once of rows that are long.
const wideBytes = 256 << 10

// blockRows is what the rows that are gathered at once are a multiple of: matrix
// products then have whole tiles.
const blockRows = 24

// NewRows returns the rows of input i, for Prepare.
func NewRows(c *Context, i int) *Rows {
	in := c.In(i)
	r := &Rows{features: in.Shape[len(in.Shape)-1], readers: make([]Reader, c.Threads()+1)}
	r.free = make(chan *Reader, len(r.readers))
	for k := range r.readers {
		m := &r.readers[k]
		m.DType = in.DType
		if in.Columns != nil {
			row := r.features * in.DType.Width()
			m.block = max(1, scratchBytes/max(1, row)/blockRows) * blockRows
			if m.block*row > wideBytes {
				m.block = max(1, wideBytes/row)
			}
			m.scratch = make([]uint64, (m.block*row+7)/8)
		}
		r.free <- m
	}
	return r
}

// Take returns a reader of no rows yet, to be given back.
func (r *Rows) Take() *Reader {
	m := <-r.free
	m.shape[1] = r.features
	return m
}

// Give ends the use of a reader.
func (r *Rows) Give(m *Reader) { r.free <- m }

// Read points the reader at rows of in from lo on, at most up to hi, and returns how
// many: all, where in is dense.
func (m *Reader) Read(in *tensor.View, lo, hi int) int {
	n := hi - lo
	if in.Columns == nil {
		m.Data = in.At(lo * m.shape[1])
	} else {
		n = min(n, m.block)
		m.Data = unsafe.Pointer(unsafe.SliceData(m.scratch))
		columns.Gather(m.Data, in.Columns, lo, lo+n, m.DType.Width())
	}
	m.shape[0] = n
	m.Shape = m.shape[:]
	return n
}
