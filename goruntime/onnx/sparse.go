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

func (d *decoder) sparse(m span, s *SparseTensor) *fault {
	return d.each(m, func(f field) (err *fault) {
		switch f.tag {
		case 1<<3 | delimited:
			return d.tensor(f.span, &s.Values).in("values")
		case 2<<3 | delimited:
			return d.tensor(f.span, &s.Indices).in("indices")
		case 3<<3 | varint, 3<<3 | delimited:
			s.Dims, err = d.appendInts(s.Dims, f)
			err = err.in("dims")
		}
		return err
	})
}

// Name returns the name of the tensor, which is that of its values.
func (s *SparseTensor) Name() string { return s.Values.Name }

// dense returns the tensor that s stands for, without a payload.
func (s *SparseTensor) dense() *Tensor {
	return &Tensor{Name: s.Values.Name, DType: s.Values.DType, typeNumber: s.Values.typeNumber, Dims: s.Dims}
}

// Shape returns the shape of the dense tensor.
func (s *SparseTensor) Shape() (tensor.Shape, error) { return s.dense().Shape() }

// CopyTo writes the dense tensor to dst, which has the bytes that its shape
// takes.
//
// Errors: errs.Model for indices outside the shape or of another count than the
// values, errs.Unsupported for strings.
func (s *SparseTensor) CopyTo(dst []byte) error {
	want, err := s.dense().size()
	if err != nil {
		return err
	}
	bits := s.Values.DType.Bits()
	if s.Values.DType == tensor.Str {
		return errs.New(errs.Unsupported, "sparse tensor %q of strings: a sparse tensor has numbers", s.Name())
	}
	if len(dst) != want {
		return errs.New(errs.Argument, "%d bytes given, sparse tensor %q takes %d", len(dst), s.Name(), want)
	}
	values, err := s.Values.bytes()
	if err != nil {
		return err
	}
	n, err := s.Values.Elements()
	if err != nil {
		return err
	}
	at, err := s.positions(n)
	if err != nil {
		return err
	}
	clear(dst)
	for i, p := range at {
		if bits >= 8 {
			width := bits / 8
			copy(dst[p*width:(p+1)*width], values[i*width:])
			continue
		}
		tensor.SetCode(dst, p, bits, tensor.Code(values, i, bits))
	}
	return nil
}

// bytes returns the elements, decoded where they cannot be read in place.
func (t *Tensor) bytes() ([]byte, error) {
	b, ok, err := t.Payload()
	if ok || err != nil {
		return b, err
	}
	n, err := t.size()
	if err != nil {
		return nil, err
	}
	b = make([]byte, n)
	return b, t.CopyTo(b)
}

// positions returns the linear index of each of the n values.
func (s *SparseTensor) positions(n int) ([]int, error) {
	if s.Indices.DType != tensor.I64 {
		return nil, errs.New(errs.Model, "the indices of sparse tensor %q are %v, i64 expected", s.Name(), s.Indices.DType)
	}
	shape, err := s.Shape()
	if err != nil {
		return nil, err
	}
	raw, err := s.Indices.bytes()
	if err != nil {
		return nil, err
	}
	coords := len(s.Indices.Dims) == 2
	limits := []int{shape.Elements()} // of linear indices
	if coords {
		limits = shape
	}
	if len(raw)/8 != n*len(limits) {
		return nil, errs.New(errs.Model, "sparse tensor %q has %d values and %d indices, %d expected", s.Name(), n, len(raw)/8, n*len(limits))
	}
	at := make([]int, n)
	for i := range at {
		for _, limit := range limits {
			v := int64(binary.LittleEndian.Uint64(raw))
			if raw = raw[8:]; v < 0 || v >= int64(limit) {
				return nil, errs.New(errs.Model, "sparse tensor %q: index %d of value %d is outside [0, %d)", s.Name(), v, i, limit)
			}
			at[i] = at[i]*limit + int(v)
		}
	}
	return at, nil
}
