package onnx

import (
	"encoding/binary"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// SparseTensor is a SparseTensorProto: the values that are not zero, and where
// they lie, as linear indices or as coordinates.
type SparseTensor struct {
	Values  Tensor
	Indices Tensor
	Dims    []int64
}

func (d *decoder) sparse(b []byte, s *SparseTensor) error {
	return d.each(b, func(f field) (err error) {
		switch f.num {
		case 1:
			return in(d.tensor(f.b, &s.Values), "values")
		case 2:
			return in(d.tensor(f.b, &s.Indices), "indices")
		case 3:
			s.Dims, err = appendInts(s.Dims, f)
		}
		return err
	})
}

// Name returns the name of the tensor, which is that of its values.
func (s *SparseTensor) Name() string { return s.Values.Name }

// Shape returns the shape of the dense tensor.
func (s *SparseTensor) Shape() (tensor.Shape, error) {
	t := Tensor{Name: s.Values.Name, DType: s.Values.DType, Dims: s.Dims}
	return t.Shape()
}

// CopyTo writes the dense tensor to dst, which has the bytes that its shape
// takes. Types below a byte and strings are not defined for sparse tensors.
//
// Errors: errs.Model for indices outside the shape or of another count.
func (s *SparseTensor) CopyTo(dst []byte) error {
	shape, err := s.Shape()
	if err != nil {
		return err
	}
	width := s.Values.DType.Width()
	if width == 0 || s.Values.DType == tensor.Str {
		return errs.New(errs.Unsupported, "sparse tensor %q of %v", s.Name(), s.Values.DType)
	}
	n, err := s.Values.size()
	if err != nil {
		return err
	}
	if _, _, err := s.Values.Payload(); err != nil {
		return err
	}
	at, err := s.positions(shape, n/width)
	if err != nil {
		return err
	}
	values := make([]byte, n)
	if err := s.Values.CopyTo(values); err != nil {
		return err
	}
	clear(dst)
	for i, p := range at {
		copy(dst[p*width:(p+1)*width], values[i*width:])
	}
	return nil
}

// positions returns the linear index of each of the n values.
func (s *SparseTensor) positions(shape tensor.Shape, n int) ([]int, error) {
	if s.Indices.DType != tensor.I64 {
		return nil, errs.New(errs.Model, "the indices of sparse tensor %q are %v, i64 expected", s.Name(), s.Indices.DType)
	}
	size, err := s.Indices.size()
	if err != nil {
		return nil, err
	}
	coords := len(s.Indices.Dims) == 2
	per := 1
	if coords {
		per = len(shape)
	}
	if size != 8*n*per {
		return nil, errs.New(errs.Model, "sparse tensor %q has %d values and %d indices, %d expected", s.Name(), n, size/8, n*per)
	}
	if _, _, err := s.Indices.Payload(); err != nil {
		return nil, err
	}
	raw := make([]byte, size)
	if err := s.Indices.CopyTo(raw); err != nil {
		return nil, err
	}
	total := shape.Elements()
	at := make([]int, n)
	for i := range at {
		for k := range per {
			v := int(int64(binary.LittleEndian.Uint64(raw[8*(i*per+k):])))
			limit := total
			if coords {
				limit = shape[k]
			}
			if v < 0 || v >= limit {
				return nil, errs.New(errs.Model, "sparse tensor %q: index %d of value %d is outside [0, %d)", s.Name(), v, i, limit)
			}
			if coords {
				at[i] = at[i]*limit + v
			} else {
				at[i] = v
			}
		}
	}
	return at, nil
}
