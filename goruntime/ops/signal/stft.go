package signal

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/wide"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// STFT gives the Fourier transforms of frames of a signal [B, L, parts] that
// begin frame_step apart, each weighted by a window.
// https://onnx.ai/onnx/operators/onnx__STFT.html   Departures: none.
var STFT = op.Declare("", "STFT", func() op.Def {
	return op.Def{
		Versions: op.Versions{17: ""},
		Attrs:    op.Attrs(op.Int("onesided", 1)),
		Shape: func(c *op.Infer) error {
			var window tensor.Shape
			if c.Has(2) {
				window = c.In(2)
			}
			s, err := readFrames(c.Attr, c.In(0), window, c.Has, c.Ints)
			if err != nil {
				return err
			}
			out := c.Grow(0, c.DType(0), 4)
			out[0], out[1], out[2], out[3] = s.batch, s.count, s.bins, 2
			return nil
		},
		Prepare: func(c *op.Context) error {
			var window tensor.Shape
			if c.Has(2) {
				window = c.In(2).Shape
			}
			s, err := readFrames(c.Attr, c.In(0).Shape, window, c.Has, c.Ints)
			if err != nil {
				return err
			}
			s.transforms = newTransforms(c, s.length, s.batch*s.count)
			c.State = s
			c.NeedWorkspace(s.bytes() + 8*s.length)
			return nil
		},
		Run: func(c *op.Context) error {
			s := c.State.(*frames)
			work := op.WorkspaceOf[complex128](c)
			s.run, s.out, s.in, s.room = op.Row[framesKernel](c), c.Out(0), c.In(0), work
			s.window = op.WorkspaceOf[float64](c)[s.bytes()/8:]
			if c.Has(2) {
				wide.Load[c.In(2).DType](s.window, c.In(2))
			} else {
				for i := range s.window {
					s.window[i] = 1
				}
			}
			c.For(s.lines, s.grain(), s)
			return nil
		},
		DTypes: op.ByType(map[tensor.DType]framesKernel{
			tensor.F32: framed(wide.Single), tensor.F64: framed(wide.Double), tensor.F16: framed(wide.Half), tensor.BF16: framed(wide.Brain),
		}),
		Also: map[int][]tensor.DType{1: {tensor.I32, tensor.I64}, 3: {tensor.I32, tensor.I64}},
	}
})

// frames is the State of an STFT.
type frames struct {
	transforms
	batch, n, parts           int
	step, length, count, bins int
	run                       framesKernel
	window                    []float64
}

type framesKernel func(s *frames, lo, hi int, work []complex128)

// readFrames reads a node; window is nil where there is none.
func readFrames(a *op.Values, x, window tensor.Shape, has func(int) bool, ints func(int) ([]int, error)) (*frames, error) {
	if len(x) != 3 || x[2] != 1 && x[2] != 2 {
		return nil, errs.New(errs.Shape, "the signal has shape %v, [B, L, 1] or [B, L, 2] expected", x)
	}
	if window != nil && len(window) != 1 {
		return nil, errs.New(errs.Shape, "the window has shape %v, a rank of 1 expected", window)
	}
	s := &frames{batch: x[0], n: x[1], parts: x[2], length: x[1]}
	var err error
	if s.step, err = single(ints, 1, "frame_step"); err != nil {
		return nil, err
	}
	if window != nil {
		s.length = window[0]
	}
	if has(3) {
		if s.length, err = single(ints, 3, "frame_length"); err != nil {
			return nil, err
		}
		if window != nil && window[0] != s.length {
			return nil, errs.New(errs.Shape, "frame_length is %d, the window has %d elements: they must be equal", s.length, window[0])
		}
	}
	if s.step < 1 || s.length < 1 || s.length > s.n {
		return nil, errs.New(errs.Shape, "frames of %d elements, %d apart, on a signal of %d: they must be positive and fit", s.length, s.step, s.n)
	}
	s.count, s.bins = (s.n-s.length)/s.step+1, s.length
	if a.Bool("onesided") {
		if s.bins = s.length/2 + 1; s.parts == 2 {
			return nil, errs.New(errs.Argument, "onesided is set: a real signal expected, a complex one given")
		}
	}
	return s, nil
}

// Chunk implements op.Task over the frames of all signals.
func (s *frames) Chunk(lo, hi int) {
	slot, work := s.take()
	s.run(s, lo, hi, work)
	s.put(slot)
}

func framed[T any](n wide.Number[T]) framesKernel {
	return func(s *frames, lo, hi int, work []complex128) {
		out, in := tensor.Elems[T](s.out), tensor.Elems[T](s.in)
		for l := lo; l < hi; l++ {
			from := l/s.count*s.n + l%s.count*s.step
			for k, w := range s.window {
				z := number(n, in, from+k, s.parts)
				work[k] = complex(real(z)*w, imag(z)*w)
			}
			dst := out[l*s.bins*2 : (l+1)*s.bins*2]
			for k, z := range s.plan.run(work)[:s.bins] {
				dst[2*k], dst[2*k+1] = n.Narrow(real(z)), n.Narrow(imag(z))
			}
		}
	}
}
