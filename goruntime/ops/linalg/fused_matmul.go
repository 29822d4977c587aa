package linalg

import (
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/errs"
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
		Prepare: fusedPrepare,
		Run:     func(c *op.Context) error { fusedMultiply(c); return nil },
		DTypes:  op.Uniform(struct{}{}, tensor.F32, tensor.F16, tensor.BF16, tensor.F64),
	}
})

// fused is the State of a FusedMatMul.
type fused struct {
	a, b          stack
	itemA, itemB  []int // which matrix each batch takes
	alpha         float32
	args          gemm.Args
	panels        unsafe.Pointer // of a constant B
	parts         int
	atA, atB, atY op.Part
	dataA, dataB  []float32
	y             []float32
}

func fusedPrepare(c *op.Context) error {
	return (&fused{
		alpha: c.Attr.Float("alpha"),
		a:     newStack(c.In(0).Shape, c.Attr.Bool("transA"), c.Attr.Bool("transBatchA")),
		b:     newStack(c.In(1).Shape, c.Attr.Bool("transB"), c.Attr.Bool("transBatchB")),
	}).prepare(c)
}

// prepare leaves s, whose alpha, a and b are set, as the State.
func (s *fused) prepare(c *op.Context) error {
	if len(c.In(1).Shape) == 1 {
		s.b.turn()
	}
	batch, err := op.BroadcastShape(nil, s.a.batch, s.b.batch)
	if err != nil {
		return err
	}
	s.itemA, s.itemB = op.BatchOffsets(batch, s.a.batch, 1), op.BatchOffsets(batch, s.b.batch, 1)
	s.args = gemm.Args{M: s.a.rows, N: s.b.cols, K: s.a.cols, LDC: s.b.cols}
	s.parts = (s.b.cols + gemm.Panel - 1) / gemm.Panel
	c.State = s
	var r op.Room
	d := c.In(0).DType
	if d == tensor.F64 {
		return nil
	}
	if d != tensor.F32 || !s.a.straight() {
		s.atA = r.Add(4 * s.a.size)
	}
	if d != tensor.F32 {
		s.atY = r.Add(4 * c.Out(0).Elements())
	}
	packed := c.Constant(1) && s.b.batch.Elements() == 1 && s.b.cols > 1
	if !packed && (d != tensor.F32 || !s.b.straight()) {
		s.atB = r.Add(4 * s.b.size)
	}
	r.Need(c)
	if packed {
		return s.pack(c)
	}
	return nil
}

// pack puts a constant B into panels, once a session.
func (s *fused) pack(c *op.Context) error {
	v, err := c.Value(1)
	if err != nil {
		return err
	}
	layout := "gemm.panels"
	if s.b.colStep != 1 {
		layout = "gemm.panels/transposed"
	}
	n := gemm.PackedSize(s.b.rows, s.b.cols)
	mem, err := c.Pack(1, layout, 4*n, func(dst []byte) error {
		wide := make([]float32, s.b.size)
		halves[v.DType].load(wide, v, 0, 1)
		// SAFETY: dst is 64-byte aligned and holds n float32s.
		gemm.PackB(unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(dst))), n), wide, s.b.rows, s.b.cols, s.b.rowStep, s.b.colStep)
		return nil
	})
	s.panels = unsafe.Pointer(unsafe.SliceData(mem))
	return err
}

func fusedMultiply(c *op.Context) {
	s := c.State.(*fused)
	if s.args.M*s.args.N*len(s.itemA) == 0 {
		return
	}
	if c.In(0).DType == tensor.F64 {
		s.doubles(c)
		return
	}
	g, half := &s.args, c.In(0).DType != tensor.F32
	s.dataA, g.LDA = s.arranged(c, 0, &s.a, s.atA)
	if s.panels == nil {
		s.dataB, g.LDB = s.arranged(c, 1, &s.b, s.atB)
	}
	s.y = nil
	if half {
		s.y = s.atY.Floats(c)
	} else {
		s.y = tensor.Elems[float32](c.Out(0))
	}
	c.For(len(s.itemA)*s.parts, max(1, flopsGrain/max(1, g.M*g.K*min(g.N, gemm.Panel))), s)
	if half {
		halves[c.Out(0).DType].store(c.Out(0), s.y)
	}
}

// arranged returns the matrices in f32 with straight rows, and how far these lie
// apart.
func (s *fused) arranged(c *op.Context, input int, v *stack, p op.Part) ([]float32, int) {
	if c.In(input).DType == tensor.F32 && v.straight() {
		return tensor.Elems[float32](c.In(input)), v.rowStep
	}
	dst := p.Floats(c)
	at, load := 0, halves[c.In(input).DType].load
	for i := range v.batch.Elements() {
		for r := range v.rows {
			load(dst[at:at+v.cols], c.In(input), i*v.item+r*v.rowStep, v.colStep)
			at += v.cols
		}
	}
	return dst, v.cols
}

// Chunk implements op.Task over the panels of all products.
func (s *fused) Chunk(lo, hi int) {
	for i := lo; i < hi; i++ {
		batch, part := i/s.parts, i%s.parts
		g := s.args
		y := s.y[batch*g.M*g.N : (batch+1)*g.M*g.N]
		g.A, g.C = s.a.at(s.dataA, s.itemA[batch], g.LDA), unsafe.Pointer(unsafe.SliceData(y))
		if g.B = s.panels; s.panels == nil {
			g.B = s.b.at(s.dataB, s.itemB[batch], g.LDB)
		}
		n0, n1 := part*gemm.Panel, min(g.N, (part+1)*gemm.Panel)
		gemm.Run(&g, 0, g.M, n0, n1)
		if s.alpha == 1 {
			continue
		}
		for r := range g.M {
			for j := n0; j < n1; j++ {
				y[r*g.N+j] *= s.alpha
			}
		}
	}
}

// doubles multiplies in float64, k ascending.
func (s *fused) doubles(c *op.Context) {
	a, b := tensor.Elems[float64](c.In(0)), tensor.Elems[float64](c.In(1))
	y := tensor.Elems[float64](c.Out(0))
	for i := range s.itemA {
		for r := range s.args.M {
			for j := range s.args.N {
				sum := 0.0
				for k := range s.args.K {
					sum += a[s.itemA[i]*s.a.item+r*s.a.rowStep+k*s.a.colStep] * b[s.itemB[i]*s.b.item+k*s.b.rowStep+j*s.b.colStep]
				}
				y[(i*s.args.M+r)*s.args.N+j] = sum * float64(s.alpha)
			}
		}
	}
}
