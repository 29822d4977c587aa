package linalg

import (
	"unsafe" //lint:allow unsafe kernels/gemm takes addresses

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/columns"
	"github.com/goruntime/goruntime/goruntime/kernels/gemm"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// FusedMatMul is alpha times MatMul of A and B or their transposes; transBatchA
// and transBatchB say that the rows of the matrices come before the batches.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.FusedMatMul
// Departures: none. Halves are summed in f32 and rounded once.
var FusedMatMul = op.Declare("com.microsoft", "FusedMatMul", func() op.Def {
	return op.Def{
		Versions: op.Versions{1: ""}, Needs: []int{0, 1},
		Attrs: op.Attrs(op.Float("alpha", 1), op.Int("transA", 0), op.Int("transB", 0), op.Int("transBatchA", 0), op.Int("transBatchB", 0)),
		Shape: func(c *op.Infer) error {
			a, b := newStack(c.In(0), c.Attr.Bool("transA"), c.Attr.Bool("transBatchA")), newStack(c.In(1), c.Attr.Bool("transB"), c.Attr.Bool("transBatchB"))
			if err := c.Alike(0, 1); err != nil {
				return err
			}
			if len(c.In(0)) == 0 || len(c.In(1)) == 0 {
				return errs.New(errs.Shape, "shapes %v and %v: a scalar cannot be multiplied", c.In(0), c.In(1))
			}
			if len(c.In(1)) == 1 {
				b.turn()
			}
			if a.cols != b.rows {
				return errs.New(errs.Shape, "shapes %v and %v: the inner dimensions %d and %d must be equal", c.In(0), c.In(1), a.cols, b.rows)
			}
			out, err := op.BroadcastShape(c.Grow(0, c.DType(0), 0), a.batch, b.batch)
			if err != nil {
				return err
			}
			if len(c.In(0)) > 1 {
				out = append(out, a.rows)
			}
			if len(c.In(1)) > 1 {
				out = append(out, b.cols)
			}
			c.SetOutput(0, c.DType(0), out)
			return nil
		},
		Prepare: func(c *op.Context) error { return op.Row[fusedKernel](c).prepare(c) },
		Run:     func(c *op.Context) error { op.Row[fusedKernel](c).run(c); return nil },
		DTypes: op.ByType(map[tensor.DType]fusedKernel{
			tensor.F32: fusedOf(plainIO[float32]()), tensor.F64: fusedOf(plainIO[float64]()),
			tensor.F16: fusedOf(halfIO[tensor.Half]()), tensor.BF16: fusedOf(halfIO[tensor.BFloat16]()),
		}),
	}
})

// fusedKernel is what one element type does in Prepare and in Run.
type fusedKernel struct {
	prepare func(c *op.Context) error
	run     func(c *op.Context)
}

// fused is the State of a FusedMatMul that computes in T.
type fused[T float32 | float64] struct {
	a, b          stack
	itemA, itemB  []int // which matrix each batch takes
	alpha         T
	args          gemm.Args
	panels        unsafe.Pointer // of a constant B
	parts         int
	atA, atB, atY op.Part
	dataA, dataB  []T
	y             []T
	io            stackIO[T]
}

func fusedOf[T float32 | float64](io stackIO[T]) fusedKernel {
	return fusedKernel{
		prepare: func(c *op.Context) error {
			s := &fused[T]{
				alpha: T(c.Attr.Float("alpha")),
				a:     newStack(c.In(0).Shape, c.Attr.Bool("transA"), c.Attr.Bool("transBatchA")),
				b:     newStack(c.In(1).Shape, c.Attr.Bool("transB"), c.Attr.Bool("transBatchB")),
				io:    io,
			}
			c.State = s
			return s.prepare(c)
		},
		run: func(c *op.Context) {
			if s := c.State.(*fused[T]); s.args.M*s.args.N*len(s.itemA) > 0 {
				s.run(c)
			}
		},
	}
}

func (s *fused[T]) prepare(c *op.Context) error {
	if len(c.In(1).Shape) == 1 {
		s.b.turn()
	}
	batch, err := op.BroadcastShape(nil, s.a.batch, s.b.batch)
	if err != nil {
		return err
	}
	s.itemA, s.itemB = op.BatchOffsets(batch, s.a.batch, 1), op.BatchOffsets(batch, s.b.batch, 1)
	s.args = gemm.Args{M: s.a.rows, N: s.b.cols, K: s.a.cols, LDC: s.b.cols, Of: gemm.ElementOf[T]()}
	s.parts = (s.b.cols + gemm.Panel - 1) / gemm.Panel
	var r op.Room
	width := int(unsafe.Sizeof(T(0)))
	if s.io.store != nil || !s.a.straight() {
		s.atA = r.Add(width * s.a.size)
	}
	if s.io.store != nil {
		s.atY = r.Add(width * c.Out(0).Elements())
	}
	packed := c.Constant(1) && s.b.batch.Elements() == 1 && s.b.cols > 1
	if !packed && (s.io.store != nil || !s.b.straight()) {
		s.atB = r.Add(width * s.b.size)
	}
	r.Need(c)
	if !packed {
		return nil
	}
	layout := "gemm.panels"
	if !s.b.straight() {
		layout = "gemm.panels/transposed"
	}
	s.panels, err = panels(c, layout, s.b.rows, s.b.cols, s.b.rowStep, s.b.colStep, func(v *tensor.View) []T {
		wide := make([]T, s.b.size)
		s.io.load(wide, v, 0, 1)
		return wide
	})
	return err
}

func (s *fused[T]) run(c *op.Context) {
	g := &s.args
	s.dataA, g.LDA = s.arranged(c, 0, &s.a, s.atA)
	if s.panels == nil {
		s.dataB, g.LDB = s.arranged(c, 1, &s.b, s.atB)
	}
	if s.io.store == nil {
		s.y = tensor.Elems[T](c.Out(0))
	} else {
		s.y = op.PartOf[T](c, s.atY)
	}
	c.For(len(s.itemA)*s.parts, max(1, flopsGrain/max(1, g.M*g.K*min(g.N, gemm.Panel))), s)
	if s.io.store != nil {
		s.io.store(c.Out(0), s.y)
	}
}

// arranged returns the matrices in T with straight rows, and how far these lie apart.
func (s *fused[T]) arranged(c *op.Context, input int, v *stack, p op.Part) ([]T, int) {
	in := c.In(input)
	if s.io.store == nil && v.straight() {
		return tensor.Elems[T](in), v.rowStep
	}
	dst, size := op.PartOf[T](c, p), v.rows*v.cols
	for i := range v.batch.Elements() {
		to := dst[i*size : (i+1)*size]
		if s.io.store == nil {
			columns.Transpose(to, tensor.Elems[T](in)[i*v.item:], v.rows, v.cols, v.colStep)
			continue
		}
		for r := range v.rows {
			s.io.load(to[r*v.cols:(r+1)*v.cols], in, i*v.item+r*v.rowStep, v.colStep)
		}
	}
	return dst, v.cols
}

// at returns where matrix i lies in data: as the tensor has it where its own steps are
// used, else one behind the other.
func (s *fused[T]) at(data []T, v *stack, i, step int) unsafe.Pointer {
	if step == v.rowStep && v.straight() {
		return address(data[i*v.item:])
	}
	return address(data[i*v.rows*v.cols:])
}

// Chunk implements op.Task over the panels of all products.
func (s *fused[T]) Chunk(lo, hi int) {
	for i := lo; i < hi; i++ {
		batch, part := i/s.parts, i%s.parts
		g := s.args
		y := s.y[batch*g.M*g.N : (batch+1)*g.M*g.N]
		g.A, g.C = s.at(s.dataA, &s.a, s.itemA[batch], g.LDA), address(y)
		if g.B = s.panels; s.panels == nil {
			g.B = s.at(s.dataB, &s.b, s.itemB[batch], g.LDB)
		}
		n0, n1 := part*gemm.Panel, min(g.N, (part+1)*gemm.Panel)
		gemm.Run(&g, 0, g.M, n0, n1)
		if s.alpha == 1 {
			continue
		}
		for r := range g.M {
			row := y[r*g.N+n0 : r*g.N+n1]
			for j := range row {
				row[j] *= s.alpha
			}
		}
	}
}
