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
// where they lie so; where the input lies as columns, or in parts that are short, some
// rows at a time, which are gathered into scratch that stays in the cache.
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
		if !in.Dense() {
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
	if at, some := m.inPlace(in, lo, n); some > 0 {
		m.Data, n = at, some
	} else {
		n = min(n, m.block)
		m.Data = unsafe.Pointer(unsafe.SliceData(m.scratch))
		GatherRows(m.Data, in, lo, lo+n)
	}
	m.shape[0] = n
	m.Shape = m.shape[:]
	return n
}

// inPlace returns where the n rows from lo on lie side by side, or some of them that are
// worth it: whole blocks, or as many as are wanted.
func (m *Reader) inPlace(in *tensor.View, lo, n int) (at unsafe.Pointer, some int) {
	switch {
	case in.Dense():
		return in.At(lo * m.shape[1]), n
	case in.Columns != nil || n == 0:
		return nil, 0
	}
	p := &in.Parts[in.PartOf(lo)]
	if left := p.End - lo; left < n {
		n = left / blockRows * blockRows
	}
	if p.Columns != nil || n == 0 {
		return nil, 0
	}
	// SAFETY: row lo lies in the part.
	return unsafe.Add(p.Data, (lo-p.First)*m.shape[1]*m.DType.Width()), n
}

// GatherRows writes the rows [lo, hi) of what lies as columns or in parts to dst, side by
// side.
func GatherRows(dst unsafe.Pointer, in *tensor.View, lo, hi int) {
	width := in.DType.Width()
	if in.Columns != nil {
		columns.Gather(dst, in.Columns, lo, hi, width)
		return
	}
	row := in.RowElements() * width
	for i := in.PartOf(lo); lo < hi; i++ {
		p := &in.Parts[i]
		n, at := min(hi, p.End)-lo, lo-p.First
		if p.Columns != nil {
			columns.Gather(dst, p.Columns, at, at+n, width)
		} else {
			// SAFETY: the part has n rows from at on, and dst has room for those up to hi.
			copy(unsafe.Slice((*byte)(dst), n*row), unsafe.Slice((*byte)(unsafe.Add(p.Data, at*row)), n*row))
		}
		if lo += n; lo < hi {
			// SAFETY: dst has room for the rows up to hi.
			dst = unsafe.Add(dst, n*row)
		}
	}
}

// Window gives a kernel few rows at a time of a matrix, wherever they lie.
type Window struct {
	view    tensor.View
	shape   [2]int
	scratch []uint64
}

// NewWindow returns a window on up to so many rows of input i at once, for Prepare.
func NewWindow(c *Context, i, rows int) *Window {
	in := c.In(i)
	w := &Window{shape: [2]int{0, in.Shape[len(in.Shape)-1]}}
	if in.Parts != nil {
		w.scratch = make([]uint64, (rows*w.shape[1]*in.DType.Width()+7)/8)
	}
	return w
}

// Rows returns a matrix, dense or as columns, whose rows from at on are the n rows of in
// from lo on.
func (w *Window) Rows(in *tensor.View, lo, n int) (m *tensor.View, at int) {
	if in.Parts == nil {
		return in, lo
	}
	p := &in.Parts[in.PartOf(lo)]
	if lo+n <= p.End {
		w.shape[0] = p.End - p.First
		w.view = tensor.View{DType: in.DType, Shape: w.shape[:], Data: p.Data, Columns: p.Columns}
		return &w.view, lo - p.First
	}
	w.shape[0] = n
	w.view = tensor.View{DType: in.DType, Shape: w.shape[:], Data: unsafe.Pointer(unsafe.SliceData(w.scratch))}
	GatherRows(w.view.Data, in, lo, lo+n)
	return &w.view, 0
}
