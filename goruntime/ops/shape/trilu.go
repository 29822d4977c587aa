package shape

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Trilu keeps the upper or lower triangle of matrices, from the k-th diagonal on,
// and makes the rest zeros (empty strings).
// https://onnx.ai/onnx/operators/onnx__Trilu.html   Departures: none.
var Trilu = op.Declare("", "Trilu", func() op.Def {
	return op.Def{
		Halves:   op.KeptHalves,
		Versions: op.Versions{14: ""}, Attrs: op.Attrs(op.Int("upper", 1)), InPlace: op.FirstOnly,
		Shape: func(c *op.Infer) error {
			if x := c.In(0); len(x) < 2 {
				return errs.New(errs.Shape, "the input has shape %v: at least two dimensions are expected", x)
			}
			return op.SameAsInput(c)
		},
		Prepare: func(c *op.Context) error {
			k := 0
			if c.Has(1) {
				list, err := c.Ints(1)
				if err != nil {
					return err
				}
				if len(list) != 1 {
					return errs.New(errs.Shape, "k has %d elements, one expected", len(list))
				}
				k = list[0]
			}
			s, ok := c.State.(*triangle)
			if !ok {
				s = &triangle{}
				c.State = s
			}
			x := c.In(0).Shape
			s.rows, s.columns = x[len(x)-2], x[len(x)-1]
			s.k, s.upper = min(max(k, -s.rows-1), s.columns+1), c.Attr.Bool("upper")
			return nil
		},
		Run: func(c *op.Context) error {
			s := c.State.(*triangle)
			s.out, s.in, s.kernel = c.Out(0), c.In(0), op.Row[triangleKernel](c)
			if s.in.Elements() > 0 {
				c.For(s.in.Elements()/s.columns, max(1, (32<<10)/s.columns), s)
			}
			return nil
		},
		DTypes: op.ByWidth[triangleKernel](keep[uint8], keep[uint16], keep[uint32], keep[uint64], keep[op.Bytes16], keep[op.Bytes16]),
		Also:   map[int][]tensor.DType{1: {tensor.I64}},
	}
})

// triangle is the State.
type triangle struct {
	rows, columns, k int
	upper            bool
	kernel           triangleKernel
	out, in          *tensor.View
}

// triangleKernel writes the rows [lo, hi) of all matrices.
type triangleKernel func(s *triangle, lo, hi int)

// Chunk implements op.Task over the rows.
func (s *triangle) Chunk(lo, hi int) { s.kernel(s, lo, hi) }

func keep[T any](s *triangle, lo, hi int) {
	dst, src := tensor.Elems[T](s.out), tensor.Elems[T](s.in)
	for r := lo; r < hi; r++ {
		row, own := dst[r*s.columns:(r+1)*s.columns], src[r*s.columns:(r+1)*s.columns]
		edge := r%s.rows + s.k // the column of the diagonal
		if s.upper {
			edge = min(max(edge, 0), s.columns)
			clear(row[:edge])
			copy(row[edge:], own[edge:])
		} else {
			edge = min(max(edge+1, 0), s.columns)
			copy(row[:edge], own[:edge])
			clear(row[edge:])
		}
	}
}
