package flight

import (
	"bytes"
	"encoding/binary"
	"io"
	"sync"
	"unsafe"

	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/errs"
)

// A compressed buffer begins with the length that it has uncompressed; this length
// says that what follows is not compressed after all.
const (
	lengthPrefix = 8
	notSmaller   = -1
)

// The codecs of a body (Message.fbs).
const (
	codecLZ4  = 0
	codecZstd = 1
)

// part is a buffer of a compressed body.
type part struct {
	at   flatbuffers.UOffsetT // of its offset and length in the header
	from []byte               // behind the prefix
	size int                  // uncompressed
	raw  bool                 // not compressed after all
}

// expander decompresses bodies into blocks of an arena. Arrow's own reader allocates
// whatever length a buffer claims, so it gets to see none that is still compressed.
type expander struct {
	io    *arena.IOArena
	limit int64 // bytes of one body, uncompressed
}

// expand returns the body of a message whose buffers are not compressed, and points
// the header at it; the header has been checked. A message that is not compressed is
// left alone: the handle is invalid then.
//
// Errors: errs.Argument for lengths beyond the body, claims that do not come true, and
// claims beyond the limit, of which nothing is decompressed.
func (x expander) expand(header, body []byte) (arena.Handle, []byte, error) {
	var (
		compressed bool
		codec      byte
		parts      []part
		total      int
	)
	err := looking(func() (err error) {
		batch, ok := compressedBatch(header)
		if compressed = ok; !ok {
			return nil
		}
		if codec, err = codecOf(batch); err == nil {
			parts, total, err = partsOf(batch, body, x.limit)
		}
		return err
	})
	if err != nil || !compressed {
		return arena.Handle{}, nil, err
	}
	h, err := x.io.Acquire(total)
	if err != nil {
		return arena.Handle{}, nil, err
	}
	// SAFETY: the block has at least total bytes and lives until it is released.
	out := unsafe.Slice((*byte)(h.Data()), total)[:total:total]
	at := 0
	for _, p := range parts {
		raw := int64(notSmaller)
		binary.LittleEndian.PutUint64(out[at:], uint64(raw))
		if err := p.expand(codec, out[at+lengthPrefix:][:p.size:p.size]); err != nil {
			h.Release()
			return arena.Handle{}, nil, err
		}
		flatbuffers.WriteInt64(header[p.at:], int64(at))
		flatbuffers.WriteInt64(header[p.at+8:], int64(lengthPrefix+p.size))
		at += lengthPrefix + padded(p.size)
	}
	return h, out, nil
}

// padded returns n with the padding that keeps every buffer at a multiple of 8.
func padded(n int) int { return (n + 7) &^ 7 }

// compressedBatch returns the batch of a message, and whether it is compressed.
func compressedBatch(header []byte) (table, bool) {
	message := rootOf(header)
	at := message.slot(messageHeaderType)
	if at == 0 {
		return table{}, false
	}
	batch, ok := message.table(messageHeader)
	if ok && header[at] == headerDictionary {
		batch, ok = batch.table(dictionaryData)
	} else if header[at] != headerRow {
		return table{}, false
	}
	return batch, ok && batch.slot(batchCompression) != 0
}

// codecOf returns the codec of a compressed batch, and writes into the header that it
// is LZ4, whose reader is cheap to make: there is nothing left for it to read.
func codecOf(batch table) (byte, error) {
	compression, ok := batch.table(batchCompression)
	if !ok {
		return 0, errs.New(errs.Argument, "a batch without the kind of its compression")
	}
	if at := compression.slot(compressionMethod); at != 0 && compression.Bytes[at] != 0 {
		return 0, errs.New(errs.Argument, "compression of kind %d, compressed buffers expected", compression.Bytes[at])
	}
	at := compression.slot(compressionCodec)
	if at == 0 {
		return codecLZ4, nil
	}
	codec := compression.Bytes[at]
	if codec != codecLZ4 && codec != codecZstd {
		return 0, errs.New(errs.Argument, "compression by codec %d, LZ4 frames or Zstandard expected", codec)
	}
	compression.Bytes[at] = codecLZ4
	return codec, nil
}

// partsOf returns the buffers of a compressed body that are not empty and the bytes
// that all of them take, at most limit.
func partsOf(batch table, body []byte, limit int64) (parts []part, total int, err error) {
	start, n, err := batch.vector(batchBuffers, 16)
	if err != nil {
		return nil, 0, err
	}
	for i := range n {
		at := start + flatbuffers.UOffsetT(16*i)
		offset, length := flatbuffers.GetInt64(batch.Bytes[at:]), flatbuffers.GetInt64(batch.Bytes[at+8:])
		if length == 0 {
			continue
		}
		if length < lengthPrefix || offset < 0 || length > int64(len(body)) || offset > int64(len(body))-length {
			return nil, 0, errs.New(errs.Argument, "a compressed buffer of %d bytes at %d in a body of %d", length, offset, len(body))
		}
		b := body[offset : offset+length]
		p := part{at: at, from: b[lengthPrefix:], size: len(b) - lengthPrefix}
		claim := int64(binary.LittleEndian.Uint64(b))
		if p.raw = claim == notSmaller; !p.raw {
			if claim < 0 || claim > limit {
				return nil, 0, errs.New(errs.Argument, "a compressed buffer says it has %d bytes, at most %d allowed", claim, limit)
			}
			p.size = int(claim)
		}
		if total += lengthPrefix + padded(p.size); int64(total) > limit {
			return nil, 0, errs.New(errs.Argument, "a compressed batch has more than the %d bytes that are allowed", limit)
		}
		parts = append(parts, p)
	}
	return parts, total, nil
}

// expand writes a buffer, uncompressed, over all of out.
func (p *part) expand(codec byte, out []byte) error {
	if p.raw {
		copy(out, p.from)
		return nil
	}
	if codec == codecZstd {
		return p.expandZstd(out)
	}
	r, _ := lz4Readers.Get().(*lz4.Reader)
	defer lz4Readers.Put(r)
	r.Reset(bytes.NewReader(p.from))
	if _, err := io.ReadFull(r, out); err != nil {
		return p.failed(err)
	}
	if n, err := r.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		return p.failed(err)
	}
	return nil
}

func (p *part) expandZstd(out []byte) error {
	got, err := zstdDecoder().DecodeAll(p.from, out[:0])
	if err != nil || len(got) != len(out) {
		return p.failed(err)
	}
	if len(out) > 0 && &got[0] != &out[0] {
		copy(out, got) // it was not enough room to work in
	}
	return nil
}

func (p *part) failed(err error) error {
	if err == nil {
		return errs.New(errs.Argument, "a compressed buffer says it has %d bytes and has not", p.size)
	}
	return errs.New(errs.Argument, "a compressed buffer that says it has %d bytes: %w", p.size, err)
}

var lz4Readers = sync.Pool{New: func() any { return lz4.NewReader(nil) }}

// zstdDecoder decodes no further than the room it is given, with at most a window of
// what one message may have.
var zstdDecoder = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderLowmem(true))
	if err != nil {
		panic(err) //lint:allow panic the options are constants
	}
	return d
})
