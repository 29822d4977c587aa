package attention

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/op"
)

// real is what attention computes in.
type real interface{ float32 | float64 }

// heads is a tensor seen as [batch, head, row, number]: rows are contiguous.
type heads[T real] struct {
	data             []T
	batch, head, row int // steps
}

func (h *heads[T]) at(b, n, i int) []T { return h.data[b*h.batch+n*h.head+i*h.row:] }

// split returns the steps of a tensor [B, L, H*d].
func split[T real](data []T, rows, count, size int) heads[T] {
	return heads[T]{data, rows * count * size, size, count * size}
}

// apart returns the steps of a tensor [B, H, L, d].
func apart[T real](data []T, rows, count, size int) heads[T] {
	return heads[T]{data, rows * count * size, rows * size, size}
}

// mask is what is added to scores, seen as [batch, head, row, key].
type mask[T real] struct {
	data             []T // nil where there is none
	batch, head, row int // steps, 0 where it repeats
	keys             int // the numbers of a row: what lies beyond is masked
	one              bool
}

// exposed says which stage of the scores output qk shows.
type exposed int

const (
	raw exposed = iota
	capped
	biased
	probabilities
)

// core is the computation that the operators share.
type core[T real] struct {
	batch, count, shared int // batch, query heads, query heads that share a key head
	rows, keys           int // queries and keys
	size, sizeV          int // of a head
	q, k, v, y           heads[T]
	scale                T
	factor               [1]T // the scale
	softcap              T
	mask                 mask[T]
	offset               []int // position of the first query, by batch
	limit                []int // keys that count, by batch; nil is all
	causal               bool
	left, right          int // window sizes, negative where there is none
	qk                   []T // [batch, count, rows, keys], nil where not wanted
	show                 exposed
	sink                 []T // by head, a score that takes part in the sum alone; nil where there is none

	kernel  products[T]
	parts   int
	scratch []T
	each    int // numbers of scratch a part has
	packed  []T
	packing bool
}

// products are the two matrix products.
type products[T real] struct {
	// pack brings the keys of a batch and head into the form that scores reads.
	pack func(s *core[T], dst []T, b, h int)
	// packSize is how much pack writes, 0 where nothing needs packing.
	packSize func(s *core[T]) int
	scores   func(s *core[T], dst []T, b, h, i, n int)
	values   func(s *core[T], p []T, b, h, i, n int)
	softmax  func(row []T)
	top      func(row []T) T // NaN where there is one, -Inf for none
}

// block is how many queries are done at once.
const block = 48

// units is how many blocks of queries there are.
func (s *core[T]) units() int { return s.batch * s.count * ((s.rows + block - 1) / block) }

// plan adds the workspace to the room.
func (s *core[T]) plan(c *op.Context, r *op.Room, bytes int) (scratch, packed op.Part) {
	s.parts = max(1, min(s.units(), 4*c.Threads()))
	s.each = 2*min(block, s.rows)*s.keys + min(few, s.rows)*s.size
	scratch = r.Add(bytes * s.parts * s.each)
	return scratch, r.Add(bytes * s.batch * (s.count / s.shared) * s.kernel.packSize(s))
}

// run computes everything.
func (s *core[T]) run(c *op.Context) {
	s.factor[0] = s.scale
	if s.batch*s.count*s.rows == 0 {
		return
	}
	if s.kernel.packSize(s) > 0 {
		s.packing = true
		c.For(s.batch*(s.count/s.shared), 1, s)
	}
	s.packing = false
	c.For(s.parts, 1, s)
}

// Chunk implements op.Task: over key heads to pack, or over parts.
func (s *core[T]) Chunk(lo, hi int) {
	for p := lo; p < hi; p++ {
		if s.packing {
			n, kv := s.kernel.packSize(s), s.count/s.shared
			s.kernel.pack(s, s.packed[p*n:(p+1)*n], p/kv, p%kv)
			continue
		}
		n := s.units()
		for u := n * p / s.parts; u < n*(p+1)/s.parts; u++ {
			s.unit(u, s.scratch[p*s.each:(p+1)*s.each])
		}
	}
}

// unit does a block of queries of one head.
func (s *core[T]) unit(u int, scratch []T) {
	blocks := (s.rows + block - 1) / block
	b, h, i := u/blocks/s.count, u/blocks%s.count, u%blocks*block
	n := min(block, s.rows-i)
	scores := scratch[:n*s.keys]
	if s.keys > 0 {
		s.kernel.scores(s, scratch, b, h, i, n)
	}
	for r := range n {
		row := scores[r*s.keys : (r+1)*s.keys]
		s.row(row, b, h, i+r)
	}
	s.kernel.values(s, scores, b, h, i, n)
}

// row makes probabilities of the scores of query i.
func (s *core[T]) row(row []T, b, h, i int) {
	s.expose(raw, row, b, h, i)
	if s.softcap > 0 {
		for j, x := range row {
			row[j] = T(math.Tanh(float64(x/s.softcap))) * s.softcap
		}
	}
	s.expose(capped, row, b, h, i)
	some := s.bias(row, b, h, i)
	s.expose(biased, row, b, h, i)
	switch {
	case s.sink != nil:
		sunk(row, s.sink[h])
	case !some || s.kernel.top(row) == T(math.Inf(-1)):
		clear(row)
	default:
		s.kernel.softmax(row)
	}
	s.expose(probabilities, row, b, h, i)
}

// sunk is Softmax with one more score that no value belongs to.
func sunk[T real](row []T, sink T) {
	top := sink
	for _, x := range row {
		top = max(top, x)
	}
	sum := math.Exp(float64(sink - top))
	for j, x := range row {
		e := math.Exp(float64(x - top))
		row[j] = T(e)
		sum += e
	}
	for j := range row {
		row[j] = T(float64(row[j]) / sum)
	}
}

func highest[T real](row []T) T {
	top := T(math.Inf(-1))
	for _, x := range row {
		top = max(top, x)
	}
	return top
}

func (s *core[T]) expose(stage exposed, row []T, b, h, i int) {
	if s.qk != nil && s.show == stage {
		copy(s.qk[((b*s.count+h)*s.rows+i)*s.keys:], row)
	}
}

// bias adds the mask and masks what the query must not see; it reports whether
// anything is left.
func (s *core[T]) bias(row []T, b, h, i int) (some bool) {
	none := T(math.Inf(-1))
	lo, hi := s.seen(b, i)
	for j := range row[:lo] {
		row[j] = none
	}
	for j := hi; j < len(row); j++ {
		row[j] = none
	}
	if s.mask.data == nil {
		return lo < hi
	}
	m := s.mask.data[b*s.mask.batch+h*s.mask.head+i*s.mask.row:]
	for j := lo; j < hi; j++ {
		x := none
		switch {
		case s.mask.one:
			x = m[0]
		case j < s.mask.keys:
			x = m[j]
		}
		if x == none {
			row[j] = none
			continue
		}
		some = true
		row[j] += x
	}
	return some
}

// seen returns the range of keys that query i may see by its position.
func (s *core[T]) seen(b, i int) (lo, hi int) {
	hi = s.keys
	p := i
	if s.offset != nil {
		p += s.offset[b]
	}
	if s.causal {
		hi = min(hi, p+1)
	}
	if s.right >= 0 {
		hi = min(hi, p+s.right+1)
	}
	if s.left >= 0 {
		lo = max(0, p-s.left)
	}
	if s.limit != nil {
		hi = min(hi, s.limit[b])
	}
	hi = max(hi, 0)
	return min(lo, hi), hi
}
