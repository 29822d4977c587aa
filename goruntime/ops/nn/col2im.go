package nn

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
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
			c.For(s.planes, max(1, (32<<10)/max(1, s.columns)), s)
			return nil
		},
		DTypes: op.ByType(map[tensor.DType]foldKernel{
			tensor.F32: folded(addRun32), tensor.F64: folded(addRun[float64]),
			tensor.F16:  folded(runOf(func(a, b tensor.Half) tensor.Half { return tensor.HalfOf(a.Float32() + b.Float32()) })),
			tensor.BF16: folded(runOf(func(a, b tensor.BFloat16) tensor.BFloat16 { return tensor.BFloat16Of(a.Float32() + b.Float32()) })),
			tensor.I8:   folded(addRun[int8]), tensor.I16: folded(addRun[int16]), tensor.I32: folded(addRun[int32]), tensor.I64: folded(addRun[int64]),
			tensor.U8: folded(addRun[uint8]), tensor.U16: folded(addRun[uint16]), tensor.U32: folded(addRun[uint32]), tensor.U64: folded(addRun[uint64]),
			tensor.C64: folded(addRun[complex64]), tensor.C128: folded(addRun[complex128]),
			tensor.Bool: folded(runOf(func(a, b bool) bool { return a || b })),
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
	s := &fold{planes: x[0] * x[1] / taps, plane: tensor.Shape(image).Elements(), columns: taps * x[2], step: win.stride[len(image)-1]}
	width := max(1, win.out[len(image)-1])
	for i := range s.columns {
		at, ok := win.tap(i%x[2], i/x[2])
		switch last := len(s.runs) - 1; {
		case !ok:
		case last >= 0 && i%x[2]%width > 0 && int(s.runs[last].from+s.runs[last].n) == i:
			s.runs[last].n++
		default:
			s.runs = append(s.runs, foldRun{int32(i), int32(at), 1})
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

// fold is the State of a Col2Im: which elements of the columns of an image are added to
// it, in runs. In the image, those of a run lie step apart.
type fold struct {
	planes, plane, columns, step int
	runs                         []foldRun
	kernel                       foldKernel
	out, in                      *tensor.View
}

// foldRun is n elements of the columns from one on, and where in the image they go.
type foldRun struct{ from, at, n int32 }

type foldKernel func(s *fold, lo, hi int)

// Chunk implements op.Task over the planes.
func (s *fold) Chunk(lo, hi int) { s.kernel(s, lo, hi) }

// folded adds runs to images.
func folded[T any](add func(image, run []T, step int)) foldKernel {
	return func(s *fold, lo, hi int) {
		for p := lo; p < hi; p++ {
			image, columns := tensor.Elems[T](s.out)[p*s.plane:(p+1)*s.plane], tensor.Elems[T](s.in)[p*s.columns:(p+1)*s.columns]
			clear(image)
			for _, r := range s.runs {
				add(image[r.at:], columns[r.from:r.from+r.n], s.step)
			}
		}
	}
}

func addRun[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64 | complex64 | complex128](image, run []T, step int) {
	at := 0
	for _, x := range run {
		image[at] += x
		at += step
	}
}

// addRun32 is addRun by vectors where a run is one in the image.
func addRun32(image, run []float32, step int) {
	if step != 1 {
		addRun(image, run, step)
		return
	}
	image = image[:len(run)]
	vec.Combine(vec.Plus, image, image, run)
}

func runOf[T any](add func(a, b T) T) func(image, run []T, step int) {
	return func(image, run []T, step int) {
		at := 0
		for _, x := range run {
			image[at] = add(image[at], x)
			at += step
		}
	}
}
