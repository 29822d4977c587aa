package flight

import (
	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/goruntime/goruntime/goruntime/errs"
)

// Bounds of what a header may say. Arrow's own reader believes it: a length that is
// made up, or a field that is its own child, would end the process.
const (
	maxFields  = 1 << 16
	maxNesting = 64
)

// The slots of the tables that are looked into (Message.fbs, Schema.fbs).
const (
	messageVersion, messageHeaderType         = 0, 1
	messageHeader, messageBodyLength          = 2, 3
	messageMetadata                           = 4
	schemaFields, schemaMetadata              = 1, 2
	fieldKind, fieldType                      = 2, 3
	fieldChildren, fieldCustomMetadata        = 5, 6
	unionTypeIDs, typeUnion                   = 1, 14
	batchLength, batchNodes, batchBuffers     = 0, 1, 2
	batchCompression, batchVariadicCounts     = 3, 4
	compressionCodec, compressionMethod       = 0, 1
	dictionaryData                            = 1
	headerSchema, headerDictionary, headerRow = 1, 2, 3
)

// table is a flatbuffer table whose vectors are checked against the bytes that are
// there. What lies outside panics: see looking.
type table struct{ flatbuffers.Table }

func rootOf(b []byte) table {
	return table{flatbuffers.Table{Bytes: b, Pos: flatbuffers.GetUOffsetT(b)}}
}

// offset returns where the table of a table's fields has field i.
func offset(i int) flatbuffers.VOffsetT { return flatbuffers.VOffsetT(4 + 2*i) }

// slot returns where field i is, 0 where it is not set.
func (t table) slot(i int) flatbuffers.UOffsetT {
	if o := t.Offset(offset(i)); o != 0 {
		return t.Pos + flatbuffers.UOffsetT(o)
	}
	return 0
}

// table returns the table of field i.
func (t table) table(i int) (table, bool) {
	at := t.slot(i)
	if at == 0 {
		return table{}, false
	}
	return table{flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(at)}}, true
}

// vector returns the start and length of a vector of elements of size bytes.
func (t table) vector(i, size int) (start flatbuffers.UOffsetT, n int, err error) {
	at := t.slot(i)
	if at == 0 {
		return 0, 0, nil
	}
	start = t.Indirect(at)
	n = int(flatbuffers.GetUOffsetT(t.Bytes[start:]))
	start += flatbuffers.SizeUOffsetT
	if left := len(t.Bytes) - int(start); n*size > left || n > maxFields {
		return 0, 0, errs.New(errs.Argument, "a header says %d elements of %d bytes and has %d bytes left", n, size, left)
	}
	return start, n, nil
}

// checkHeader looks at what a message's header says of itself.
//
// Errors: errs.Argument for lengths beyond the bytes and fields within themselves.
func checkHeader(b []byte) error {
	message := rootOf(b)
	kind := byte(0)
	if at := message.slot(messageHeaderType); at != 0 {
		kind = b[at]
	}
	if err := checkVectors(message, sized{messageMetadata, flatbuffers.SizeUOffsetT}); err != nil {
		return err
	}
	header, ok := message.table(messageHeader)
	if !ok {
		return errs.New(errs.Argument, "a message without a header")
	}
	switch kind {
	case headerSchema:
		left := maxFields
		if err := checkFields(header, schemaFields, maxNesting, &left); err != nil {
			return err
		}
		return checkVectors(header, sized{schemaMetadata, flatbuffers.SizeUOffsetT})
	case headerDictionary:
		data, ok := header.table(dictionaryData)
		if !ok {
			return errs.New(errs.Argument, "a dictionary without a batch")
		}
		return checkBatch(data)
	case headerRow:
		return checkBatch(header)
	}
	return errs.New(errs.Argument, "a message of kind %d: a schema, a dictionary or a batch expected", kind)
}

// checkFields walks through the fields of a schema; left counts down over all of them.
func checkFields(t table, slot, depth int, left *int) error {
	start, n, err := t.vector(slot, flatbuffers.SizeUOffsetT)
	if err != nil {
		return err
	}
	if *left -= n; *left < 0 || depth == 0 {
		return errs.New(errs.Argument, "a schema has more than %d fields, or more than %d within each other", maxFields, maxNesting)
	}
	for i := range n {
		at := start + flatbuffers.UOffsetT(i*flatbuffers.SizeUOffsetT)
		field := table{flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(at)}}
		if err := checkVectors(field, sized{fieldCustomMetadata, flatbuffers.SizeUOffsetT}); err != nil {
			return err
		}
		if at := field.slot(fieldKind); at != 0 && field.Bytes[at] == typeUnion {
			if union, ok := field.table(fieldType); ok {
				if err := checkVectors(union, sized{unionTypeIDs, 4}); err != nil {
					return err
				}
			}
		}
		if err := checkFields(field, fieldChildren, depth-1, left); err != nil {
			return err
		}
	}
	return nil
}

func checkBatch(t table) error {
	return checkVectors(t, sized{batchNodes, structSize}, sized{batchBuffers, structSize}, sized{batchVariadicCounts, 8})
}

// sized is a vector of a table, by slot, with the bytes of an element.
type sized struct{ slot, size int }

func checkVectors(t table, vectors ...sized) error {
	for _, v := range vectors {
		if _, _, err := t.vector(v.slot, v.size); err != nil {
			return err
		}
	}
	return nil
}
