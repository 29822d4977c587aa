package attention

import (
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

const microsoft = "com.microsoft"

// floatTypes are the types that the fused operators take.
var floatTypes = []tensor.DType{tensor.F32, tensor.F16, tensor.BF16}

// cached is what the fused operators share: a core over queries, and over keys
// and values that are gathered behind those of the past.
type cached struct {
	core[float32]
	atOut, atAll    op.Part
	atAllV, atQuery op.Part
	atMask          op.Part
	atScratch       op.Part
	atPacked        op.Part
}

// reserve adds the memory of a core whose sizes are set: keys counts all of them.
func (s *cached) reserve(c *op.Context, r *op.Room) {
	kv := s.count / s.shared
	s.atOut = single.space(r, c.Out(0))
	s.atQuery = r.Add(4 * s.batch * s.count * s.rows * s.size)
	s.atAll, s.atAllV = r.Add(4*s.batch*kv*s.keys*s.size), r.Add(4*s.batch*kv*s.keys*s.sizeV)
	s.atScratch, s.atPacked = s.plan(c, r, 4)
}

// gather copies rows [0, n) of every head of src to rows [to, ...) of dst, adding
// bias [heads * size] where there is one.
func (s *cached) gather(dst, src heads[float32], count, n, to, size int, bias []float32) {
	for b := range s.batch {
		for h := range count {
			for i := range n {
				row := dst.at(b, h, to+i)[:size]
				copy(row, src.at(b, h, i))
				if bias != nil {
					for x, v := range bias[h*size : (h+1)*size] {
						row[x] += v
					}
				}
			}
		}
	}
}

// finish runs the core into output 0 [B, L, H*e].
func (s *cached) finish(c *op.Context) {
	y := single.target(c, c.Out(0), s.atOut)
	s.y = split(y, s.rows, s.count, s.sizeV)
	s.scratch, s.packed = s.atScratch.Floats(c), s.atPacked.Floats(c)
	s.run(c)
	single.store(c.Out(0), y)
}

// room returns where keys or values of all positions are gathered: in the n
// numbers of an output from at on, where that is wanted and of f32, else in the
// workspace.
func room(c *op.Context, slot, at, n int, p op.Part) []float32 {
	if c.Wants(slot) && c.Out(slot).DType == tensor.F32 {
		return tensor.Elems[float32](c.Out(slot))[at : at+n]
	}
	return p.Floats(c)
}

// keep writes keys or values of all positions to an output, where it is wanted
// and room did not gather them there.
func keep(c *op.Context, slot, at int, all []float32) {
	if c.Wants(slot) && c.Out(slot).DType != tensor.F32 {
		single.narrow[c.Out(slot).DType](c.Out(slot), at, all)
	}
}

// operand reserves room for input i in f32, none where it is omitted.
func operand(c *op.Context, r *op.Room, i int) op.Part {
	if !c.Has(i) {
		return r.Add(0)
	}
	return single.space(r, c.In(i))
}

// loaded returns input i in f32, nil where it is omitted.
func loaded(c *op.Context, i int, p op.Part) []float32 {
	if !c.Has(i) {
		return nil
	}
	return single.load(c, c.In(i), p)
}

// paddingMask is a mask made of key_padding_mask or mask_index, and of an
// attention bias, which are added.
type paddingMask struct {
	input, bias int // input numbers
	filter      float32
	shape       [3]int // of the result: batches, heads, rows; 1 where it repeats
	atBias      op.Part
}

// plan settles the shape of the mask; it returns whether there is any.
func (p *paddingMask) plan(c *op.Context, r *op.Room, s *cached) bool {
	if !c.Has(p.input) && !c.Has(p.bias) {
		return false
	}
	p.shape = [3]int{1, 1, 1}
	if c.Has(p.input) {
		p.shape[0] = s.batch
		if len(c.In(p.input).Shape) > 2 {
			p.shape[2] = s.rows
		}
	}
	if c.Has(p.bias) {
		b := c.In(p.bias).Shape
		p.shape = [3]int{max(p.shape[0], b[0]), max(p.shape[1], b[1]), max(p.shape[2], b[2])}
	}
	p.atBias = operand(c, r, p.bias)
	s.atMask = r.Add(4 * p.shape[0] * p.shape[1] * p.shape[2] * s.keys)
	return true
}

// fill computes the mask.
func (p *paddingMask) fill(c *op.Context, s *cached) {
	dst, n := s.atMask.Floats(c), s.keys
	bias := loaded(c, p.bias, p.atBias)
	at := 0
	for b := range p.shape[0] {
		for h := range p.shape[1] {
			for i := range p.shape[2] {
				row := dst[at : at+n]
				clear(row)
				if c.Has(p.input) {
					p.padding(row, c.In(p.input), b, i)
				}
				if bias != nil {
					d := c.In(p.bias).Shape
					for j, v := range bias[((b%d[0]*d[1]+h%d[1])*d[2]+i%d[2])*d[3]:][:n] {
						row[j] += v
					}
				}
				at += n
			}
		}
	}
	s.mask = mask[float32]{data: dst, keys: n}
	steps := [...]*int{&s.mask.row, &s.mask.head, &s.mask.batch}
	for d, step := 0, n; d < 3; d++ {
		if p.shape[2-d] > 1 {
			*steps[d] = step
		}
		step *= p.shape[2-d]
	}
}

// padding adds the filter where a key does not count: mask is [B] lengths, [2B]
// ends and starts, [B, T] or [B, L, T] of zeros and ones.
func (p *paddingMask) padding(row []float32, mask *tensor.View, b, i int) {
	m := tensor.Elems[int32](mask)
	switch d := mask.Shape; len(d) {
	case 1:
		from, to := 0, int(m[b])
		if d[0] == 2*p.shape[0] {
			from = int(m[p.shape[0]+b])
		}
		for j := range row {
			if j < from || j >= to {
				row[j] += p.filter
			}
		}
	default:
		at := b * d[1]
		if len(d) == 3 {
			at = (b*d[1] + i) * d[2]
		}
		for j := range row {
			if m[at+j] <= 0 {
				row[j] += p.filter
			}
		}
	}
}
