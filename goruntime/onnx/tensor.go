package onnx

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Tensor is a TensorProto. Its payload stays where it lies until Payload,
// CopyTo or Strings asks for it.
type Tensor struct {
	Name     string
	DType    tensor.DType
	Dims     []int64
	Doc      string
	Metadata []KeyValue

	typeNumber int32  // data_type, also where it is no DType
	hasRaw     bool   // raw is the payload
	outside    bool   // external is the payload
	segmented  bool   // holds a part of a tensor, which nothing writes
	raw        []byte // raw_data
	typed      typed  // *_data
	external   *external
}

// New returns a tensor whose payload is raw: the elements in native order and
// packed below a byte. Strings are made by NewStrings.
//
// Ownership: the tensor aliases raw.
func New(name string, dtype tensor.DType, dims []int64, raw []byte) *Tensor {
	return &Tensor{Name: name, DType: dtype, typeNumber: int32(dtype), Dims: dims, hasRaw: true, raw: raw}
}

// NewStrings returns a string tensor with copies of the elements of list.
func NewStrings(name string, dims []int64, list []string) *Tensor {
	var e encoder
	for _, s := range list {
		e.bytes(stringData, []byte(s))
	}
	t := &Tensor{Name: name, DType: tensor.Str, typeNumber: int32(tensor.Str), Dims: dims, typed: typed{wire: e.b}}
	if len(e.b) > 0 {
		t.typed.runs = []run{{stringData, span{0, len(e.b)}}}
	}
	return t
}

func (d *decoder) tensor(m span, t *Tensor) *fault {
	t.typed.wire = d.buf
	return d.each(m, func(f field) (err *fault) {
		switch f.tag {
		case 1<<3 | varint, 1<<3 | delimited:
			if t.Dims == nil {
				t.Dims = d.ints.take(min(max(f.len(), 4), 8))
			}
			t.Dims, err = d.appendInts(t.Dims, f)
			return err.in("dims")
		case 2<<3 | varint:
			t.typeNumber, t.DType = int32(f.n), dtypeOf(f.n)
		case 3<<3 | delimited:
			t.segmented = true
		case 8<<3 | delimited:
			t.Name = d.text(f.span)
		case 9<<3 | delimited:
			t.raw, t.hasRaw = d.bytes(f.span), true
		case 12<<3 | delimited:
			t.Doc = d.text(f.span)
		case 13<<3 | delimited:
			return d.externalData(f.span, t).in("external_data")
		case 14<<3 | varint:
			t.outside = f.n == 1
		case 16<<3 | delimited:
			i := len(t.Metadata)
			return d.keyValue(f.span, &t.Metadata).item("metadata_props", i)
		default:
			t.typed.add(f)
		}
		return err
	})
}

// Shape returns the dimensions.
//
// Errors: errs.Model for an unknown element type, a negative dimension or a
// size that no memory holds.
func (t *Tensor) Shape() (tensor.Shape, error) {
	if !t.DType.Valid() {
		return nil, errs.New(errs.Model, "tensor %q has the element type %d, which is none that runs here", t.Name, t.typeNumber)
	}
	s := make(tensor.Shape, len(t.Dims))
	for i, d := range t.Dims {
		s[i] = int(d)
	}
	if _, err := s.Check(t.DType); err != nil {
		return nil, errs.New(errs.Model, "tensor %q: %w", t.Name, err)
	}
	return s, nil
}

// Elements returns the number of elements; the errors are those of Shape.
func (t *Tensor) Elements() (int, error) {
	s, err := t.Shape()
	if err != nil {
		return 0, err
	}
	return s.Elements(), nil
}

// size returns the bytes that the elements take.
func (t *Tensor) size() (int, error) {
	n, err := t.Elements()
	if err != nil {
		return 0, err
	}
	return t.DType.Bytes(n), nil
}

// Payload returns the tensor's bytes in memory order where they can be read in
// place: raw and external data, and float or double data in one piece. ok is
// false where they must be decoded with CopyTo or, for strings, Strings.
//
// Ownership: borrowed from the model; never to be written. The address need not
// be aligned.
// Errors: errs.Model where there are fewer or more bytes than the shape takes.
func (t *Tensor) Payload() (b []byte, ok bool, err error) {
	n, err := t.size()
	if err != nil {
		return nil, false, err
	}
	switch {
	case t.segmented:
		return nil, false, errs.New(errs.Model, "tensor %q is a segment of a tensor: the parts of a tensor must be joined", t.Name)
	case t.DType == tensor.Str && (t.outside || t.hasRaw):
		return nil, false, errs.New(errs.Model, "tensor %q holds strings as raw or external data: they must be string data", t.Name)
	case t.outside:
		b, err = t.external.read(t.Name, int64(n))
	case t.hasRaw:
		b = t.raw
	case t.DType == tensor.Str:
		return nil, false, t.fits(t.typed.strings()*t.DType.Width(), n)
	default:
		var whole bool
		if b, whole = t.typed.inPlace(t.DType); !whole {
			elements, err := t.Elements()
			if err != nil {
				return nil, false, err
			}
			return nil, false, t.fits(t.typed.size(t.DType, elements), n)
		}
	}
	if err != nil {
		return nil, false, err
	}
	return b, true, t.fits(len(b), n)
}

// fits compares the bytes that are there with what the shape takes, so that no
// memory is asked for on a claim alone.
func (t *Tensor) fits(got, want int) error {
	if got == want {
		return nil
	}
	return errs.New(errs.Model, "tensor %q holds %d bytes of elements, shape %v of %v takes %d", t.Name, got, t.Dims, t.DType, want)
}

// CopyTo writes the elements to dst, which has exactly the bytes that the shape
// takes, in native order and packed below a byte. Strings have no bytes: see
// Strings.
//
// Errors: errs.Model where the payload does not fit the shape, errs.Argument
// where dst does not.
func (t *Tensor) CopyTo(dst []byte) error {
	b, ok, err := t.Payload()
	if err != nil {
		return err
	}
	n, err := t.size()
	if err != nil {
		return err
	}
	if t.DType == tensor.Str {
		return errs.New(errs.Type, "tensor %q holds strings, which have no bytes to copy", t.Name)
	}
	if len(dst) != n {
		return errs.New(errs.Argument, "%d bytes given, tensor %q takes %d", len(dst), t.Name, n)
	}
	if ok {
		copy(dst, b)
		return nil
	}
	return t.typed.decode(t.DType, dst, t.Name)
}

// Strings returns the elements of a string tensor, which alias the model. Their
// number may differ from what the shape takes: Payload compares them.
func (t *Tensor) Strings() [][]byte { return t.typed.list() }
