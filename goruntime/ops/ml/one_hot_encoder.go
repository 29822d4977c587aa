package ml

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// OneHotEncoder adds a dimension that is 1 at the element's category and else 0.
// An unknown element has zeros alone, or with zeros=0 is refused.
// https://onnx.ai/onnx/operators/onnx_aionnxml_OneHotEncoder.html
// Departures: none.
var OneHotEncoder = op.Declare(Domain, "OneHotEncoder", func() op.Def {
	return op.Def{
		Versions: op.Versions{1: ""},
		Attrs:    op.Attrs(op.Ints("cats_int64s"), op.Strings("cats_strings"), op.Int("zeros", 1)),
		Shape: func(c *op.Infer) error {
			x := c.In(0)
			out := c.Grow(0, tensor.F32, len(x)+1)
			copy(out, x)
			out[len(x)] = len(c.Attr.Ints("cats_int64s")) + len(c.Attr.Strs("cats_strings"))
			return nil
		},
		Prepare: func(c *op.Context) error {
			s, err := newHotEncoder(c)
			c.State = s
			return err
		},
		Run: func(c *op.Context) error {
			s := c.State.(*hotEncoder)
			s.out, s.in, s.find = c.Out(0), c.In(0), op.Row[categoryFinder](c)
			for i := range s.in.Elements() {
				if !s.zeros && s.find(s, i) < 0 {
					return errs.New(errs.Compute, "the element at position %d is none of the %d categories", i, s.count)
				}
			}
			c.For(s.in.Elements(), max(1, elementGrain/max(1, s.count)), s)
			return nil
		},
		DTypes: op.ByType(map[tensor.DType]categoryFinder{
			tensor.Str: findText, tensor.I64: findNumber[int64], tensor.I32: findNumber[int32], tensor.F32: findNumber[float32], tensor.F64: findNumber[float64],
		}),
	}
})

// hotEncoder is the State.
type hotEncoder struct {
	numbers map[int64]int
	near    []int32 // the categories of the numbers from least on, where these lie close together
	least   int64
	texts   map[string]int
	count   int
	zeros   bool
	find    categoryFinder
	out, in *tensor.View
}

// categoryFinder returns the category of element i, or -1.
type categoryFinder func(s *hotEncoder, i int) int

func findText(s *hotEncoder, i int) int {
	if k, ok := s.texts[tensor.Elems[string](s.in)[i]]; ok {
		return k
	}
	return -1
}

func findNumber[T float32 | float64 | int64 | int32](s *hotEncoder, i int) int {
	x := tensor.Elems[T](s.in)[i]
	if s.near != nil {
		if at := uint64(int64(x) - s.least); at < uint64(len(s.near)) && x == x {
			return int(s.near[at])
		}
		return -1
	}
	if k, ok := s.numbers[int64(x)]; ok && x == x {
		return k
	}
	return -1
}

func newHotEncoder(c *op.Context) (*hotEncoder, error) {
	ints, strings := c.Attr.Ints("cats_int64s"), c.Attr.Strs("cats_strings")
	s := &hotEncoder{numbers: map[int64]int{}, texts: map[string]int{}, count: len(ints) + len(strings), zeros: c.Attr.Bool("zeros")}
	wanted, other := len(ints), len(strings)
	if c.In(0).DType == tensor.Str {
		wanted, other = other, wanted
	}
	if wanted == 0 || other != 0 {
		return nil, errs.New(errs.Model, "%d cats_int64s and %d cats_strings given for elements of type %v: those of the type are expected alone", len(ints), len(strings), c.In(0).DType)
	}
	for i, x := range ints {
		s.numbers[int64(x)] = i
	}
	for i, x := range strings {
		s.texts[x] = i
	}
	s.line()
	return s, nil
}

// line lists numbers that lie close together.
func (s *hotEncoder) line() {
	most := int64(math.MinInt64)
	s.least = math.MaxInt64
	for x := range s.numbers {
		s.least, most = min(s.least, x), max(most, x)
	}
	if len(s.numbers) == 0 || uint64(most-s.least) >= uint64(16*len(s.numbers)+64) {
		return
	}
	s.near = make([]int32, most-s.least+1)
	for i := range s.near {
		s.near[i] = -1
	}
	for x, k := range s.numbers {
		s.near[x-s.least] = int32(k)
	}
}

// Chunk implements op.Task over the elements.
func (s *hotEncoder) Chunk(lo, hi int) {
	dst := tensor.Elems[float32](s.out)[lo*s.count : hi*s.count]
	clear(dst)
	for i := lo; i < hi; i++ {
		if k := s.find(s, i); k >= 0 {
			dst[(i-lo)*s.count+k] = 1
		}
	}
}
