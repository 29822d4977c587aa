package elementwise

import (
	"bytes"
	"encoding/binary"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Where takes each element from X where the condition holds, else from Y; all
// three broadcast.
// https://onnx.ai/onnx/operators/onnx__Where.html   Departures: none.
var Where = op.Declare("", "Where", func() op.Def {
	return op.Def{
		Halves:   op.KeptHalves,
		Versions: op.Versions{9: "", 16: "bfloat16"}, Key: 1,
		Shape: func(c *op.Infer) error {
			if c.DType(1) != c.DType(2) {
				return errs.New(errs.Type, "X is %v and Y is %v: they must be alike", c.DType(1), c.DType(2))
			}
			part, err := op.BroadcastShape(nil, c.In(0), c.In(1))
			if err != nil {
				return err
			}
			out, err := op.BroadcastShape(c.Grow(0, c.DType(1), 0), part, c.In(2))
			c.SetOutput(0, c.DType(1), out)
			return err
		},
		Prepare: func(c *op.Context) error {
			out := c.Out(0).Shape
			s := &choice{dims: out, rows: 1, last: 1}
			for k := range s.steps {
				s.steps[k] = c.In(k).Shape.Strides(len(out))
			}
			if n := len(out); n > 0 {
				s.last, s.rows = out[n-1], out[:n-1].Elements()
			}
			c.State = s
			return nil
		},
		Run: func(c *op.Context) error {
			s := c.State.(*choice)
			s.kernel, s.out = op.Row[choiceKernel](c), c.Out(0)
			for k := range s.in {
				s.in[k] = c.In(k)
			}
			if s.out.Elements() > 0 {
				c.For(s.rows, max(1, grain/s.last), s)
			}
			return nil
		},
		DTypes: op.ByWidth[choiceKernel](choose[uint8], choose[uint16], choose32, choose[uint64], choose[op.Bytes16], choose[op.Bytes16]),
		Also:   map[int][]tensor.DType{0: {tensor.Bool}},
	}
})

// choice is the State of a Where.
type choice struct {
	dims       []int
	steps      [3][]int
	rows, last int
	kernel     choiceKernel
	out        *tensor.View
	in         [3]*tensor.View
}

type choiceKernel func(s *choice, lo, hi int)

// Chunk implements op.Task over the rows.
func (s *choice) Chunk(lo, hi int) { s.kernel(s, lo, hi) }

// choose32 takes elements of four bytes by vectors where conditions lie side by side.
func choose32(s *choice, lo, hi int) {
	var step [3]int
	if n := len(s.dims); n > 0 {
		for k := range step {
			step[k] = s.steps[k][n-1]
		}
	}
	if step[0] != 1 || step[1] > 1 || step[2] > 1 {
		choose[uint32](s, lo, hi)
		return
	}
	out, cond, x, y := tensor.Elems[uint32](s.out), tensor.Elems[bool](s.in[0]), tensor.Elems[uint32](s.in[1]), tensor.Elems[uint32](s.in[2])
	for row := lo; row < hi; row++ {
		at := s.at(row)
		sideX, sideY := x[at[1]:at[1]+1], y[at[2]:at[2]+1]
		if step[1] == 1 {
			sideX = x[at[1] : at[1]+s.last]
		}
		if step[2] == 1 {
			sideY = y[at[2] : at[2]+s.last]
		}
		vec.Choose(out[row*s.last:(row+1)*s.last], cond[at[0]:at[0]+s.last], sideX, sideY)
	}
}

// at returns where the inputs of a row begin.
func (s *choice) at(row int) (at [3]int) {
	for d := len(s.dims) - 2; d >= 0; d-- {
		i := row % s.dims[d]
		row /= s.dims[d]
		for k := range at {
			at[k] += i * s.steps[k][d]
		}
	}
	return at
}

func choose[T any](s *choice, lo, hi int) {
	out, cond, x, y := tensor.Elems[T](s.out), tensor.Elems[bool](s.in[0]), tensor.Elems[T](s.in[1]), tensor.Elems[T](s.in[2])
	var step [3]int
	for row := lo; row < hi; row++ {
		at := s.at(row)
		if n := len(s.dims); n > 0 {
			for k := range step {
				step[k] = s.steps[k][n-1]
			}
		}
		dst := out[row*s.last : (row+1)*s.last]
		if step[0] == 1 && step[1] < 2 && step[2] < 2 {
			chooseRuns(dst, s.in[0].Raw()[at[0]:at[0]+s.last], x[at[1]:], y[at[2]:], step[1], step[2])
			continue
		}
		if step[0] == 0 { // one condition for the row
			if cond[at[0]] {
				take(dst, x[at[1]:], step[1])
			} else {
				take(dst, y[at[2]:], step[2])
			}
			continue
		}
		for i := range dst {
			if cond[at[0]] {
				dst[i] = x[at[1]]
			} else {
				dst[i] = y[at[2]]
			}
			for k := range at {
				at[k] += step[k]
			}
		}
	}
}

// chooseRuns goes from run to run of equal conditions: masks mostly are of few. The
// sides are dense or one element.
func chooseRuns[T any](dst []T, cond []byte, x, y []T, stepX, stepY int) {
	for i := 0; i < len(dst); {
		end, from, step := i+falseRun(cond[i:]), y, stepY
		if cond[i] != 0 {
			end, from, step = len(cond), x, stepX
			if n := bytes.IndexByte(cond[i:], 0); n >= 0 {
				end = i + n
			}
		}
		take(dst[i:end], from[i*step:], step)
		i = end
	}
}

// take copies the elements of a side that is dense or one element.
func take[T any](dst, from []T, step int) {
	if step == 1 {
		copy(dst, from)
	} else {
		fill(dst, from[0])
	}
}

// falseRun returns how many conditions from the first on do not hold.
func falseRun(cond []byte) int {
	n := 0
	for len(cond) >= n+8 && binary.NativeEndian.Uint64(cond[n:]) == 0 {
		n += 8
	}
	for n < len(cond) && cond[n] == 0 {
		n++
	}
	return n
}

func fill[T any](dst []T, v T) {
	for i := range dst {
		dst[i] = v
	}
}
