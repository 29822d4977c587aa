package arrowio

import (
	"github.com/apache/arrow-go/v18/arrow"

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

// textSize returns the bytes of the strings of a batch, as its buffers have them.
func textSize(b arrow.RecordBatch) int64 {
	var n int64
	for _, c := range b.Columns() {
		n += textOf(c.Data())
	}
	return n
}

func textOf(d arrow.ArrayData) int64 {
	var n int64
	if isText(d.DataType()) && len(d.Buffers()) > 1 {
		texts := 2
		if d.DataType().ID() == arrow.STRING_VIEW {
			texts = 1 // views have short strings in them
		}
		for _, b := range d.Buffers()[min(texts, len(d.Buffers())):] {
			if b != nil {
				n += int64(b.Len())
			}
		}
	}
	for _, c := range d.Children() {
		n += textOf(c)
	}
	if d.DataType().ID() == arrow.DICTIONARY && d.Dictionary() != nil {
		n += textOf(d.Dictionary())
	}
	return n
}

// Size returns the bytes of the buffers of a batch.
func Size(b arrow.RecordBatch) int64 {
	var n int64
	for _, c := range b.Columns() {
		n += sizeOf(c.Data())
	}
	return n
}

func sizeOf(d arrow.ArrayData) int64 {
	var n int64
	for _, b := range d.Buffers() {
		if b != nil {
			n += int64(b.Len())
		}
	}
	for _, c := range d.Children() {
		n += sizeOf(c)
	}
	if d.DataType().ID() == arrow.DICTIONARY {
		n += sizeOf(d.Dictionary())
	}
	return n
}
