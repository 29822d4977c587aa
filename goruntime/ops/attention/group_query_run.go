package attention

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

func groupRun(c *op.Context) error {
	s := c.State.(*group)
	z := &s.z
	total, err := c.Ints(6)
	if err != nil {
		return err
	}
	for b, n := range tensor.Elems[int32](c.In(5)) {
		valid := int(n) + 1
		if valid < 0 || valid > s.keys || total[0] != z.rows && valid < z.rows {
			return errs.New(errs.Compute, "seqlens_k is %d: one less than the length of the sequence, of at most %d, expected", n, s.keys)
		}
		// A first prompt begins at 0 and is padded behind; later tokens end the sequence.
		s.limit[b], s.offset[b] = valid, 0
		if total[0] != z.rows {
			s.offset[b] = valid - z.rows
		}
		if past := s.offset[b]; past > z.past || past+z.rows > s.keys {
			return errs.New(errs.Compute, "sequence %d has %d past positions and %d new ones: the past has %d, the present %d", b, past, z.rows, z.past, s.keys)
		}
	}
	q := split(loaded(c, 0, s.at[0]), z.rows, z.heads, z.size)
	k, v := split(loaded(c, 1, s.at[1]), z.rows, z.kvHeads, z.size), split(loaded(c, 2, s.at[2]), z.rows, z.kvHeads, z.size)
	if z.packed {
		row := (z.heads + 2*z.kvHeads) * z.size
		q.row, q.batch = row, z.rows*row
		k, v = q, q
		k.data, v.data = beyond(q.data, z.heads*z.size), beyond(q.data, (z.heads+z.kvHeads)*z.size)
	}
	if s.rotary {
		if q, err = s.turn(c, q, z.heads, s.atQuery); err == nil {
			k, err = s.turn(c, k, z.kvHeads, s.atTurn)
		}
		if err != nil {
			return err
		}
	}
	s.q = q
	all := z.batch * z.kvHeads * s.keys * z.size
	s.k = s.store(loaded(c, 3, s.at[3]), k, room(c, 1, 0, all, s.atAll))
	s.v = s.store(loaded(c, 4, s.at[4]), v, room(c, 2, 0, all, s.atAllV))
	keep(c, 1, 0, s.k.data)
	keep(c, 2, 0, s.v.data)
	s.bindBias(c)
	s.finish(c)
	return nil
}

// bindBias sets the mask and the sinks.
func (s *group) bindBias(c *op.Context) {
	s.mask = mask[float32]{}
	if s.masked {
		b := c.In(10).Shape
		s.mask = mask[float32]{data: loaded(c, 10, s.bias.atBias), keys: b[3]}
		steps, step := [...]*int{&s.mask.row, &s.mask.head, &s.mask.batch}, b[3]
		for d := range steps {
			if b[2-d] > 1 {
				*steps[d] = step
			}
			step *= b[2-d]
		}
	}
	switch s.sink = nil; {
	case c.Has(11):
		s.sink = loaded(c, 11, s.at[11])
	case s.smooth:
		s.sink = s.atSink.Floats(c)
		clear(s.sink)
	}
}

// store puts the past of each sequence and its new rows behind each other; what
// is behind them is 0.
func (s *group) store(past []float32, now heads[float32], all []float32) heads[float32] {
	z := &s.z
	out := apart(all, s.keys, z.kvHeads, z.size)
	for b := range z.batch {
		n := s.offset[b]
		for h := range z.kvHeads {
			head := out.at(b, h, 0)[:s.keys*z.size]
			copy(head, past[(b*z.kvHeads+h)*z.past*z.size:][:n*z.size])
			for i := range z.rows {
				copy(head[(n+i)*z.size:][:z.size], now.at(b, h, i))
			}
			clear(head[(n+z.rows)*z.size:])
		}
	}
	return out
}

// turn turns queries or keys by their positions.
func (s *group) turn(c *op.Context, x heads[float32], count int, p op.Part) (heads[float32], error) {
	z := &s.z
	cos, sin := loaded(c, 7, s.at[7]), loaded(c, 8, s.at[8])
	half, rows := c.In(7).Shape[1], c.In(7).Shape[0]
	second, step := half, 1
	if s.pairs {
		second, step = 1, 2
	}
	out := split(p.Floats(c), z.rows, count, z.size)
	for b := range z.batch {
		for i := range z.rows {
			at := s.offset[b] + i
			if c.Has(9) {
				at = int(tensor.Elems[int64](c.In(9))[b*z.rows+i])
			}
			if at < 0 || at >= rows {
				return out, errs.New(errs.Compute, "position %d is out of range: it must lie in [0, %d]", at, rows-1)
			}
			for h := range count {
				src, dst := x.at(b, h, i)[:z.size], out.at(b, h, i)[:z.size]
				for k := range half {
					u, v, cv, sv := src[k*step], src[k*step+second], cos[at*half+k], sin[at*half+k]
					dst[k*step], dst[k*step+second] = cv*u-sv*v, sv*u+cv*v
				}
				copy(dst[2*half:], src[2*half:])
			}
		}
	}
	return out, nil
}
