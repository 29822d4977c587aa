package microsoft

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// normalizing is what the normalizations of rows share: each row is gathered in
// float32, then normalized.
type normalizing struct {
	rows, n, parts int
	epsilon        float32
	simple         bool // without mean and beta
	gamma, beta    []float32
	// gather fills a row and stores what else it gives; t is scratch as long.
	gather                  func(row, t []float32, r int) error
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
	if s.beta = nil; !s.simple {
		if beta >= 0 && c.Has(beta) {
			s.beta = widened(c, s.atBeta, beta)
		} else {
			s.beta = s.atBeta.Floats(c)
			clear(s.beta)
		}
	}
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
			if err := s.gather(row, t, r); err != nil {
				s.err[p] = err
				return
			}
			s.row(row, r)
		}
	}
}

func (s *normalizing) row(x []float32, r int) {
	var mean, inv float32
	if s.simple {
		inv = float32(1 / math.Sqrt(float64(sumSquares(x)/float32(s.n)+s.epsilon)))
		by := [1]float32{inv}
		vec.Combine(vec.Times, x, x, by[:])
		vec.Combine(vec.Times, x, x, s.gamma)
	} else {
		mean, inv = vec.Normalize(x, x, s.gamma, s.beta, s.epsilon)
	}
	storers[s.out.DType](s.out, r*s.n, x)
	if s.mean != nil {
		tensor.Elems[float32](s.mean)[r] = mean
	}
	if s.inv != nil {
		tensor.Elems[float32](s.inv)[r] = inv
	}
}

// sumSquares adds up sixteen sums side by side.
func sumSquares(x []float32) float32 {
	var sum [1]float32
	vec.Along(vec.AddedSquares, sum[:], x, len(x), 0)
	return sum[0]
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
