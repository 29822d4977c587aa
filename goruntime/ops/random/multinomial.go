package random

import (
	"math"
	"sort"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Multinomial draws classes by their logarithmic probabilities, which need not be
// normalized.
// https://onnx.ai/onnx/operators/onnx__Multinomial.html   Departures: none.
var Multinomial = op.Declare("", "Multinomial", func() op.Def {
	return op.Def{
		Versions: op.Versions{7: "", 22: "bfloat16"},
		Attrs:    op.Attrs(op.Int("dtype", int(tensor.I32)), op.Int("sample_size", 1), op.Optional("seed", op.KindFloat)),
		Random:   true, Key: op.KeyOutput,
		Shape: func(c *op.Infer) error {
			x, n := c.In(0), c.Attr.Int("sample_size")
			if len(x) != 2 || x[1] == 0 && x[0] > 0 {
				return errs.New(errs.Shape, "the input has shape %v, [batch, classes] with a class at least is expected", x)
			}
			d, err := dtypeOf(c.Attr, tensor.I32)
			if err != nil {
				return err
			}
			out := c.Grow(0, d, 2)
			out[0], out[1] = x[0], n
			_, err = out.Check(d)
			return err
		},
		Prepare: func(c *op.Context) error {
			f := readers[c.In(0).DType]
			if f == nil {
				return errs.New(errs.Unsupported, "probabilities of type %v are not supported", c.In(0).DType)
			}
			c.State = &ballot{read: f}
			return nil
		},
		Run: func(c *op.Context) error {
			s := c.State.(*ballot)
			s.stream, s.kernel, s.out = streamOf(c.Attr), op.Row[ballotKernel](c), c.Out(0)
			if err := s.accumulate(c); err != nil {
				return err
			}
			c.For(s.out.Elements(), drawGrain/4, s)
			return nil
		},
		DTypes: op.ByType(map[tensor.DType]ballotKernel{tensor.I32: choose[int32], tensor.I64: choose[int64]}),
	}
})

// ballot is the State.
type ballot struct {
	stream  stream
	read    reader
	sums    []float64 // of each row, the probabilities up to each class
	classes int
	kernel  ballotKernel
	out     *tensor.View
}

// accumulate adds up the probabilities of each row, the greatest of which is 1.
func (s *ballot) accumulate(c *op.Context) error {
	in := c.In(0)
	rows, n := in.Shape[0], in.Shape[1]
	s.classes = n
	var err error
	if s.sums, err = op.Temporary[float64](c, rows*n); err != nil {
		return err
	}
	for r := range rows {
		top := math.Inf(-1)
		for i := range n {
			x := s.read(in, r*n+i)
			if x != x || math.IsInf(x, 1) {
				return errs.New(errs.Compute, "the logarithm of class %d in row %d is %v: it must be a number or -Inf", i, r, x)
			}
			top = max(top, x)
		}
		if math.IsInf(top, -1) {
			return errs.New(errs.Compute, "all classes of row %d have probability 0", r)
		}
		total := 0.0
		for i := range n {
			total += exponential(s.read(in, r*n+i) - top)
			s.sums[r*n+i] = total
		}
	}
	return nil
}

// ballotKernel draws the samples [lo, hi).
type ballotKernel func(s *ballot, lo, hi int)

// Chunk implements op.Task over the samples.
func (s *ballot) Chunk(lo, hi int) { s.kernel(s, lo, hi) }

func choose[T int32 | int64](s *ballot, lo, hi int) {
	var room [batch]uint32
	samples := s.out.Shape[1]
	for lo < hi {
		w := room[:min(batch, 2*(hi-lo))]
		s.stream.fill(w, 2*lo)
		dst := tensor.Elems[T](s.out)[lo : lo+len(w)/2]
		for i := range dst {
			r := (lo + i) / samples
			sums := s.sums[r*s.classes : (r+1)*s.classes]
			total := sums[len(sums)-1]
			x := min(times(unit64(wide(w[2*i], w[2*i+1])), total), math.Nextafter(total, 0))
			k := sort.SearchFloat64s(sums, x)
			for sums[k] <= x { // an equal sum belongs to the next class
				k++
			}
			dst[i] = T(k)
		}
		lo += len(dst)
	}
}
