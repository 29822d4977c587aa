package onnx

import (
	"encoding/binary"
	"math"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Tensor is a TensorProto. Its payload stays where it lies until Raw, CopyTo or
// Strings asks for it.
type Tensor struct {
	Name  string
	DType tensor.DType
	Dims  []int64
	Doc   string

	typeNumber uint64
	raw        []byte
	hasRaw     bool
	typed      []field // the typed *_data fields, as they came
	outside    bool    // data_location is EXTERNAL
	location   string
	offset     int64
	length     int64 // -1 where it is not stated
	files      *files
}

func (d *decoder) tensor(b []byte, t *Tensor) error {
	t.length = -1
	if d.model != nil {
		t.files = d.model.files
	}
	err := d.each(b, func(f field) (err error) {
		switch f.num {
		case 1:
			t.Dims, err = appendInts(t.Dims, f)
		case 2:
			t.typeNumber, t.DType = f.n, dtypeOf(f.n)
		case 4, 5, 6, 7, 10, 11:
			t.typed = append(t.typed, f)
		case 8:
			t.Name = text(f.b)
		case 9:
			t.raw, err = f.bytes()
			t.hasRaw = true
		case 12:
			t.Doc = text(f.b)
		case 13:
			err = d.externalData(f.b, t)
		case 14:
			t.outside = f.n == 1
		}
		return err
	})
	if err == nil && !t.DType.Valid() {
		return errs.New(errs.Model, "tensor %q has the element type %d, which ONNX does not define", t.Name, t.typeNumber)
	}
	return err
}

func (d *decoder) externalData(b []byte, t *Tensor) error {
	var kv []KeyValue
	if err := d.keyValue(b, &kv); err != nil {
		return err
	}
	var err error
	switch kv[0].Key {
	case "location":
		t.location = kv[0].Value
	case "offset":
		t.offset, err = strconv.ParseInt(kv[0].Value, 10, 64)
	case "length":
		t.length, err = strconv.ParseInt(kv[0].Value, 10, 64)
	}
	if err != nil {
		return errs.New(errs.Model, "external data of %q: %s is %q, a number expected", t.Name, kv[0].Key, kv[0].Value)
	}
	return nil
}

// Shape returns the dimensions. Errors: errs.Model for a negative one or a size
// that no memory holds.
func (t *Tensor) Shape() (tensor.Shape, error) {
	s := make(tensor.Shape, len(t.Dims))
	for i, d := range t.Dims {
		s[i] = int(d)
	}
	if _, err := s.Check(t.DType); err != nil {
		return nil, errs.New(errs.Model, "tensor %q: %w", t.Name, err)
	}
	return s, nil
}

// Payload returns the tensor's bytes in memory order where they can be read in
// place: raw or external data. ok is false where they must be decoded with
// CopyTo.
//
// Ownership: borrowed from the model. The address need not be aligned.
// Errors: errs.Model where there are fewer or more bytes than the shape takes.
func (t *Tensor) Payload() (b []byte, ok bool, err error) {
	n, err := t.size()
	if err != nil {
		return nil, false, err
	}
	switch {
	case t.outside:
		length := t.length
		if length < 0 {
			length = int64(n)
		}
		b, err = t.files.external(t.location, t.offset, length)
		if err != nil {
			return nil, false, err
		}
	case t.hasRaw:
		b = t.raw
	case t.DType == tensor.Str:
		return nil, false, t.fits(len(t.Strings())*t.DType.Width(), n)
	default:
		return nil, false, t.fits(t.typedBytes(), n)
	}
	if t.DType == tensor.Str {
		return nil, false, errs.New(errs.Model, "tensor %q: strings cannot be raw data", t.Name)
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

// typedBytes returns how many bytes of elements the typed fields hold.
func (t *Tensor) typedBytes() int {
	width, n := max(t.entryBits()/8, 1), 0
	for _, f := range t.typed {
		switch {
		case f.num != typedField[t.DType]:
		case f.kind != protowire.BytesType:
			n += width
		case f.num == 4 || f.num == 10:
			n += len(f.b)
		default:
			for _, b := range f.b {
				if b < 0x80 { // the last byte of a varint
					n += width
				}
			}
		}
	}
	return n
}

func (t *Tensor) size() (int, error) {
	s, err := t.Shape()
	if err != nil {
		return 0, err
	}
	return t.DType.Bytes(s.Elements()), nil
}

// typedField is the field of TensorProto that holds the elements of each type
// where they are not raw, and how many entries an element takes.
var typedField = map[tensor.DType]protowire.Number{
	tensor.F32: 4, tensor.C64: 4, tensor.F64: 10, tensor.C128: 10, tensor.Str: 6, tensor.I64: 7,
	tensor.U32: 11, tensor.U64: 11,
	tensor.I32: 5, tensor.I16: 5, tensor.I8: 5, tensor.U16: 5, tensor.U8: 5, tensor.Bool: 5, tensor.F16: 5, tensor.BF16: 5,
	tensor.F8E4M3FN: 5, tensor.F8E4M3UZ: 5, tensor.F8E5M2: 5, tensor.F8E5M2UZ: 5, tensor.F8E8M0: 5,
	tensor.U4: 5, tensor.I4: 5, tensor.F4E2M1: 5, tensor.U2: 5, tensor.I2: 5,
}

// CopyTo writes the elements to dst, which has exactly the bytes that the shape
// takes, in native order and packed below a byte.
//
// Errors: errs.Model where the payload does not fit the shape.
func (t *Tensor) CopyTo(dst []byte) error {
	b, ok, err := t.Payload()
	if err != nil {
		return err
	}
	if ok {
		copy(dst, b)
		return nil
	}
	w := writer{dst: dst, width: max(t.entryBits()/8, 1)}
	for _, f := range t.typed {
		if f.num != typedField[t.DType] {
			continue
		}
		if err := w.field(f); err != nil {
			return in(err, "tensor %q", t.Name)
		}
	}
	return t.fits(w.at+w.over, len(dst))
}

// entryBits returns how many bits of each entry of the typed field belong to
// the tensor: complex numbers are two entries, packed types one for each byte.
func (t *Tensor) entryBits() int {
	if t.DType == tensor.C64 || t.DType == tensor.C128 {
		return t.DType.Bits() / 2
	}
	return t.DType.Bits()
}

// writer writes the entries of typed fields in little-endian order.
type writer struct {
	dst   []byte
	at    int
	width int
	over  int // bytes that did not fit
}

func (w *writer) put(v uint64) {
	if w.at+w.width > len(w.dst) {
		w.over += w.width
		return
	}
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], v)
	w.at += copy(w.dst[w.at:], b[:w.width])
}

// field writes all entries of one occurrence of the field.
func (w *writer) field(f field) error {
	if f.kind != protowire.BytesType {
		w.put(f.n)
		return nil
	}
	if f.num == 4 || f.num == 10 { // packed fixed-width numbers lie as in memory
		if len(f.b)%w.width != 0 {
			return errs.New(errs.Model, "%d bytes of packed numbers are no multiple of %d", len(f.b), w.width)
		}
		n := copy(w.dst[w.at:], f.b)
		w.at += n
		w.over += len(f.b) - n
		return nil
	}
	for b := f.b; len(b) > 0; {
		v, n := protowire.ConsumeVarint(b)
		if n < 0 {
			return errs.New(errs.Model, "a packed list is broken: %v", protowire.ParseError(n))
		}
		w.put(v)
		b = b[n:]
	}
	return nil
}

// Strings returns the elements of a string tensor, which alias the model.
func (t *Tensor) Strings() [][]byte {
	var list [][]byte
	for _, f := range t.typed {
		if f.num == 6 && f.kind == protowire.BytesType {
			list = append(list, f.b)
		}
	}
	return list
}

func appendFloats(dst []float32, f field) ([]float32, error) {
	if f.kind == protowire.Fixed32Type {
		return append(dst, math.Float32frombits(uint32(f.n))), nil
	}
	b, err := f.bytes()
	if err != nil {
		return dst, err
	}
	if len(b)%4 != 0 {
		return dst, errs.New(errs.Model, "%d bytes of packed floats are no multiple of 4", len(b))
	}
	for ; len(b) > 0; b = b[4:] {
		dst = append(dst, math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	return dst, nil
}
