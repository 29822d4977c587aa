package nn

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Col2Im sums the columns [N, C*block, L] into images: each column is a block of
// pixels, and blocks may overlap.
// https://onnx.ai/onnx/operators/onnx__Col2Im.html   Departures: strings, which
// have no sum, are refused.
var Col2Im = op.Declare("", "Col2Im", func() op.Def {
	return op.Def{
		Versions: op.Versions{18: ""},
		Attrs:    op.Attrs(op.Ints("dilations"), op.Ints("pads"), op.Ints("strides")),
		Shape:    col2imShape,
		Prepare:  col2imPrepare,
		Run: func(c *op.Context) error {
			s := c.State.(*fold)
			s.kernel, s.out, s.in = op.Row[foldKernel](c), c.Out(0), c.In(0)
			c.For(s.planes, max(1, (32<<10)/max(1, len(s.at))), s)
			return nil
		},
		DTypes: op.ByType(map[tensor.DType]foldKernel{
			tensor.F32: folded[float32], tensor.F64: folded[float64],
			tensor.F16:  foldedBy(func(a, b tensor.Half) tensor.Half { return tensor.HalfOf(a.Float32() + b.Float32()) }),
			tensor.BF16: foldedBy(func(a, b tensor.BFloat16) tensor.BFloat16 { return tensor.BFloat16Of(a.Float32() + b.Float32()) }),
			tensor.I8:   folded[int8], tensor.I16: folded[int16], tensor.I32: folded[int32], tensor.I64: folded[int64],
			tensor.U8: folded[uint8], tensor.U16: folded[uint16], tensor.U32: folded[uint32], tensor.U64: folded[uint64],
			tensor.C64: folded[complex64], tensor.C128: folded[complex128],
			tensor.Bool: foldedBy(func(a, b bool) bool { return a || b }),
		}),
		Also: map[int][]tensor.DType{1: {tensor.I64}, 2: {tensor.I64}},
	}
})

// col2imShape: x [N, C*block, L], image, block -> [N, C, image...].
func col2imShape(c *op.Infer) error {
	x := c.In(0)
	image, win, err := foldWindow(c, c.Attr, x)
	if err != nil {
		return err
	}
	out := c.Grow(0, c.DType(0), len(image)+2)
	out[0], out[1] = x[0], x[1]/tensor.Shape(win.kernel).Elements()
	copy(out[2:], image)
	_, err = out.Check(c.DType(0))
	return err
}

func col2imPrepare(c *op.Context) error {
	x := c.In(0).Shape
	image, win, err := foldWindow(c, c.Attr, x)
	if err != nil {
		return err
	}
	taps := tensor.Shape(win.kernel).Elements()
	s := &fold{planes: x[0] * x[1] / taps, plane: tensor.Shape(image).Elements(), at: make([]int32, taps*x[2])}
	for i := range s.at {
		s.at[i] = -1
		if at, ok := win.tap(i%x[2], i/x[2]); ok {
			s.at[i] = int32(at)
		}
	}
	c.State = s
	return nil
}

// foldWindow returns the size of the images, and the window whose taps the columns are.
func foldWindow(c interface{ Ints(i int) ([]int, error) }, a *op.Values, x tensor.Shape) ([]int, *window, error) {
	image, err := c.Ints(1)
	if err != nil {
		return nil, nil, err
	}
	block, err := c.Ints(2)
	if err != nil {
		return nil, nil, err
	}
	for _, n := range image {
		if n < 0 {
			return nil, nil, errs.New(errs.Shape, "image_shape is %v: no size may be negative", image)
		}
	}
	if len(image) == 0 || len(image) != len(block) {
		return nil, nil, errs.New(errs.Shape, "image_shape is %v, block_shape %v: one entry for each spatial dimension expected", image, block)
	}
	win, err := newWindow(a, append([]int(nil), image...), append([]int(nil), block...), false)
	if err != nil {
		return nil, nil, err
	}
	taps, blocks := tensor.Shape(block).Elements(), tensor.Shape(win.out).Elements()
	if len(x) != 3 || x[1]%taps != 0 || x[2] != blocks {
		return nil, nil, errs.New(errs.Shape, "the input has shape %v, [N, C*%d, %d] expected for blocks %v on %v", x, taps, blocks, block, image)
	}
	return image, win, nil
}

// fold is the State of a Col2Im: where in an image each element of its columns
// goes, -1 for the padding.
type fold struct {
	planes, plane int
	at            []int32
	kernel        foldKernel
	out, in       *tensor.View
}

type foldKernel func(s *fold, lo, hi int)

// Chunk implements op.Task over the planes.
func (s *fold) Chunk(lo, hi int) { s.kernel(s, lo, hi) }

func folded[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64 | complex64 | complex128](s *fold, lo, hi int) {
	foldPlanes(s, lo, hi, func(a, b T) T { return a + b })
}

func foldedBy[T any](add func(a, b T) T) foldKernel {
	return func(s *fold, lo, hi int) { foldPlanes(s, lo, hi, add) }
}

func foldPlanes[T any](s *fold, lo, hi int, add func(a, b T) T) {
	out, in, n := tensor.Elems[T](s.out), tensor.Elems[T](s.in), len(s.at)
	for p := lo; p < hi; p++ {
		plane, columns := out[p*s.plane:(p+1)*s.plane], in[p*n:(p+1)*n]
		clear(plane)
		for i, at := range s.at {
			if at >= 0 {
				plane[at] = add(plane[at], columns[i])
			}
		}
	}
}
