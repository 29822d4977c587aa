package microsoft

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// SkipLayerNormalization normalizes the sum of input, skip and bias over the last
// dimension; SkipSimplifiedLayerNormalization without mean and beta.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.SkipLayerNormalization
// Departures: none.
var (
	SkipLayerNormalization = op.Declare(domain, "SkipLayerNormalization", func() op.Def {
		return skipNormalization(false)
	})
	SkipSimplifiedLayerNormalization = op.Declare(domain, "SkipSimplifiedLayerNormalization", func() op.Def {
		return skipNormalization(true)
	})
)

// skipNormalization declares either: the inputs are input, skip, gamma, beta
// (not of the simplified one) and bias.
func skipNormalization(simple bool) op.Def {
	beta, bias := 3, 4
	if simple {
		beta, bias = -1, 3
	}
	return op.Def{
		Versions: op.Versions{1: ""}, Needs: []int{0, 1, 2}, Attrs: op.Attrs(op.Float("epsilon", 1e-12)),
		Shape: func(c *op.Infer) error {
			x, skip := c.In(0), c.In(1)
			if len(x) == 0 || len(skip) == 0 || len(skip) > len(x) || !repeats(skip, x) {
				return errs.New(errs.Shape, "input has shape %v, skip has shape %v: the same, or one that repeats along the first dimension, expected", x, skip)
			}
			for i := 2; i < 5; i++ {
				if c.Has(i) && !c.In(i).Equal(x[len(x)-1:]) {
					return errs.New(errs.Shape, "input %d has shape %v, [%d] expected", i, c.In(i), x[len(x)-1])
				}
			}
			c.SetOutput(0, c.DType(0), x)
			if c.Outputs() > 1 {
				c.SetOutput(1, tensor.F32, statistics(x))
				c.SetOutput(2, tensor.F32, statistics(x))
			}
			c.SetOutput(3, c.DType(0), x)
			return nil
		},
		Prepare: func(c *op.Context) error {
			x := c.In(0).Shape
			s := &skipping{bias: bias}
			s.n = x[len(x)-1]
			s.rows, s.simple, s.epsilon = x[:len(x)-1].Elements(), simple, c.Attr.Float("epsilon")
			s.skipRows = max(1, c.In(1).Elements()/max(1, s.n))
			s.gather = s.sum
			var r op.Room
			s.plan(c, &r, 2)
			s.atBias = reserve(c, &r, bias)
			r.Need(c)
			c.State = s
			return nil
		},
		Run: func(c *op.Context) error {
			s := c.State.(*skipping)
			s.x, s.skip, s.offset = c.In(0), c.In(1), widened(c, s.atBias, s.bias)
			s.out, s.mean, s.inv, s.total = c.Out(0), wanted(c, 1), wanted(c, 2), wanted(c, 3)
			return s.run(c, 2, beta)
		},
		DTypes: op.Uniform(struct{}{}, floatTypes...),
		Also:   map[int][]tensor.DType{1: floatTypes, 2: floatTypes, 3: floatTypes, 4: floatTypes},
	}
}

// repeats reports whether skip is the tail of x, but for leading ones.
func repeats(skip, x tensor.Shape) bool {
	for len(skip) > 1 && skip[0] == 1 {
		skip = skip[1:]
	}
	for len(x) > len(skip) {
		x = x[1:]
	}
	return skip.Equal(x)
}

// skipping is the State of a SkipLayerNormalization.
type skipping struct {
	normalizing
	bias           int // the input
	skipRows       int
	x, skip, total *tensor.View
	offset         []float32
	atBias         op.Part
}

// sum adds up a row, where the sum is wanted as float32 there.
func (s *skipping) sum(row, t []float32, r int) ([]float32, error) {
	dst := row
	if s.total != nil && s.total.DType == tensor.F32 {
		dst = rowOf(s.total, r, s.n, nil)
	}
	vec.Combine(vec.Plus, dst, rowOf(s.x, r, s.n, row), rowOf(s.skip, r%s.skipRows, s.n, t))
	if s.offset != nil {
		vec.Combine(vec.Plus, dst, dst, s.offset)
	}
	if s.total != nil && s.total.DType != tensor.F32 {
		storers[s.total.DType](s.total, r*s.n, dst)
	}
	return dst, nil
}
