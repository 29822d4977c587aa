package attention

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// sizes are the dimensions of an Attention.
type sizes struct {
	apart                 bool // Q [B, H, L, d] rather than [B, L, H*d]
	batch, heads, kvHeads int
	rows, keys, past      int
	size, sizeV           int
}

// shapes is what sizesOf reads: an Infer.
type shapes interface {
	Has(i int) bool
	In(i int) tensor.Shape
}

func sizesOf(c *op.Infer) (sizes, error) { return readSizes(c, c.Attr) }

// readSizes reads Q, K and V.
func readSizes(c shapes, a *op.Values) (s sizes, err error) {
	q, k, v := c.In(0), c.In(1), c.In(2)
	if len(q) != len(k) || len(q) != len(v) || len(q) != 3 && len(q) != 4 {
		return s, errs.New(errs.Shape, "Q has shape %v, K %v, V %v: all of rank 3 or all of rank 4 expected", q, k, v)
	}
	if s.apart = len(q) == 4; s.apart {
		s = sizes{apart: true, batch: q[0], heads: q[1], kvHeads: k[1], rows: q[2], keys: k[2], size: q[3], sizeV: v[3]}
		if k[3] != s.size || v[1] != s.kvHeads || v[2] != s.keys {
			return s, errs.New(errs.Shape, "Q has shape %v, K %v, V %v: Q [B, H, L, d], K [B, G, S, d] and V [B, G, S, e] expected", q, k, v)
		}
	} else {
		s.heads, s.kvHeads = a.Int("q_num_heads"), a.Int("kv_num_heads")
		if s.heads <= 0 || s.kvHeads <= 0 || q[2]%s.heads != 0 || k[2]%s.kvHeads != 0 || v[2]%s.kvHeads != 0 {
			return s, errs.New(errs.Shape, "Q has shape %v, K %v, V %v: q_num_heads %d and kv_num_heads %d must divide their last dimensions", q, k, v, s.heads, s.kvHeads)
		}
		s.batch, s.rows, s.keys, s.size, s.sizeV = q[0], q[1], k[1], q[2]/s.heads, v[2]/s.kvHeads
		if k[2]/s.kvHeads != s.size || v[1] != s.keys {
			return s, errs.New(errs.Shape, "Q has shape %v, K %v, V %v: Q [B, L, H*d], K [B, S, G*d] and V [B, S, G*e] expected", q, k, v)
		}
	}
	if k[0] != s.batch || v[0] != s.batch || s.kvHeads == 0 || s.heads%s.kvHeads != 0 {
		return s, errs.New(errs.Shape, "Q has shape %v, K %v, V %v: batches must be equal and the heads of Q a multiple of those of K", q, k, v)
	}
	if c.Has(4) != c.Has(5) {
		return s, errs.New(errs.Shape, "past_key and past_value must be given together")
	}
	if c.Has(4) {
		pk, pv := c.In(4), c.In(5)
		if len(pk) != 4 || !pk.Equal(tensor.Shape{s.batch, s.kvHeads, pk[2], s.size}) || !pv.Equal(tensor.Shape{s.batch, s.kvHeads, pk[2], s.sizeV}) {
			return s, errs.New(errs.Shape, "past_key has shape %v, past_value %v: [%d, %d, P, %d] and [%d, %d, P, %d] expected", pk, pv, s.batch, s.kvHeads, s.size, s.batch, s.kvHeads, s.sizeV)
		}
		s.past = pk[2]
	}
	if c.Has(6) {
		if n := c.In(6); s.past > 0 || c.Has(4) || !n.Equal(tensor.Shape{s.batch}) {
			return s, errs.New(errs.Shape, "nonpad_kv_seqlen has shape %v: [%d] expected, and no past_key", n, s.batch)
		}
	}
	return s, checkMask(c, s)
}

// checkMask refuses a mask that does not broadcast to [B, H, L, P+S]; its last
// dimension may be shorter.
func checkMask(c shapes, s sizes) error {
	if !c.Has(3) {
		return nil
	}
	m := c.In(3)
	full := [...]int{s.batch, s.heads, s.rows}
	ok := len(m) > 0 && len(m) <= 4 && m[len(m)-1] <= max(1, s.past+s.keys)
	for i := 2; i <= len(m) && ok; i++ {
		d := m[len(m)-i]
		ok = d == 1 || d == full[len(full)+1-i]
	}
	if !ok {
		return errs.New(errs.Shape, "the mask has shape %v, which does not broadcast to [%d, %d, %d, %d]", m, s.batch, s.heads, s.rows, s.past+s.keys)
	}
	return nil
}

// shapesOf lets readSizes see the inputs of a Context.
type shapesOf struct{ c *op.Context }

func (s shapesOf) Has(i int) bool        { return s.c.Has(i) }
func (s shapesOf) In(i int) tensor.Shape { return s.c.In(i).Shape }
