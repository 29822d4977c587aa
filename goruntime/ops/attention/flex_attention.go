package attention

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
	"github.com/goruntime/goruntime/goruntime/values"
)

// FlexAttention is attention whose scores and probabilities pass through
// subgraphs.
// https://onnx.ai/onnx/operators/onnx_aionnxpreview_FlexAttention.html
// Departures: none. Sums are of f32, of f64 for f64; the subgraphs see
// softmax_precision.
var FlexAttention = op.Declare("ai.onnx.preview", "FlexAttention", func() op.Def {
	return op.Def{
		Versions: op.Versions{1: ""},
		Attrs: op.Attrs(op.Optional("scale", op.KindFloat), op.Optional("softmax_precision", op.KindInt),
			op.Optional("score_mod", op.KindGraph), op.Optional("prob_mod", op.KindGraph)),
		Control:  true,
		Computes: true,
		Run: func(c *op.Context) error {
			run := flexKernels[c.In(0).DType]
			if run == nil || c.In(1).DType != c.In(0).DType || c.In(2).DType != c.In(0).DType {
				return errs.New(errs.Type, "Q is %v, K %v, V %v: one floating-point type expected", c.In(0).DType, c.In(1).DType, c.In(2).DType)
			}
			return run(c)
		},
	}
})

// flexKernels is the table of FlexAttention: operators with Control pick their
// kernel themselves.
var flexKernels = [tensor.NumDTypes]func(*op.Context) error{
	tensor.F32: flexIn(single, &singles), tensor.F16: flexIn(single, &singles), tensor.BF16: flexIn(single, &singles),
	tensor.F64: flexIn(double, &doubles),
}

// flex is one FlexAttention under way.
type flex[T real] struct {
	core[T]
	f      *format[T]
	dtype  tensor.DType // of the scores that subgraphs see
	scores []T          // [batch, count, rows, keys]
}

func flexIn[T real](f *format[T], kernel *products[T]) func(c *op.Context) error {
	return func(c *op.Context) error {
		z, err := readSizes(shapesOf{c}, c.Attr)
		if err != nil {
			return err
		}
		if !z.apart {
			return errs.New(errs.Shape, "Q has shape %v: rank 4 expected", c.In(0).Shape)
		}
		s := &flex[T]{f: f, dtype: f.native}
		if c.Attr.Has("softmax_precision") {
			s.dtype = tensor.DType(c.Attr.Int("softmax_precision"))
		}
		if s.dtype >= tensor.NumDTypes || f.narrow[s.dtype] == nil {
			return errs.New(errs.Type, "softmax_precision is %v: a floating-point type expected", s.dtype)
		}
		s.core = core[T]{
			batch: z.batch, count: z.heads, shared: max(1, z.heads/z.kvHeads), rows: z.rows, keys: z.keys, size: z.size, sizeV: z.sizeV,
			scale: T(1 / math.Sqrt(float64(z.size))), left: -1, right: -1, kernel: *kernel,
		}
		if c.Attr.Has("scale") {
			s.core.scale = T(c.Attr.Float("scale"))
		}
		return s.run(c, z)
	}
}

func (s *flex[T]) run(c *op.Context, z sizes) error {
	k := &s.core
	in := [...]*heads[T]{&k.q, &k.k, &k.v}
	for i, rows := range [...]int{z.rows, z.keys, z.keys} {
		data, err := s.loadTemporary(c, c.In(i))
		if err != nil {
			return err
		}
		*in[i] = apart(data, rows, c.In(i).Shape[1], c.In(i).Shape[3])
	}
	if err := s.multiply(c); err != nil {
		return err
	}
	if err := s.modify(c, "score_mod"); err != nil {
		return err
	}
	for r := range k.batch * k.count * k.rows {
		if row := s.scores[r*k.keys : (r+1)*k.keys]; len(row) > 0 {
			k.kernel.softmax(row)
		}
	}
	if err := s.modify(c, "prob_mod"); err != nil {
		return err
	}
	out, err := c.MakeOutputTensor(0, c.In(0).DType, tensor.Shape{z.batch, z.heads, z.rows, z.sizeV})
	if err != nil {
		return err
	}
	y, err := op.Temporary[T](c, out.Elements())
	if err != nil {
		return err
	}
	k.y = apart(y, z.rows, z.heads, z.sizeV)
	for b := range k.batch {
		for h := range k.count {
			if k.rows > 0 {
				k.kernel.values(k, s.scores[(b*k.count+h)*k.rows*k.keys:], b, h, 0, k.rows)
			}
		}
	}
	s.f.narrow[out.DType](out, 0, y)
	return nil
}

// loadTemporary returns the elements of v in T.
func (s *flex[T]) loadTemporary(c *op.Context, v *tensor.View) ([]T, error) {
	if v.DType == s.f.native {
		return tensor.Elems[T](v), nil
	}
	dst, err := op.Temporary[T](c, v.Elements())
	if err == nil {
		s.f.widen[v.DType](dst, v)
	}
	return dst, err
}

// multiply computes the scores.
func (s *flex[T]) multiply(c *op.Context) (err error) {
	k := &s.core
	k.factor[0] = k.scale
	n := k.rows * k.keys
	if s.scores, err = op.Temporary[T](c, k.batch*k.count*n); err != nil || len(s.scores) == 0 {
		return err
	}
	scratch, err := op.Temporary[T](c, 2*n+few*k.size)
	if err != nil {
		return err
	}
	size, kv := k.kernel.packSize(k), k.count/k.shared
	if k.packed, err = op.Temporary[T](c, k.batch*kv*size); err != nil {
		return err
	}
	for b := range k.batch {
		for h := range kv {
			if size > 0 {
				at := (b*kv + h) * size
				k.kernel.pack(k, k.packed[at:at+size], b, h)
			}
		}
		for h := range k.count {
			k.kernel.scores(k, scratch, b, h, 0, k.rows)
			copy(s.scores[(b*k.count+h)*n:], scratch[:n])
		}
	}
	return nil
}

// modify passes the scores through a subgraph, where there is one.
func (s *flex[T]) modify(c *op.Context, attr string) error {
	if !c.Attr.Has(attr) {
		return nil
	}
	k := &s.core
	inputs, outputs, err := c.Body(attr)
	if err != nil {
		return err
	}
	if inputs != 1 || len(outputs) != 1 {
		return errs.New(errs.Model, "%s has %d inputs and %d outputs: one each expected", attr, inputs, len(outputs))
	}
	v, err := c.Element(s.dtype, tensor.Shape{k.batch, k.count, k.rows, k.keys})
	if err != nil {
		return err
	}
	s.f.narrow[s.dtype](&v.View, 0, s.scores)
	in, out := []op.Held{valueHeld(v)}, make([]op.Held, 1)
	defer func() { in[0].Drop(); out[0].Drop() }()
	if err := c.Call(attr, in, out, []int{-1}); err != nil {
		return err
	}
	if got := &out[0].View; got.DType != s.dtype || !got.Shape.Equal(tensor.Shape{k.batch, k.count, k.rows, k.keys}) {
		return errs.New(errs.Shape, "%s gives %v, %v[%d, %d, %d, %d] expected", attr, got, s.dtype, k.batch, k.count, k.rows, k.keys)
	}
	s.f.widen[s.dtype](s.scores, &out[0].View)
	return nil
}

// valueHeld holds a tensor value, which it takes.
func valueHeld(v *values.Value) op.Held { return op.Held{View: v.View, Value: v} }
