package flight

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/goruntime/goruntime/goruntime/errs"
)

// How a message of a batch is written (Message.fbs, Schema.fbs).
const (
	metadataV5                = 4
	recordSlots, messageSlots = 3, 4
	structSize, structAlign   = 16, 8
	bodyAlign                 = 8
)

// records encodes batches whose columns are numbers without nulls, or fixed-size lists of
// them, which is what nearly all answers are. ipc.Writer does so too, for batches of any
// kind, with some tens of allocations each, which is most of the work that an answer of
// a few rows is.
type records struct {
	b       *flatbuffers.Builder
	nodes   []int64 // rows of each array, the outer before the inner
	buffers []extent
	written written
}

// written is what the header that the builder holds was written for: batches of a stream
// are mostly as long as the one before.
type written struct {
	rows    int64
	nodes   []int64
	buffers []extent
}

// extent is where a buffer lies in a body.
type extent struct{ at, size int64 }

// plain reports whether all columns of a schema are numbers or fixed-size lists of them.
func plain(schema *arrow.Schema) bool {
	for _, f := range schema.Fields() {
		t := f.Type
		for {
			list, ok := t.(*arrow.FixedSizeListType)
			if !ok {
				break
			}
			t = list.Elem()
		}
		if !arrow.IsPrimitive(t.ID()) || t.ID() == arrow.BOOL {
			return false
		}
	}
	return true
}

// encode returns the header of a batch of a plain schema, good until the next one, and
// hands the parts of its body to write as they lie.
//
// Errors: errs.Internal for a null.
func (r *records) encode(b arrow.RecordBatch, write func([]byte)) ([]byte, error) {
	if r.b == nil {
		r.b = flatbuffers.NewBuilder(256)
	}
	r.nodes, r.buffers = r.nodes[:0], r.buffers[:0]
	size := int64(0)
	for _, c := range b.Columns() {
		data := c.Data()
		offset, n := data.Offset(), data.Len()
		for {
			if data.NullN() > 0 {
				return nil, errs.New(errs.Internal, "an answer with a null")
			}
			r.nodes, r.buffers = append(r.nodes, int64(n)), append(r.buffers, extent{at: size})
			list, ok := data.DataType().(*arrow.FixedSizeListType)
			if !ok {
				break
			}
			k := int(list.Len())
			data = data.Children()[0]
			offset, n = data.Offset()+offset*k, n*k
		}
		part := values(data, offset, n)
		r.buffers = append(r.buffers, extent{size, int64(len(part))})
		if len(part) > 0 {
			write(part)
		}
		if rest := -len(part) & (bodyAlign - 1); rest > 0 {
			write(padding[:rest])
		}
		size += int64(len(part)+bodyAlign-1) &^ (bodyAlign - 1)
	}
	return r.header(b.NumRows(), size), nil
}

var padding [bodyAlign]byte

// values returns the bytes of n numbers from offset on.
func values(data arrow.ArrayData, offset, n int) []byte {
	width := data.DataType().(arrow.FixedWidthDataType).BitWidth() / 8
	if buffer := data.Buffers()[1]; buffer != nil && n > 0 {
		return buffer.Bytes()[offset*width : (offset+n)*width : (offset+n)*width]
	}
	return nil
}

// header returns the message for what was gathered; flatbuffers are written from the end.
func (r *records) header(rows, size int64) []byte {
	b, w := r.b, &r.written
	if len(w.buffers) > 0 && w.rows == rows && slices.Equal(w.nodes, r.nodes) && slices.Equal(w.buffers, r.buffers) {
		return b.FinishedBytes()
	}
	w.rows, w.nodes, w.buffers = rows, append(w.nodes[:0], r.nodes...), append(w.buffers[:0], r.buffers...)
	b.Reset()
	b.StartVector(structSize, len(r.buffers), structAlign)
	for i := len(r.buffers) - 1; i >= 0; i-- {
		b.Prep(structAlign, structSize)
		b.PrependInt64(r.buffers[i].size)
		b.PrependInt64(r.buffers[i].at)
	}
	buffers := b.EndVector(len(r.buffers))
	b.StartVector(structSize, len(r.nodes), structAlign)
	for i := len(r.nodes) - 1; i >= 0; i-- {
		b.Prep(structAlign, structSize)
		b.PrependInt64(0) // nulls
		b.PrependInt64(r.nodes[i])
	}
	nodes := b.EndVector(len(r.nodes))
	b.StartObject(recordSlots)
	b.PrependInt64Slot(batchLength, rows, 0)
	b.PrependUOffsetTSlot(batchNodes, nodes, 0)
	b.PrependUOffsetTSlot(batchBuffers, buffers, 0)
	record := b.EndObject()
	b.StartObject(messageSlots)
	b.PrependInt64Slot(messageBodyLength, size, 0)
	b.PrependUOffsetTSlot(messageHeader, record, 0)
	b.PrependInt16Slot(messageVersion, metadataV5, 0)
	b.PrependByteSlot(messageHeaderType, headerRow, 0)
	b.Finish(b.EndObject())
	return b.FinishedBytes()
}
