package flight

import (
	"bytes"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"pgregory.net/rapid"
)

// one is a reader of the messages of one batch.
type one struct{ list []*ipc.Message }

func (o *one) Message() (*ipc.Message, error) {
	m := o.list[0]
	o.list = o.list[1:]
	return m, nil
}
func (*one) Retain()  {}
func (*one) Release() {}

// What is encoded here is read by Arrow as the batch that it was.
func TestRecordsAreReadByArrow(t *testing.T) {
	var r records
	rapid.Check(t, func(t *rapid.T) {
		b := drawBatch(t)
		defer b.Release()
		var body []byte
		header, err := r.encode(b, func(part []byte) { body = append(body, part...) })
		if err != nil {
			t.Fatal(err)
		}
		again, err := r.encode(b, func([]byte) {})
		if err != nil || !bytes.Equal(again, header) {
			t.Fatalf("the same batch again has the header %x, %v, want %x", again, err, header)
		}
		schema := ipc.GetSchemaPayload(b.Schema(), memory.DefaultAllocator)
		defer schema.Release()
		none := memory.NewBufferBytes(nil)
		record := ipc.NewMessage(memory.NewBufferBytes(bytes.Clone(header)), memory.NewBufferBytes(body))
		if n := record.BodyLen(); n != int64(len(body)) {
			t.Fatalf("the header says %d bytes of body, %d were written", n, len(body))
		}
		if err := checkHeader(header); err != nil {
			t.Fatal(err)
		}
		in, err := ipc.NewReaderFromMessageReader(&one{[]*ipc.Message{ipc.NewMessage(schema.Meta(), none), record}})
		if err != nil {
			t.Fatal(err)
		}
		got, err := in.Read()
		if err != nil {
			t.Fatal(err)
		}
		if err := array.ValidateRecordFull(got); err != nil {
			t.Fatal(err)
		}
		if !array.RecordEqual(got, b) {
			t.Fatalf("read as %v, written from %v", got, b)
		}
	})
}

// drawBatch draws a batch of plain columns, or a slice of one, as those of a batch that
// was split are.
func drawBatch(t *rapid.T) arrow.RecordBatch {
	types := []arrow.DataType{
		arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Float64, arrow.FixedWidthTypes.Float16,
		arrow.FixedSizeListOf(3, arrow.PrimitiveTypes.Int16), arrow.FixedSizeListOf(2, arrow.FixedSizeListOf(5, arrow.PrimitiveTypes.Float32)),
	}
	fields := rapid.SliceOfN(rapid.SampledFrom(types), 1, 4).Draw(t, "types")
	rows := rapid.IntRange(0, 20).Draw(t, "rows")
	var list []arrow.Field
	var columns []arrow.Array
	for i, kind := range fields {
		list = append(list, arrow.Field{Name: string(rune('a' + i)), Type: kind})
		data := filledData(t, kind, rows)
		columns = append(columns, array.MakeFromData(data))
	}
	whole := array.NewRecordBatch(arrow.NewSchema(list, nil), columns, int64(rows))
	lo := rapid.IntRange(0, rows).Draw(t, "first")
	hi := rapid.IntRange(lo, rows).Draw(t, "end")
	return whole.NewSlice(int64(lo), int64(hi))
}

// filledData returns n values of a plain type, of bytes that are drawn.
func filledData(t *rapid.T, kind arrow.DataType, n int) arrow.ArrayData {
	if list, ok := kind.(*arrow.FixedSizeListType); ok {
		child := filledData(t, list.Elem(), n*int(list.Len()))
		return array.NewData(kind, n, []*memory.Buffer{nil}, []arrow.ArrayData{child}, 0, 0)
	}
	size := n * kind.(arrow.FixedWidthDataType).BitWidth() / 8
	text := make([]byte, size)
	step := rapid.ByteRange(1, 60).Draw(t, "step")
	for i := range text {
		text[i] = (byte(i) * step) & 0x3f // no NaN, which equals nothing
	}
	return array.NewData(kind, n, []*memory.Buffer{nil, memory.NewBufferBytes(text)}, nil, 0, 0)
}

func TestRecordsAllocateNothing(t *testing.T) {
	b := rowsOf(make([]float32, 70))
	defer b.Release()
	var r records
	encode := func() {
		if _, err := r.encode(b, func([]byte) {}); err != nil {
			t.Fatal(err)
		}
	}
	encode()
	if n := testing.AllocsPerRun(100, encode); n != 0 {
		t.Errorf("%v allocations for a batch", n)
	}
}

// A segment that ended serves the next buffer; one that was forgotten ends by itself,
// which TestClientsThatDieWithAnswersOnTheWay sees.
func TestSegmentsAreUsedAgain(t *testing.T) {
	b := batchX(1, 2, 3)
	defer b.Release()
	var list segments
	h := newHold(b)
	first := list.take(h, []byte{1})
	second := list.take(h, []byte{2})
	if first == second {
		t.Fatal("two buffers have one segment")
	}
	first.Put(nil)
	first.Put(nil) // ended already
	h.done()
	if n := h.left.Load(); n != 1 {
		t.Errorf("%d parts are left, want that of the second buffer", n)
	}
	next := newHold(b)
	if third := list.take(next, []byte{3}); third != first || third.part[0] != 3 {
		t.Error("the segment that ended is not used again")
	}
	second.Put(nil)
	if h.left.Load() != 0 || next.left.Load() != 2 {
		t.Errorf("%d and %d parts are left, want 0 and 2", h.left.Load(), next.left.Load())
	}
}
