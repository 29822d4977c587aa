package onnx

import (
	"fmt"
	"unsafe"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/goruntime/goruntime/goruntime/errs"
)

// MaxDepth is how deep messages may nest: protobuf's own limit.
const MaxDepth = 100

// field is one field of a message: a number or the bytes of a length-delimited
// field.
type field struct {
	num  protowire.Number
	kind protowire.Type
	n    uint64
	b    []byte
}

// decoder carries what is the same for a whole model: the first byte, to tell
// positions, and how deep messages lie.
type decoder struct {
	base  unsafe.Pointer
	total int
	depth int
	model *Model
}

func newDecoder(b []byte) *decoder {
	return &decoder{base: unsafe.Pointer(unsafe.SliceData(b)), total: len(b)}
}

// at returns the position of the first byte of b within the model.
func (d *decoder) at(b []byte) int {
	if cap(b) == 0 {
		return d.total
	}
	// SAFETY: only the difference of two addresses is taken.
	return int(uintptr(unsafe.Pointer(unsafe.SliceData(b))) - uintptr(d.base))
}

// each calls f with every field of the message b, in order.
func (d *decoder) each(b []byte, f func(field) error) error {
	if d.depth++; d.depth > MaxDepth {
		return errs.New(errs.Model, "messages nest more than %d deep at byte %d", MaxDepth, d.at(b))
	}
	defer func() { d.depth-- }()
	for len(b) > 0 {
		num, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return errs.New(errs.Model, "bad field tag at byte %d: %v", d.at(b), protowire.ParseError(n))
		}
		start := b
		b = b[n:]
		fl := field{num: num, kind: kind}
		switch kind {
		case protowire.VarintType:
			fl.n, n = protowire.ConsumeVarint(b)
		case protowire.Fixed32Type:
			var v uint32
			v, n = protowire.ConsumeFixed32(b)
			fl.n = uint64(v)
		case protowire.Fixed64Type:
			fl.n, n = protowire.ConsumeFixed64(b)
		case protowire.BytesType:
			fl.b, n = protowire.ConsumeBytes(b)
		default:
			n = protowire.ConsumeFieldValue(num, kind, b)
		}
		if n < 0 {
			return errs.New(errs.Model, "field %d is broken at byte %d: %v", num, d.at(start), protowire.ParseError(n))
		}
		b = b[n:]
		if err := f(fl); err != nil {
			return err
		}
	}
	return nil
}

// in puts a part's name before the place that err names.
func in(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	part := fmt.Sprintf(format, args...)
	e := errs.At(err, "", "", "")
	if e.Input == "" {
		e.Input = part
	} else {
		e.Input = part + "." + e.Input
	}
	return e
}

// text returns b as a string that shares its memory.
func text(b []byte) string {
	// SAFETY: the model's bytes are never written while the model is open.
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// count returns how many fields of the message b have each of the numbers, to
// allocate lists once. It stops at what it cannot read: each reports that.
func count(b []byte, nums ...protowire.Number) []int {
	counts := make([]int, len(nums))
	for len(b) > 0 {
		num, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			break
		}
		m := protowire.ConsumeFieldValue(num, kind, b[n:])
		if m < 0 {
			break
		}
		for i, want := range nums {
			if num == want {
				counts[i]++
			}
		}
		b = b[n+m:]
	}
	return counts
}

// bytesOf returns the payload of a length-delimited field, or an error for a
// field of another wire type.
func (f *field) bytes() ([]byte, error) {
	if f.kind != protowire.BytesType {
		return nil, errs.New(errs.Model, "field %d has wire type %d, length-delimited expected", f.num, f.kind)
	}
	return f.b, nil
}

// appendInts appends a repeated varint field, packed or not.
func appendInts[T int32 | int64 | uint64](dst []T, f field) ([]T, error) {
	if f.kind == protowire.VarintType {
		return append(dst, T(f.n)), nil
	}
	b, err := f.bytes()
	if err != nil {
		return dst, err
	}
	for len(b) > 0 {
		v, n := protowire.ConsumeVarint(b)
		if n < 0 {
			return dst, errs.New(errs.Model, "a packed list of field %d is broken: %v", f.num, protowire.ParseError(n))
		}
		dst, b = append(dst, T(v)), b[n:]
	}
	return dst, nil
}
