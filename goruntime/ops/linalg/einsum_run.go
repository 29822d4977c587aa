package linalg

import (
	"unsafe" //lint:allow unsafe kernels/gemm takes addresses

	"github.com/goruntime/goruntime/goruntime/kernels/cast"
	"github.com/goruntime/goruntime/goruntime/kernels/gemm"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// einsumNumber is what einsums are computed in.
type einsumNumber interface {
	float32 | float64 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// einsumKernel prepares and runs for one element type.
type einsumKernel struct {
	prepare func(c *op.Context, p *einsumPlan) any
	run     func(c *op.Context)
}

// einsumTimes writes [rows, k] times [k, n] to dst.
type einsumTimes[A einsumNumber] func(dst, a, b []A, rows, n, k int)

// contraction is the State of an Einsum that computes in A.
type contraction[A einsumNumber] struct {
	plan    *einsumPlan
	buffers []tensor.View // by number, of A
	temps   []int         // where temporaries start in the workspace
	widened []int         // where converted operands and output start, none for A itself
	times   einsumTimes[A]
	step    *einsumStep // at work
	dst     []A
	a, b    []A
}

// roundUp keeps buffers on cache lines of their own.
func roundUp(n int) int { return (n + 15) &^ 15 }

func newContraction[A einsumNumber](c *op.Context, p *einsumPlan, times einsumTimes[A], convert bool) *contraction[A] {
	s := &contraction[A]{plan: p, times: times, buffers: make([]tensor.View, p.inputs+1+len(p.temps))}
	total := 0
	for _, n := range p.temps {
		s.temps = append(s.temps, total)
		total += roundUp(n)
	}
	if convert {
		for i := range p.inputs {
			s.widened = append(s.widened, total)
			total += roundUp(c.In(i).Elements())
		}
		s.widened = append(s.widened, total)
		total += roundUp(c.Out(0).Elements())
	}
	for i, n := range p.temps {
		s.buffers[p.inputs+1+i].Shape = tensor.Shape{n}
	}
	for i := range p.inputs {
		s.buffers[i].Shape = tensor.Shape{c.In(i).Elements()}
	}
	s.buffers[p.inputs].Shape = tensor.Shape{c.Out(0).Elements()}
	v := tensor.View{DType: wideType[A](), Shape: tensor.Shape{total}}
	c.NeedWorkspace(v.Bytes())
	return s
}

// wideType returns an element type as wide as A.
func wideType[A einsumNumber]() tensor.DType {
	var zero A
	switch any(zero).(type) {
	case int8, uint8:
		return tensor.U8
	case int16, uint16:
		return tensor.U16
	case int32, uint32, float32:
		return tensor.F32
	default:
		return tensor.F64
	}
}

// at returns the elements of a buffer.
func (s *contraction[A]) at(c *op.Context, buffer int) []A {
	n := s.plan.inputs
	size := s.buffers[buffer].Shape[0]
	switch {
	case buffer > n:
		from := s.temps[buffer-n-1]
		return op.WorkspaceOf[A](c)[from : from+size]
	case s.widened != nil:
		from := s.widened[buffer]
		return op.WorkspaceOf[A](c)[from : from+size]
	case buffer == n:
		return tensor.Elems[A](c.Out(0))
	default:
		return tensor.Elems[A](c.In(buffer))
	}
}

func einsumOf[A einsumNumber](times einsumTimes[A]) einsumKernel {
	return einsumKernel{
		prepare: func(c *op.Context, p *einsumPlan) any { return newContraction(c, p, times, false) },
		run:     func(c *op.Context) { c.State.(*contraction[A]).compute(c) },
	}
}

// einsumHalf computes in float32 throughout and rounds once.
func einsumHalf[H cast.Half]() einsumKernel {
	return einsumKernel{
		prepare: func(c *op.Context, p *einsumPlan) any { return newContraction(c, p, multiplyTiles[float32], true) },
		run: func(c *op.Context) {
			s := c.State.(*contraction[float32])
			for i := range s.plan.inputs {
				cast.Widen(s.at(c, i), tensor.Elems[H](c.In(i)))
			}
			s.compute(c)
			cast.Narrow(tensor.Elems[H](c.Out(0)), s.at(c, s.plan.output()))
		},
	}
}

func (s *contraction[A]) compute(c *op.Context) {
	for i := range s.plan.steps {
		s.step = &s.plan.steps[i]
		s.dst, s.a = s.at(c, s.step.dst), s.at(c, s.step.a)
		if len(s.dst) == 0 {
			continue
		}
		if !s.step.product {
			work := 1
			for _, d := range s.step.over {
				work *= d
			}
			c.For(len(s.dst), max(1, (16<<10)/max(1, work)), s)
			continue
		}
		s.b = s.at(c, s.step.b)
		c.For(s.step.batch*s.step.m, max(1, flopsGrain/max(1, s.step.n*s.step.k)), s)
	}
}

// Chunk implements op.Task over the elements of a gathering or the rows of the
// products.
func (s *contraction[A]) Chunk(lo, hi int) {
	if !s.step.product {
		s.collect(lo, hi)
		return
	}
	t := s.step
	for lo < hi {
		batch, row := lo/t.m, lo%t.m
		rows := min(hi-lo, t.m-row)
		a, b := s.a[lo*t.k:(lo+rows)*t.k], s.b[batch*t.k*t.n:(batch+1)*t.k*t.n]
		dst := s.dst[lo*t.n : (lo+rows)*t.n]
		if t.k == 1 {
			multiplyPairs(dst, a, b)
		} else {
			s.times(dst, a, b, rows, t.n, t.k)
		}
		lo += rows
	}
}

// multiplyPairs is [rows, 1] times [1, n]: nothing is summed.
func multiplyPairs[A einsumNumber](dst, a, b []A) {
	for r, x := range a {
		for j, y := range b {
			dst[r*len(b)+j] = x * y
		}
	}
}

// multiplyEach is [rows, k] times [k, n] of numbers that package gemm has not.
func multiplyEach[A einsumNumber](dst, a, b []A, rows, n, k int) {
	for r := range rows {
		row := dst[r*n : (r+1)*n]
		clear(row)
		for i, x := range a[r*k : (r+1)*k] {
			for j, y := range b[i*n : (i+1)*n] {
				row[j] += x * y
			}
		}
	}
}

// multiplyTiles is the same product by package gemm.
func multiplyTiles[A gemm.Number](dst, a, b []A, rows, n, k int) {
	gemm.Run(&gemm.Args{M: rows, N: n, K: k, A: address(a), LDA: k, B: address(b), LDB: n, C: address(dst), LDC: n, Of: gemm.ElementOf[A]()}, 0, rows, 0, n)
}

// address is where a slice lies.
func address[T any](s []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }

// collect gathers the elements [lo, hi) of dst.
func (s *contraction[A]) collect(lo, hi int) {
	t := s.step
	last := len(t.dims) - 1
	n, step := t.dims[last], t.strides[last]
	for lo < hi {
		at, rest := 0, lo/n
		for k := last - 1; k >= 0; k-- {
			at += rest % t.dims[k] * t.strides[k]
			rest /= t.dims[k]
		}
		from := lo % n
		row := s.dst[lo : lo+min(hi-lo, n-from)]
		at += from * step
		switch {
		case len(t.over) > 0:
			for i := range row {
				row[i] = total(s.a[at+i*step:], t.over, t.overStep)
			}
		case step == 1:
			copy(row, s.a[at:])
		default:
			for i := range row {
				row[i] = s.a[at+i*step]
			}
		}
		lo += len(row)
	}
}

// total sums the elements of the given dimensions, the last one running fastest, in
// four sums side by side.
func total[A einsumNumber](x []A, dims, strides []int) A {
	if len(dims) > 1 {
		var sum A
		for i := range dims[0] {
			sum += total(x[i*strides[0]:], dims[1:], strides[1:])
		}
		return sum
	}
	var a, b, c, d A
	n, step, at := dims[0], strides[0], 0
	for ; n >= 4; n -= 4 {
		a += x[at]
		b += x[at+step]
		c += x[at+2*step]
		d += x[at+3*step]
		at += 4 * step
	}
	for ; n > 0; n-- {
		a += x[at]
		at += step
	}
	return a + b + (c + d)
}
