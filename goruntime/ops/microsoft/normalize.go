package microsoft

import (
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// normalizing is what the normalizations of rows share: each row is gathered in
// float32, then normalized to where it belongs.
type normalizing struct {
	rows, n, parts int
	epsilon        float32
	simple         bool // without mean and beta
	gamma, beta    []float32
	// gather returns row r, where it lies or written to row, and stores what else it
	// gives; t is scratch as long.
	gather                  func(row, t []float32, r int) ([]float32, error)
	out, mean, inv          *tensor.View // the statistics are nil where not wanted
	work                    []float32
	err                     []error // of each part
	atGamma, atBeta, atWork op.Part
}

// plan reserves memory; gamma is an input number.
func (s *normalizing) plan(c *op.Context, r *op.Room, gamma int) {
	s.parts = max(1, min(s.rows, 4*c.Threads()))
	s.err = make([]error, s.parts)
	s.atGamma, s.atBeta = reserve(c, r, gamma), r.Add(4*s.n)
	s.atWork = r.Add(4 * s.parts * 2 * s.n)
}

// run normalizes all rows.
func (s *normalizing) run(c *op.Context, gamma, beta int) error {
	s.gamma = widened(c, s.atGamma, gamma)
	if s.beta = nil; beta >= 0 {
		s.beta = widened(c, s.atBeta, beta)
	}
	return s.normalize(c)
}

// normalize normalizes all rows, once gamma and beta are there.
func (s *normalizing) normalize(c *op.Context) error {
	s.work = s.atWork.Floats(c)
	clear(s.err)
	if s.rows > 0 && s.n > 0 {
		c.For(s.parts, 1, s)
	}
	for _, err := range s.err {
		if err != nil {
			return err
		}
	}
	return nil
}

// Chunk implements op.Task over parts of the rows.
func (s *normalizing) Chunk(lo, hi int) {
	for p := lo; p < hi; p++ {
		row, t := s.work[2*p*s.n:(2*p+1)*s.n], s.work[(2*p+1)*s.n:(2*p+2)*s.n]
		for r := s.rows * p / s.parts; r < s.rows*(p+1)/s.parts; r++ {
			x, err := s.gather(row, t, r)
			if err != nil {
				s.err[p] = err
				return
			}
			s.row(row, x, r)
		}
	}
}

// row normalizes x, row r; where out has no room for it as float32, in room.
func (s *normalizing) row(room, x []float32, r int) {
	var stats [2]float32
	dst := room
	if s.out.DType == tensor.F32 {
		dst = rowOf(s.out, r, s.n, nil)
	}
	if s.simple {
		vec.NormalizeSquares(dst, x, s.gamma, stats[:], s.epsilon)
	} else {
		vec.Normalize(dst, x, s.gamma, s.beta, stats[:], s.epsilon)
	}
	if s.out.DType != tensor.F32 {
		storers[s.out.DType](s.out, r*s.n, dst)
	}
	if s.mean != nil {
		tensor.Elems[float32](s.mean)[r] = stats[0]
	}
	if s.inv != nil {
		tensor.Elems[float32](s.inv)[r] = stats[1]
	}
}

// statistics is the shape of what a normalization of the last dimension keeps.
func statistics(x tensor.Shape) tensor.Shape {
	s := x.Clone()
	s[len(s)-1] = 1
	return s
}

// wanted returns output i, nil where the node does not name it.
func wanted(c *op.Context, i int) *tensor.View {
	if !c.Wants(i) {
		return nil
	}
	return c.Out(i)
}
