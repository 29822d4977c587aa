package flight

import (
	"context"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	aflight "github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/klauspost/compress/zstd"

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit"
)

func TestCompressedBatchesAreScored(t *testing.T) {
	r := start(t, Options{}, nil, "double")
	c := r.connect(nil)
	for name, option := range map[string]ipc.Option{"lz4": ipc.WithLZ4(), "zstd": ipc.WithZstd()} {
		s, err := c.DoExchange(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		w := aflight.NewRecordWriter(s, ipc.WithSchema(schemaX), option)
		w.SetFlightDescriptor(&aflight.FlightDescriptor{Type: aflight.DescriptorPATH, Path: []string{"double"}})
		k := &talk{stream: s, w: w}
		m, err := r.repository.Get("double", "")
		if err != nil {
			t.Fatal(err)
		}
		before := m.session.IO().Stats()
		for i := range 5 {
			xs := make([]float32, 1+1000*i)
			want := make([]float32, len(xs))
			for j := range xs {
				xs[j] = float32(j % (1 + 100*i))
				want[j] = 2 * xs[j]
			}
			if got, err := k.ask("", xs...); err != nil || !slices.Equal(got, want) {
				t.Errorf("%s, %d rows: %d values, %v", name, len(xs), len(got), err)
			}
		}
		after := m.session.IO().Stats()
		for _, why := range []arena.CopyReason{arena.CopyReceive, arena.CopyDecompress, arena.CopySend} {
			if n := after.Copies[why] - before.Copies[why]; n != 5 {
				t.Errorf("%s: %d copies %v for 5 batches", name, n, why)
			}
		}
		m.leave()
		k.end()
	}
}

// compressed returns the header and body of a compressed batch of strings and numbers,
// some of whose buffers are not smaller compressed.
func compressed(t testing.TB, option ipc.Option) (header, body []byte) {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{schemaX.Field(0), {Name: "s", Type: arrow.BinaryTypes.String, Nullable: true}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	b.Field(0).(*array.Float32Builder).AppendValues(make([]float32, 1000), nil)
	for range 1000 {
		b.Field(1).(*array.StringBuilder).Append("word")
	}
	batch := b.NewRecordBatch()
	defer batch.Release()
	r := &recorder{}
	if err := aflight.NewRecordWriter(r, ipc.WithSchema(schema), option).Write(batch); err != nil {
		t.Fatal(err)
	}
	w := newWire(0)
	defer w.io.Close()
	m := &received{}
	if err := w.Unmarshal(sliceOf(r.list[1]), m); err != nil {
		t.Fatal(err)
	}
	defer m.body.Release()
	return m.header, slices.Clone(m.bytes())
}

// What a compressed buffer claims is compared with the limit before anything is
// decompressed, and with what there is.
func TestClaimsOfCompressedBuffers(t *testing.T) {
	testkit.NoLeaks(t)
	io := arena.NewIO(arena.Options{})
	defer io.Close()
	for name, option := range map[string]ipc.Option{"lz4": ipc.WithLZ4(), "zstd": ipc.WithZstd()} {
		header, body := compressed(t, option)
		batch, ok := compressedBatch(header)
		if !ok {
			t.Fatal("the batch is not compressed")
		}
		buffers, _, err := batch.vector(batchBuffers, 16)
		if err != nil {
			t.Fatal(err)
		}
		second := int(buffers) + 16 // the first is the empty validity of x
		claim := flatbuffers.GetInt64(header[second:])
		for _, k := range []struct {
			name   string
			limit  int64
			damage func(header, body []byte)
			text   string
		}{
			{"nothing", 1 << 20, func(_, _ []byte) {}, ""},
			{"a terabyte", 1 << 20, func(_, b []byte) { binary.LittleEndian.PutUint64(b[claim:], 1<<40) }, "at most 1048576 allowed"},
			{"a negative length", 1 << 20, func(_, b []byte) { binary.LittleEndian.PutUint64(b[claim:], 1<<63) }, "at most 1048576 allowed"},
			{"more than there is", 1 << 20, func(_, b []byte) { binary.LittleEndian.PutUint64(b[claim:], 4001) }, "says it has 4001 bytes"},
			{"less than there is", 1 << 20, func(_, b []byte) { binary.LittleEndian.PutUint64(b[claim:], 3999) }, "says it has 3999 bytes"},
			{"all buffers together", 8000, func(_, _ []byte) {}, "more than the 8000 bytes"},
			{"a place outside", 1 << 20, func(h, _ []byte) { flatbuffers.WriteInt64(h[second:], 1<<40) }, "in a body of"},
			{"a negative place", 1 << 20, func(h, _ []byte) { flatbuffers.WriteInt64(h[second:], -8) }, "in a body of"},
			{"no room for a claim", 1 << 20, func(h, _ []byte) { flatbuffers.WriteInt64(h[second+8:], 3) }, "a compressed buffer of 3 bytes"},
			{"bytes that are no frame", 1 << 20, func(_, b []byte) { clear(b[claim+8:]) }, "says it has 4000 bytes"},
		} {
			h, b := slices.Clone(header), slices.Clone(body)
			k.damage(h, b)
			msg, err := newMessage(h, memory.NewBufferBytes(b), expander{io, k.limit})
			switch {
			case k.text == "" && err != nil:
				t.Errorf("%s, %s: %v", name, k.name, err)
			case k.text == "" && msg.expanded < 8000:
				t.Errorf("%s: expanded to %d bytes", name, msg.expanded)
			case k.text != "" && (errs.CodeOf(err) != errs.Argument || !strings.Contains(err.Error(), k.text)):
				t.Errorf("%s, %s: %v, want %q", name, k.name, err, k.text)
			}
			if err == nil {
				msg.Release()
			}
			if n := io.Stats().LiveBlocks; n != 0 {
				t.Fatalf("%s, %s: %d blocks are kept", name, k.name, n)
			}
		}
	}
}

// A client may compress a buffer of no bytes, which then has some.
func TestACompressedBufferOfNothing(t *testing.T) {
	e, err := zstd.NewWriter(nil, zstd.WithZeroFrames(true))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		codec byte
		frame []byte
	}{
		{"lz4", codecLZ4, []byte("\x04\x22\x4d\x18\x60\x40\x82\x00\x00\x00\x00")}, // a header and the end mark
		{"zstd", codecZstd, e.EncodeAll(nil, nil)},
	} {
		p := part{from: c.frame}
		if err := p.expand(c.codec, []byte{}); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// A compressed message of any bytes is expanded within the limit or refused.
func FuzzExpand(f *testing.F) {
	for _, option := range []ipc.Option{ipc.WithLZ4(), ipc.WithZstd()} {
		header, body := compressed(f, option)
		f.Add(header, body)
	}
	f.Fuzz(func(t *testing.T, header, body []byte) {
		io := arena.NewIO(arena.Options{})
		defer io.Close()
		msg, err := newMessage(slices.Clone(header), memory.NewBufferBytes(body), expander{io, 1 << 20})
		if err != nil {
			return
		}
		if msg.expanded > 1<<20 {
			t.Errorf("expanded to %d bytes", msg.expanded)
		}
		msg.Release()
		if n := io.Stats().LiveBlocks; n != 0 {
			t.Errorf("%d blocks are kept", n)
		}
	})
}
