package linalg

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/nbits"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// MatMulNBits multiplies A [..., K] with a matrix of N columns whose weights take
// 2, 4 or 8 bits and have a scale and a zero point for each block along K.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.MatMulNBits
// Departures: accuracy_level is not needed: A stays as it is, sums are of f32.
var MatMulNBits = op.Declare("com.microsoft", "MatMulNBits", func() op.Def {
	return op.Def{
		Versions: op.Versions{1: ""}, Needs: []int{0, 1, 2},
		Attrs: op.Attrs(op.Required("K", op.KindInt), op.Required("N", op.KindInt), op.Int("bits", 4), op.Required("block_size", op.KindInt),
			op.Int("accuracy_level", 0), op.Int("weight_prepacked", 0)),
		Shape: func(c *op.Infer) error {
			s, err := nbitsSize(c.Attr)
			if err != nil {
				return err
			}
			a := c.In(0)
			if len(a) == 0 || a[len(a)-1] != s.k {
				return errs.New(errs.Shape, "A has shape %v: its last dimension must be K, %d", a, s.k)
			}
			blocks := nbits.Blocks(s.k, s.block)
			if n, want := c.In(1).Elements(), s.n*blocks*s.block*s.bits/8; n != want {
				return errs.New(errs.Shape, "B has shape %v: %d bytes expected for N %d, K %d, %d bits and blocks of %d", c.In(1), want, s.n, s.k, s.bits, s.block)
			}
			if n := c.In(2).Elements(); n != s.n*blocks {
				return errs.New(errs.Shape, "the scales have shape %v: %d numbers expected", c.In(2), s.n*blocks)
			}
			if err := nbitsOptional(c, s, blocks); err != nil {
				return err
			}
			out := c.Grow(0, c.DType(0), len(a))
			copy(out, a)
			out[len(a)-1] = s.n
			return nil
		},
		Prepare: nbitsPrepare,
		Run:     nbitsRun,
		DTypes: op.ByType(map[tensor.DType]nbitsType{
			tensor.F32: nbits32,
			tensor.F16: nbitsOf(tensor.Half.Float32, tensor.HalfOf), tensor.BF16: nbitsOf(tensor.BFloat16.Float32, tensor.BFloat16Of),
		}),
		Also: map[int][]tensor.DType{1: {tensor.U8}, 2: nbitsFloats, 3: append([]tensor.DType{tensor.U8}, nbitsFloats...), 4: {tensor.I32}, 5: nbitsFloats},
	}
})

var nbitsFloats = []tensor.DType{tensor.F32, tensor.F16, tensor.BF16}

// nbitsOptional checks zero points, group indices and the bias.
func nbitsOptional(c *op.Infer, s nbitsSizes, blocks int) error {
	if c.Has(3) {
		want := s.n * blocks
		if c.DType(3) == tensor.U8 {
			want = s.n * ((blocks*s.bits + 7) / 8)
		}
		if n := c.In(3).Elements(); n != want {
			return errs.New(errs.Shape, "the zero points have shape %v of %v: %d elements expected", c.In(3), c.DType(3), want)
		}
	}
	if c.Has(4) && c.In(4).Elements() < s.k {
		return errs.New(errs.Shape, "g_idx has shape %v: K, %d, numbers expected", c.In(4), s.k)
	}
	if c.Has(5) && !c.In(5).Equal(tensor.Shape{s.n}) {
		return errs.New(errs.Shape, "the bias has shape %v, [%d] expected", c.In(5), s.n)
	}
	return nil
}

// nbitsSizes are the attributes.
type nbitsSizes struct{ k, n, bits, block int }

func nbitsSize(a *op.Values) (nbitsSizes, error) {
	s := nbitsSizes{k: a.Int("K"), n: a.Int("N"), bits: a.Int("bits"), block: a.Int("block_size")}
	if s.bits != 2 && s.bits != 4 && s.bits != 8 {
		return s, errs.New(errs.Argument, "bits is %d: 2, 4 or 8 expected", s.bits)
	}
	if s.block < 16 || s.block&(s.block-1) != 0 {
		return s, errs.New(errs.Argument, "block_size is %d: a power of two from 16 on expected", s.block)
	}
	if s.k < 0 || s.n < 0 {
		return s, errs.New(errs.Argument, "K is %d and N is %d: they must not be negative", s.k, s.n)
	}
	if a.Bool("weight_prepacked") {
		return s, errs.New(errs.Unsupported, "weight_prepacked is set: weights packed for a device are not read")
	}
	return s, nil
}

// nbitsType is what one element type does.
type nbitsType struct {
	load  func(dst []float32, v *tensor.View, at int)       // widens len(dst) elements from at on
	store func(s *nbitsState, out *tensor.View, n0, n1 int) // adds the bias, narrows the columns
}

