package shape

import (
	"github.com/goruntime/goruntime/goruntime/kernels/columns"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// strided copies the elements of a dense tensor into another order: output
// element [i0, i1, ...] is input element start + sum(i * stride). Transpose,
// Expand and Slice are each one of it.
type strided struct {
	dims, strides []int // of the output, joined where they can be
	start         int
	rows          int // the product of all dims but the last
	run           func(s *strided, lo, hi int)
	out, in       *tensor.View
}

// newStrided returns the copy for an output of this shape. Dimensions that lie
// behind each other in the input as in the output are joined.
func newStrided(shape tensor.Shape, strides []int, start int) *strided {
	s := &strided{start: start}
	for i, d := range shape {
		if d == 1 {
			continue
		}
		if k := len(s.dims) - 1; k >= 0 && s.strides[k] == d*strides[i] {
			s.dims[k] *= d
			s.strides[k] = strides[i]
			continue
		}
		s.dims, s.strides = append(s.dims, d), append(s.strides, strides[i])
	}
	if len(s.dims) == 0 {
		s.dims, s.strides = []int{1}, []int{1}
	}
	s.rows = 1
	for _, d := range s.dims[:len(s.dims)-1] {
		s.rows *= d
	}
	return s
}

// cuts returns Def.Cuts of a copy of elements that lie in one piece already; err is that
// of newStrided's arguments.
func (s *strided) cuts(err error) (first []int, ok bool) {
	if err != nil || len(s.dims) != 1 || s.strides[0] != 1 {
		return nil, false
	}
	return []int{s.start}, true
}

// stridedGrain is how many elements make a chunk worth handing out.
const stridedGrain = 32 << 10

// runStrided is Run of the operators whose State is a strided.
func runStrided(c *op.Context) error {
	s := c.State.(*strided)
	s.out, s.in, s.run = c.Out(0), c.In(0), op.Row[func(*strided, int, int)](c)
	if s.out.Elements() > 0 {
		c.For(s.rows, max(1, stridedGrain/s.dims[len(s.dims)-1]), s)
	}
	return nil
}

// Chunk implements op.Task over the rows of the output.
func (s *strided) Chunk(lo, hi int) { s.run(s, lo, hi) }

// stridedCopies has the copy for each width.
var stridedCopies = op.ByWidth(copyRows[uint8], copyRows[uint16], copyRows[uint32], copyRows[uint64], copyRows[op.Bytes16], copyRows[op.Bytes16])

// packedCopies has it for types below a byte too; Run is then op.Unpacked(runStrided).
var packedCopies = stridedCopies.And(op.Packed(copyRows[uint8]))

func copyRows[T any](s *strided, lo, hi int) {
	out, in := tensor.Elems[T](s.out), tensor.Elems[T](s.in)
	last := len(s.dims) - 1
	n, step := s.dims[last], s.strides[last]
	if step > 1 && last > 0 && s.strides[last-1] == 1 {
		s.turn(lo, hi, func(row, rows, at int) {
			columns.Transpose(out[row*n:(row+rows)*n], in[at:], rows, n, step)
		})
		return
	}
	for row := lo; row < hi; row++ {
		at := s.start + s.offset(row)
		dst := out[row*n : (row+1)*n]
		switch step {
		case 1:
			copy(dst, in[at:at+n])
		case 0:
			fill(dst, in[at])
		default:
			for i := range dst {
				dst[i] = in[at]
				at += step
			}
		}
	}
}

// turn calls f for the rows [lo, hi) that are of one matrix each time, whose columns
// lie side by side in the input: the first row, how many there are, and where they start.
func (s *strided) turn(lo, hi int, f func(row, rows, at int)) {
	high := s.dims[len(s.dims)-2]
	for lo < hi {
		rows := min(hi-lo, high-lo%high)
		f(lo, rows, s.start+s.offset(lo))
		lo += rows
	}
}

// offset returns where in the input the row starts.
func (s *strided) offset(row int) int {
	at := 0
	for i := len(s.dims) - 2; i >= 0; i-- {
		at += row % s.dims[i] * s.strides[i]
		row /= s.dims[i]
	}
	return at
}

func fill[T any](dst []T, v T) {
	for i := range dst {
		dst[i] = v
	}
}
