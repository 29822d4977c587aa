package signal

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/wide"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// DFT gives the discrete Fourier transform along one axis of a tensor whose last
// dimension holds a number's real part, or real and imaginary part. DFT17 is it
// before version 20, where axis is an attribute.
// https://onnx.ai/onnx/operators/onnx__DFT.html   Departures: none.
var (
	DFT = op.Declare("", "DFT", func() op.Def {
		return dft(op.Versions{20: "axis is an input"})
	})
	DFT17 = op.Declare("", "DFT", func() op.Def {
		return dft(op.Versions{17: "axis is an attribute"}, op.Int("axis", 1))
	})
)

func dft(versions op.Versions, attrs ...op.Attr) op.Def {
	also := map[int][]tensor.DType{1: {tensor.I32, tensor.I64}}
	if len(attrs) == 0 {
		also[2] = []tensor.DType{tensor.I64}
	}
	return op.Def{
		Versions: versions, Attrs: append(attrs, op.Int("inverse", 0), op.Int("onesided", 0)),
		Shape: func(c *op.Infer) error {
			s, err := readSpectrum(c.Attr, c.Version, c.In(0), c.Has, c.Ints)
			if err != nil {
				return err
			}
			x := c.In(0)
			out := c.Grow(0, c.DType(0), len(x))
			copy(out, x)
			out[s.axis], out[len(x)-1] = s.outN, s.outParts
			return nil
		},
		Prepare: func(c *op.Context) error {
			s, err := readSpectrum(c.Attr, c.Version, c.In(0).Shape, c.Has, c.Ints)
			if err != nil {
				return err
			}
			s.transforms = newTransforms(c, s.length, s.outer*s.inner)
			c.State = s
			c.NeedWorkspace(s.bytes())
			return nil
		},
		Run: func(c *op.Context) error {
			s := c.State.(*spectrum)
			s.run, s.out, s.in, s.room = op.Row[spectrumKernel](c), c.Out(0), c.In(0), op.WorkspaceOf[complex128](c)
			c.For(s.lines, s.grain(), s)
			return nil
		},
		DTypes: op.ByType(map[tensor.DType]spectrumKernel{
			tensor.F32: spectra(wide.Single), tensor.F64: spectra(wide.Double), tensor.F16: spectra(wide.Half), tensor.BF16: spectra(wide.Brain),
		}),
		Also: also,
	}
}

// spectrum is the State of a DFT: the input as [outer, n, inner, parts].
type spectrum struct {
	transforms
	axis, outer, n, inner, parts int
	length                       int // of the transform
	outN, outParts               int
	inverse, onesided            bool
	run                          spectrumKernel
}

type spectrumKernel func(s *spectrum, lo, hi int, work []complex128)

// readSpectrum reads a node: its attributes, and its optional inputs by has and
// ints.
func readSpectrum(a *op.Values, version int, x tensor.Shape, has func(int) bool, ints func(int) ([]int, error)) (*spectrum, error) {
	r := len(x)
	if r < 2 || x[r-1] != 1 && x[r-1] != 2 {
		return nil, errs.New(errs.Shape, "the input has shape %v: a rank of 2 or more and a last dimension of 1 or 2 expected", x)
	}
	s := &spectrum{inverse: a.Bool("inverse"), onesided: a.Bool("onesided"), parts: x[r-1], axis: -2}
	var err error
	if version < 20 {
		s.axis = a.Int("axis")
	} else if has(2) {
		if s.axis, err = single(ints, 2, "axis"); err != nil {
			return nil, err
		}
	}
	if s.axis < -r || s.axis == -1 || s.axis > r-2 {
		return nil, errs.New(errs.Shape, "axis %d is out of range for rank %d: it must lie in [%d, -2] or [0, %d]", s.axis, r, -r, r-2)
	}
	s.axis = (s.axis + r) % r
	s.outer, s.n, s.inner = x[:s.axis].Elements(), x[s.axis], x[s.axis+1:r-1].Elements()
	switch {
	case has(1):
		if s.length, err = single(ints, 1, "dft_length"); err != nil {
			return nil, err
		}
	case s.inverse && s.onesided:
		s.length = 2 * (s.n - 1)
	default:
		s.length = s.n
	}
	if s.length < 1 {
		return nil, errs.New(errs.Shape, "the length of the transform is %d: it must be positive", s.length)
	}
	return s, s.settle()
}

// settle fixes the output's dimensions.
func (s *spectrum) settle() error {
	s.outN, s.outParts = s.length, 2
	switch {
	case s.onesided && s.inverse && s.parts != 2:
		return errs.New(errs.Argument, "onesided and inverse are set: complex input expected, real input given")
	case s.onesided && s.inverse:
		s.outParts = 1
	case s.onesided && s.parts != 1:
		return errs.New(errs.Argument, "onesided is set: real input expected, complex input given")
	case s.onesided:
		s.outN = s.length/2 + 1
	}
	return nil
}

// single returns the one element of an integer input.
func single(ints func(int) ([]int, error), i int, name string) (int, error) {
	list, err := ints(i)
	if err != nil {
		return 0, err
	}
	if len(list) != 1 {
		return 0, errs.New(errs.Shape, "%s has %d elements, one expected", name, len(list))
	}
	return list[0], nil
}

// Chunk implements op.Task over the lines along the axis.
func (s *spectrum) Chunk(lo, hi int) {
	slot, work := s.take()
	s.run(s, lo, hi, work)
	s.put(slot)
}

func spectra[T any](n wide.Number[T]) spectrumKernel {
	return func(s *spectrum, lo, hi int, work []complex128) {
		out, in := tensor.Elems[T](s.out), tensor.Elems[T](s.in)
		for l := lo; l < hi; l++ {
			from, to := l/s.inner*s.n*s.inner+l%s.inner, l/s.inner*s.outN*s.inner+l%s.inner
			x := work[:s.length]
			clear(x)
			for k := range min(s.given(), s.length) {
				x[k] = number(n, in, from+k*s.inner, s.parts)
			}
			if s.inverse {
				s.turn(x)
			}
			x = s.plan.run(work)
			for k := range s.outN {
				z := x[k]
				if s.inverse {
					z = swap(z) / complex(float64(s.length), 0)
				}
				at := (to + k*s.inner) * s.outParts
				out[at] = n.Narrow(real(z))
				if s.outParts == 2 {
					out[at+1] = n.Narrow(imag(z))
				}
			}
		}
	}
}

// given returns how many numbers of a line are read.
func (s *spectrum) given() int {
	if s.inverse && s.onesided {
		return min(s.n, s.length/2+1)
	}
	return s.n
}

// turn makes of the numbers of an inverse transform those of a forward one; of a
// one-sided spectrum it makes the other side.
func (s *spectrum) turn(x []complex128) {
	if s.onesided {
		x[0] = complex(real(x[0]), 0)
		for k := 1; 2*k <= len(x); k++ {
			if 2*k == len(x) {
				x[k] = complex(real(x[k]), 0)
			} else {
				x[len(x)-k] = complex(real(x[k]), -imag(x[k]))
			}
		}
	}
	for k, z := range x {
		x[k] = swap(z)
	}
}
