package shape

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// padding is the State of a Pad: for each axis and output index, the input index
// that is taken; -1 is the value.
type padding struct {
	from    [][]int // per axis, one at least
	strides []int   // of the input
	rows    int     // the product of all output dimensions but the last
	// On the last axis the output indices [lo, hi) are the input's from first on.
	lo, hi, first   int
	kernel          padKernel
	dst, src, value *tensor.View
}

// padModes map an index outside [0, n), n > 0, into it, or to -1.
var padModes = map[string]func(i, n int) int{
	"constant": func(int, int) int { return -1 },
	"edge":     func(i, n int) int { return min(max(i, 0), n-1) },
	"wrap":     func(i, n int) int { return ((i % n) + n) % n },
	"reflect": func(i, n int) int {
		if n == 1 {
			return 0
		}
		period := 2 * (n - 1)
		i = ((i % period) + period) % period
		return min(i, period-i)
	},
}

// newPadding returns the State for pads that padShape has accepted.
func newPadding(mode string, in, out tensor.Shape, pads, axes []int) (*padding, error) {
	outside := padModes[mode]
	if outside == nil {
		return nil, errs.New(errs.Argument, "mode %q is none of constant, edge, reflect, wrap", mode)
	}
	n := len(pads) / 2
	begin, end := make([]int, len(in)), make([]int, len(in))
	for k := range n {
		a := k
		if axes != nil {
			a, _ = tensor.Axis(axes[k], len(in)) // checked by the shape rule
		}
		begin[a], end[a] = begin[a]+pads[k], end[a]+pads[k+n]
	}
	p := &padding{strides: in.Strides(len(in)), rows: 1}
	if out.Elements() == 0 {
		return p, nil // however long its other dimensions are
	}
	for a, d := range out {
		cut := max(0, -begin[a])
		left := max(0, in[a]-cut-max(0, -end[a])) // after the negative pads
		from := make([]int, d)
		for i := range from {
			k := i - max(0, begin[a])
			if k < 0 || k >= left {
				if left == 0 && mode != "constant" {
					return nil, errs.New(errs.Shape, "axis %d is empty: mode %s has nothing to repeat", a, mode)
				}
				if k = outside(k, left); k < 0 {
					from[i] = -1
					continue
				}
			}
			from[i] = cut + k
		}
		if p.from = append(p.from, from); a < len(out)-1 {
			p.rows *= d
			continue
		}
		p.lo = min(d, max(0, begin[a]))
		p.hi, p.first = min(d, p.lo+left), cut
	}
	if len(out) == 0 {
		p.from, p.strides, p.hi = [][]int{{0}}, []int{1}, 1
	}
	return p, nil
}

// padGrain is how many elements make a chunk worth handing out.
const padGrain = 32 << 10

func (p *padding) run(c *op.Context) {
	p.kernel, p.dst, p.src = op.Row[padKernel](c), c.Out(0), c.In(0)
	if p.dst.Elements() > 0 {
		c.For(p.rows, max(1, padGrain/len(p.from[len(p.from)-1])), p)
	}
}

// Chunk implements op.Task over the rows of the output.
func (p *padding) Chunk(lo, hi int) { p.kernel(p, lo, hi) }

// row returns where in the input the row r of the output starts, -1 where all of
// it is the value.
func (p *padding) row(r int) int {
	at := 0
	for a := len(p.from) - 2; a >= 0; a-- {
		n := len(p.from[a])
		f := p.from[a][r%n]
		if f < 0 {
			return -1
		}
		r /= n
		at += f * p.strides[a]
	}
	return at
}
