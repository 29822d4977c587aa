package onnx

import (
	"encoding/binary"
	"iter"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// typed is the payload of a tensor in the fields of TensorProto that have the
// elements' type, as it lies on the wire: it is decoded when it is asked for.
type typed struct {
	wire []byte // that the runs lie in
	runs []run
}

// run is a stretch of adjacent fields of one number.
type run struct {
	num protowire.Number
	span
}

// The fields of TensorProto that hold elements.
const (
	floatData  protowire.Number = 4
	int32Data  protowire.Number = 5
	stringData protowire.Number = 6
	int64Data  protowire.Number = 7
	doubleData protowire.Number = 10
	uint64Data protowire.Number = 11
)

// dataField is the field that holds the elements of each type where they are
// not raw. A complex number is two entries; types below a byte have an entry for
// each byte of packed elements, but of six bits one for each element.
var dataField = [tensor.NumDTypes]protowire.Number{
	tensor.F32: floatData, tensor.C64: floatData, tensor.F64: doubleData, tensor.C128: doubleData,
	tensor.Str: stringData, tensor.I64: int64Data, tensor.U32: uint64Data, tensor.U64: uint64Data,
	tensor.I32: int32Data, tensor.I16: int32Data, tensor.I8: int32Data, tensor.U16: int32Data, tensor.U8: int32Data,
	tensor.Bool: int32Data, tensor.F16: int32Data, tensor.BF16: int32Data,
	tensor.F8E4M3FN: int32Data, tensor.F8E4M3UZ: int32Data, tensor.F8E5M2: int32Data, tensor.F8E5M2UZ: int32Data,
	tensor.F8E8M0: int32Data, tensor.F4E2M1: int32Data, tensor.F6E2M3: int32Data, tensor.F6E3M2: int32Data,
	tensor.U4: int32Data, tensor.I4: int32Data, tensor.U2: int32Data, tensor.I2: int32Data,
}

// entryWidth returns the bytes of the tensor that an entry of the field holds.
func entryWidth(dtype tensor.DType) int {
	if dtype == tensor.C64 || dtype == tensor.C128 {
		return dtype.Width() / 2
	}
	return max(dtype.Width(), 1)
}

// add notes a field of elements; it leaves others alone.
func (t *typed) add(f field) {
	switch f.tag {
	case uint64(floatData<<3) | fixed32, uint64(doubleData<<3) | fixed64,
		uint64(int32Data<<3) | varint, uint64(int64Data<<3) | varint, uint64(uint64Data<<3) | varint,
		uint64(floatData<<3) | delimited, uint64(doubleData<<3) | delimited, uint64(stringData<<3) | delimited,
		uint64(int32Data<<3) | delimited, uint64(int64Data<<3) | delimited, uint64(uint64Data<<3) | delimited:
	default:
		return
	}
	if k := len(t.runs) - 1; k >= 0 && t.runs[k].num == f.num() && t.runs[k].hi == f.start {
		t.runs[k].hi = f.end
		return
	}
	t.runs = append(t.runs, run{f.num(), span{f.start, f.end}})
}

// fields yields the fields of one number. They were read before: none is broken.
func (t *typed) fields(num protowire.Number) iter.Seq[field] {
	return func(yield func(field) bool) {
		for _, r := range t.runs {
			for at := r.lo; at < r.hi && r.num == num; {
				f, _ := next(t.wire[at:r.hi])
				f.shift(at)
				at = f.end
				if !yield(f) {
					return
				}
			}
		}
	}
}

// inPlace returns the elements where one packed field has them as memory does.
func (t *typed) inPlace(dtype tensor.DType) (b []byte, ok bool) {
	num := dataField[dtype]
	if num != floatData && num != doubleData {
		return nil, false
	}
	for f := range t.fields(num) {
		if b != nil || f.tag&7 != delimited {
			return nil, false
		}
		b = t.wire[f.lo:f.hi:f.hi]
	}
	return b, b != nil
}

// size returns how many bytes of elements the fields hold, where the tensor has so
// many. An element of six bits too many or too few counts as a byte.
func (t *typed) size(dtype tensor.DType, elements int) int {
	entries := t.entries(dtype)
	if dtype.Bits() == 6 {
		return dtype.Bytes(elements) + entries - elements
	}
	return entries * entryWidth(dtype)
}

func (t *typed) entries(dtype tensor.DType) int {
	num, entries := dataField[dtype], 0
	for f := range t.fields(num) {
		switch {
		case f.tag&7 != delimited:
			entries++
		case num == floatData:
			entries += f.len() / 4
		case num == doubleData:
			entries += f.len() / 8
		default:
			entries += varints(t.wire[f.lo:f.hi])
		}
	}
	return entries
}

// decode writes the elements to dst, which has size bytes.
func (t *typed) decode(dtype tensor.DType, dst []byte, name string) error {
	if bits := dtype.Bits(); bits == 6 {
		codes := make([]byte, t.entries(dtype))
		err := t.decode(tensor.U8, codes, name) // of the same field
		tensor.Pack(dst, codes, bits)
		return err
	}
	w := entryWriter{dst: dst, width: entryWidth(dtype), truth: dtype == tensor.Bool}
	num := dataField[dtype]
	for f := range t.fields(num) {
		if f.tag&7 != delimited {
			w.put(f.n)
			continue
		}
		b := t.wire[f.lo:f.hi]
		if num == floatData || num == doubleData {
			if len(b)%w.width != 0 {
				return errs.New(errs.Model, "tensor %q: %d bytes of packed numbers are no multiple of %d", name, len(b), w.width)
			}
			w.at += copy(dst[w.at:], b)
			continue
		}
		for len(b) > 0 {
			v, n := protowire.ConsumeVarint(b)
			if n < 0 {
				return errs.New(errs.Model, "tensor %q at byte %d: broken packed list: %s", name, f.hi-len(b), cause(n))
			}
			w.put(v)
			b = b[n:]
		}
	}
	return nil
}

// entryWriter writes the entries of a field as elements.
type entryWriter struct {
	dst   []byte
	at    int
	width int
	truth bool // entries are booleans, of which each but 0 is true
}

func (w *entryWriter) put(v uint64) {
	if w.truth && v != 0 {
		v = 1
	}
	if rest := w.dst[w.at:]; len(rest) >= 8 {
		binary.LittleEndian.PutUint64(rest, v) // the next entries overwrite what is too much
		w.at += w.width
		return
	}
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], v)
	w.at += copy(w.dst[w.at:], b[:w.width])
}

// strings returns the number of strings.
func (t *typed) strings() int {
	n := 0
	for range t.fields(stringData) {
		n++
	}
	return n
}

// list returns the strings, without room to grow.
func (t *typed) list() [][]byte {
	list := make([][]byte, 0, t.strings())
	for f := range t.fields(stringData) {
		list = append(list, t.wire[f.lo:f.hi:f.hi])
	}
	return list
}