// nbits32 moves rows as they are.
var nbits32 = nbitsType{
	load: func(dst []float32, v *tensor.View, at int) { copy(dst, tensor.Elems[float32](v)[at:]) },
	store: func(s *nbitsState, out *tensor.View, n0, n1 int) {
		y := tensor.Elems[float32](out)
		for m := range s.args.M {
			row := y[m*s.args.N+n0 : m*s.args.N+n1]
			copy(row, s.args.C[m*s.args.N+n0:])
			if s.bias != nil {
				vec.Combine(vec.Plus, row, row, s.bias[n0:n1])
			}
		}
	},
}

func nbitsOf[T any](widen func(T) float32, narrow func(float32) T) nbitsType {
	return nbitsType{
		load: func(dst []float32, v *tensor.View, at int) {
			for i, x := range tensor.Elems[T](v)[at : at+len(dst)] {
				dst[i] = widen(x)
			}
		},
		store: func(s *nbitsState, out *tensor.View, n0, n1 int) {
			y := tensor.Elems[T](out)
			for m := range s.args.M {
				for n := n0; n < n1; n++ {
					v := s.args.C[m*s.args.N+n]
					if s.bias != nil {
						v += s.bias[n]
					}
					y[m*s.args.N+n] = narrow(v)
				}
			}
		},
	}
}

// nbitsState is the State of a MatMulNBits.
type nbitsState struct {
	args                                nbits.Args
	arrange                             bool
	constant                            bool // scales and zero points are made once
	scales, zeros                       []float32
	bias                                []float32
	a, out                              *tensor.View
	kind                                nbitsType
	atA, atC, atScales, atZeros, atBias op.Part
}

func nbitsPrepare(c *op.Context) error {
	size, err := nbitsSize(c.Attr)
	if err != nil {
		return err
	}
	s := &nbitsState{kind: op.Row[nbitsType](c)}
	g := &s.args
	g.M, g.N, g.K, g.Bits, g.Block = c.In(0).Elements()/max(1, size.k), size.n, size.k, size.bits, size.block
	if size.k == 0 {
		g.M = c.Out(0).Elements() / max(1, size.n)
	}
	count := g.N * nbits.Blocks(g.K, g.Block)
	var r op.Room
	s.atA, s.atC = r.Add(4*g.M*nbits.RowLength(g.K, g.Block)), r.Add(4*g.M*g.N)
	if c.Has(5) {
		s.atBias = r.Add(4 * g.N)
	}
	s.constant = c.Constant(2) && (!c.Has(3) || c.Constant(3))
	if !s.constant {
		s.atScales, s.atZeros = r.Add(4*count), r.Add(4*count)
	}
	r.Need(c)
	c.State = s
	if s.constant {
		return s.packScales(c, count)
	}
	return nil
}

func nbitsRun(c *op.Context) error {
	s := c.State.(*nbitsState)
	g := &s.args
	if g.M == 0 || g.N == 0 {
		return nil
	}
	if !s.constant {
		s.scales, s.zeros = s.atScales.Floats(c), s.atZeros.Floats(c)
		s.fillScales(c, s.scales)
		s.fillZeros(c, s.zeros)
	}
	g.A, g.B, g.C, g.Scales, g.Zeros = s.atA.Floats(c), c.In(1).Raw(), s.atC.Floats(c), s.scales, s.zeros
	s.bias = nil
	if c.Has(5) {
		s.bias = s.atBias.Floats(c)
		nbitsLoaders[c.In(5).DType](s.bias, c.In(5), 0)
	}
	if err := s.groups(c); err != nil {
		return err
	}
	s.a, s.out = c.In(0), c.Out(0)
	s.arrange = true
	c.For(g.M, max(1, 1<<15/max(1, g.K)), s)
	s.arrange = false
	c.For((g.N+nbits.Columns-1)/nbits.Columns, max(1, 1<<18/max(1, g.M*g.K*nbits.Columns)), s)
	return nil
}

// groups checks g_idx; one that says what blocks say anyway is left out.
func (s *nbitsState) groups(c *op.Context) error {
	g := &s.args
	g.Groups = nil
	if !c.Has(4) {
		return nil
	}
	list, blocks, plain := tensor.Elems[int32](c.In(4))[:g.K], nbits.Blocks(g.K, g.Block), true
	for k, i := range list {
		if i < 0 || int(i) >= blocks {
			return errs.New(errs.Compute, "g_idx has %d at %d: it must lie in [0, %d]", i, k, blocks-1)
		}
		plain = plain && int(i) == k/g.Block
	}
	if !plain {
		g.Groups = list
	}
	return nil
}

// Chunk implements op.Task: over rows of A, then over groups of columns.
func (s *nbitsState) Chunk(lo, hi int) {
	g := &s.args
	if !s.arrange {
		lo, hi = lo*nbits.Columns, min(g.N, hi*nbits.Columns)
		nbits.Run(g, lo, hi)
		s.kind.store(s, s.out, lo, hi)
		return
	}
	length := nbits.RowLength(g.K, g.Block)
	for m := lo; m < hi; m++ {
		row := g.A[m*length : (m+1)*length]
		s.kind.load(row[:g.K], s.a, m*g.K)
		g.Arrange(row)
	}
}
