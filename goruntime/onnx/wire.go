package onnx

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/goruntime/goruntime/goruntime/errs"
)

// MaxDepth is how deep messages may nest: protobuf's own limit.
const MaxDepth = 100

// The wire types that onnx.proto uses, as the low bits of a tag: a field is
// told by its number and wire type together, so that a known number with
// another wire type is an unknown field, as it is for protobuf.
const (
	varint    = uint64(protowire.VarintType)
	fixed64   = uint64(protowire.Fixed64Type)
	delimited = uint64(protowire.BytesType)
	fixed32   = uint64(protowire.Fixed32Type)
)

// span is a range of the decoder's bytes.
type span struct{ lo, hi int }

func (s span) len() int { return s.hi - s.lo }

// field is one field of a message: its tag, where it lies, and its number or the
// place of its bytes.
type field struct {
	tag        uint64
	start, end int // with the tag
	n          uint64
	span
}

// shift moves the positions of f by n.
func (f *field) shift(n int) {
	f.start += n
	f.end += n
	f.lo += n
	f.hi += n
}

func (f field) num() protowire.Number { return protowire.Number(f.tag >> 3) }

// decoder reads messages from buf and carries what is the same for all of them.
type decoder struct {
	buf   []byte
	depth int
	files *files

	names   strings.Builder
	strings slab[string]
	attrs   slab[Attr]
	ints    slab[int64]
}

// bytes returns a range of the input without room to grow: to append to it must
// not write to the input.
func (d *decoder) bytes(s span) []byte { return d.buf[s.lo:s.hi:s.hi] }

func (d *decoder) whole() span { return span{0, len(d.buf)} }

// text returns a copy of a range, which outlives the input. Short texts share
// allocations.
func (d *decoder) text(s span) string {
	const least, most = 256, 16 << 10
	b := d.bytes(s)
	if len(b) > most/16 {
		return string(b)
	}
	if room := d.names.Cap() - d.names.Len(); room < len(b) {
		size := min(max(2*d.names.Cap(), least, len(b)), most)
		d.names.Reset()
		d.names.Grow(size)
	}
	start := d.names.Len()
	d.names.Write(b)
	return d.names.String()[start:]
}

// each calls f with every field of the message m, in order.
func (d *decoder) each(m span, f func(field) *fault) *fault {
	if d.depth >= MaxDepth {
		return faultAt(m.lo, "messages nest more than %d deep", MaxDepth)
	}
	d.depth++
	defer func() { d.depth-- }()
	for m.lo < m.hi {
		fl, n := next(d.buf[m.lo:m.hi])
		if n < 0 {
			return faultAt(m.lo, "broken field: %s", cause(n))
		}
		fl.shift(m.lo)
		m.lo = fl.end
		if err := f(fl); err != nil {
			return err
		}
	}
	return nil
}

// next reads the first field of b. Positions are relative to b; n is the length
// of the field or a protowire error.
func next(b []byte) (f field, n int) {
	if len(b) >= 2 && b[0] < 0x80 && b[1] < 0x80 && b[0] >= 1<<3 { // the most frequent: a short field
		size := 2 + int(b[1])
		switch tag := uint64(b[0]); {
		case tag&7 == delimited && size <= len(b):
			return field{tag: tag, end: size, span: span{2, size}}, size
		case tag&7 == varint:
			return field{tag: tag, end: 2, n: uint64(b[1])}, 2
		}
	}
	tag, n := protowire.ConsumeVarint(b)
	if n < 0 {
		return f, n
	}
	if num := tag >> 3; num < 1 || num > uint64(protowire.MaxValidNumber) {
		_, _, n = protowire.ConsumeTag(b)
		return f, min(n, -1)
	}
	f.tag = tag
	var m int
	switch tag & 7 {
	case varint:
		f.n, m = protowire.ConsumeVarint(b[n:])
	case fixed32:
		var v uint32
		v, m = protowire.ConsumeFixed32(b[n:])
		f.n = uint64(v)
	case fixed64:
		f.n, m = protowire.ConsumeFixed64(b[n:])
	case delimited:
		var v []byte
		v, m = protowire.ConsumeBytes(b[n:])
		f.lo = n + m - len(v)
		f.hi = n + m
	default:
		m = protowire.ConsumeFieldValue(f.num(), protowire.Type(tag&7), b[n:])
	}
	if m < 0 {
		return f, m
	}
	f.end = n + m
	return f, n + m
}

// varints returns how many varints end in b.
func varints(b []byte) int {
	n := 0
	for _, c := range b {
		if c < 0x80 {
			n++
		}
	}
	return n
}

// counts says how often each of a few tags occurs in a message.
type counts [5]int

// count counts the fields of m with each of the tags, so that lists are
// allocated once. It stops at what it cannot read: each reports that.
func (d *decoder) count(m span, tags ...uint64) (c counts) {
	for m.lo < m.hi {
		f, n := next(d.buf[m.lo:m.hi])
		if n < 0 {
			break
		}
		for i, tag := range tags {
			if f.tag == tag {
				c[i]++
			}
		}
		m.lo += n
	}
	return c
}

// slab hands out short lists from longer allocations, which grow with what was
// asked for.
type slab[T any] struct {
	free []T
	size int
}

// take returns an empty list with room for exactly n.
func (s *slab[T]) take(n int) []T {
	const block = 64
	if n == 0 {
		return nil
	}
	if n >= block/2 {
		return make([]T, 0, n)
	}
	if len(s.free) < n {
		s.size = min(max(2*s.size, n), block)
		s.free = make([]T, s.size)
	}
	list := s.free[:0:n]
	s.free = s.free[n:]
	return list
}

// fault is what is wrong with the input, and where.
type fault struct {
	path string // "graph.node[3].attribute[0]", built from the inside out
	at   int
	msg  string
}

func faultAt(at int, format string, args ...any) *fault {
	return &fault{at: at, msg: fmt.Sprintf(format, args...)}
}

// in puts the name of a part before the path.
func (e *fault) in(part string) *fault {
	if e != nil {
		e.prefix(part)
	}
	return e
}

// item puts the name of a list's element before the path.
func (e *fault) item(list string, i int) *fault {
	if e != nil {
		e.prefixItem(list, i)
	}
	return e
}

func (e *fault) prefixItem(list string, i int) { e.prefix(fmt.Sprintf("%s[%d]", list, i)) }

func (e *fault) prefix(part string) {
	if e.path != "" {
		part += "."
	}
	e.path = part + e.path
}

// error returns the fault as the error that the caller sees.
//
// what names the message that was read, for a fault outside its parts.
func (e *fault) error(what string) error {
	if e.path != "" {
		what = e.path
	}
	return errs.New(errs.Model, "%s at byte %d: %s", what, e.at, e.msg)
}

// cause returns what a negative length from protowire says, without the prefix:
// the space in it differs from build to build.
func cause(n int) string {
	return strings.TrimSpace(strings.TrimPrefix(protowire.ParseError(n).Error(), "proto:"))
}
