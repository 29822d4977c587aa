package signal

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/wide"
	"github.com/goruntime/goruntime/goruntime/op"
)

// MelWeightMatrix gives the weights [dft_length/2 + 1, num_mel_bins] that turn a
// one-sided spectrum into bands on the mel scale.
// https://onnx.ai/onnx/operators/onnx__MelWeightMatrix.html   Departures: none.
// The edges lie num_mel_bins + 2 steps apart, as the official case has it.
var MelWeightMatrix = op.Declare("", "MelWeightMatrix", func() op.Def {
	return op.Def{
		Versions: op.Versions{17: ""},
		Attrs:    op.Attrs(op.Int("output_datatype", 1)),
		Shape: func(c *op.Infer) error {
			bands, err := single(c.Ints, 0, "num_mel_bins")
			if err != nil {
				return err
			}
			length, err := single(c.Ints, 1, "dft_length")
			if err != nil {
				return err
			}
			d, err := outputType(c.Attr)
			if err != nil {
				return err
			}
			if bands < 0 || length < 1 {
				return errs.New(errs.Shape, "num_mel_bins is %d and dft_length %d: they must not be negative, and the length not 0", bands, length)
			}
			out := c.Grow(0, d, 2)
			out[0], out[1] = length/2+1, bands
			_, err = out.Check(d)
			return err
		},
		Prepare: func(c *op.Context) error {
			s := &mel{}
			var err error
			if s.length, err = single(c.Ints, 1, "dft_length"); err != nil {
				return err
			}
			if s.rate, err = single(c.Ints, 2, "sample_rate"); err != nil {
				return err
			}
			if s.rate < 1 {
				return errs.New(errs.Argument, "sample_rate is %d: it must be positive", s.rate)
			}
			for i, name := range [...]string{"lower_edge_hertz", "upper_edge_hertz"} {
				v, err := c.Value(3 + i)
				if err != nil {
					return err
				}
				if v.Elements() != 1 {
					return errs.New(errs.Shape, "%s has %d elements, one expected", name, v.Elements())
				}
				wide.Load[v.DType](s.edges[i:i+1], v)
			}
			c.State = s
			c.NeedWorkspace(8 * c.Out(0).Elements())
			return nil
		},
		Run: func(c *op.Context) error {
			matrix := op.WorkspaceOf[float64](c)
			clear(matrix)
			if err := c.State.(*mel).fill(matrix, c.Out(0).Shape[1]); err != nil {
				return err
			}
			wide.Store[c.Out(0).DType](c.Out(0), matrix)
			return nil
		},
		Key: op.KeyOutput, DTypes: op.Uniform(struct{}{}, outputTypes...),
	}
})

// mel is the State of a MelWeightMatrix.
type mel struct {
	length, rate int
	edges        [2]float64 // in hertz
}

// bin returns the element of the spectrum at edge i of the bands.
func (s *mel) bin(i, bands int) (int, error) {
	low, high := 2595*math.Log10(1+s.edges[0]/700), 2595*math.Log10(1+s.edges[1]/700)
	at := low + float64(i)*(high-low)/float64(bands+2)
	hertz := 700 * (math.Pow(10, at/2595) - 1)
	k := math.Floor(float64(s.length+1) * hertz / float64(s.rate))
	if !(k >= 0 && k <= float64(s.length/2)) {
		return 0, errs.New(errs.Compute, "the edges %v and %v hertz leave the spectrum of %d samples at %d hertz", s.edges[0], s.edges[1], s.length, s.rate)
	}
	return int(k), nil
}

// fill writes a triangle for each band, from its lower edge over its centre to
// its higher edge.
func (s *mel) fill(matrix []float64, bands int) error {
	for b := range bands {
		var at [3]int
		for i := range at {
			k, err := s.bin(b+i, bands)
			if err != nil {
				return err
			}
			at[i] = k
		}
		low, centre, high := at[0], at[1], at[2]
		for k := low; k < centre; k++ {
			matrix[k*bands+b] = float64(k-low) / float64(centre-low)
		}
		matrix[centre*bands+b] = 1
		for k := centre; k < high; k++ {
			matrix[k*bands+b] = float64(high-k) / float64(high-centre)
		}
	}
	return nil
}
