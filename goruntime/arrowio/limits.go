package arrowio

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/goruntime/goruntime/goruntime/errs"
)

// limits compares a batch with what the manifest allows.
func (p *Plan) limits(b arrow.RecordBatch) error {
	l := p.manifest.Limits
	if l.Rows > 0 && b.NumRows() > l.Rows {
		return errs.New(errs.Argument, "%d rows given, at most %d allowed", b.NumRows(), l.Rows)
	}
	if l.Columns > 0 && b.NumCols() > int64(l.Columns) {
		return errs.New(errs.Argument, "%d columns given, at most %d allowed", b.NumCols(), l.Columns)
	}
	if l.Nesting > 0 {
		for _, f := range p.schema.Fields() {
			if _, axes := elementOf(f.Type); axes > l.Nesting {
				return errs.New(errs.Argument, "the column %q has lists %d deep, at most %d allowed", f.Name, axes, l.Nesting)
			}
		}
	}
	if l.Bytes > 0 {
		if n := Size(b); n > l.Bytes {
			return errs.New(errs.Argument, "%d bytes given, at most %d allowed", n, l.Bytes)
		}
	}
	if l.StringBytes > 0 {
		if n := textSize(b); n > l.StringBytes {
			return errs.New(errs.Argument, "%d bytes of strings given, at most %d allowed", n, l.StringBytes)
		}
	}
	return nil
}

// Size returns the bytes of the buffers of a batch.
func Size(b arrow.RecordBatch) int64 { return sum(b, buffersOf) }

// textSize returns the bytes of the strings of a batch, as its buffers have them.
func textSize(b arrow.RecordBatch) int64 { return sum(b, textsOf) }

// sum adds up what count says of the columns of a batch and of what lies in them.
func sum(b arrow.RecordBatch, count func(arrow.ArrayData) int64) int64 {
	var n int64
	for _, c := range b.Columns() {
		n += sumOf(c.Data(), count)
	}
	return n
}

func sumOf(d arrow.ArrayData, count func(arrow.ArrayData) int64) int64 {
	n := count(d)
	for _, c := range d.Children() {
		n += sumOf(c, count)
	}
	if d.DataType().ID() == arrow.DICTIONARY && d.Dictionary() != nil {
		n += sumOf(d.Dictionary(), count)
	}
	return n
}

func buffersOf(d arrow.ArrayData) int64 { return bytesOf(d.Buffers()) }

// textsOf is 0 for what is no strings.
func textsOf(d arrow.ArrayData) int64 {
	if !isText(d.DataType()) {
		return 0
	}
	texts := 2
	if d.DataType().ID() == arrow.STRING_VIEW {
		texts = 1 // views have short strings in them
	}
	return bytesOf(d.Buffers()[min(texts, len(d.Buffers())):])
}

func bytesOf(buffers []*memory.Buffer) int64 {
	var n int64
	for _, b := range buffers {
		if b != nil {
			n += int64(b.Len())
		}
	}
	return n
}
