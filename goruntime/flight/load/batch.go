package load

import (
	"math/rand/v2"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	aflight "github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/protobuf/proto"

	"github.com/goruntime/goruntime/goruntime/errs"
)

// recorder keeps the messages that a writer sends, encoded, and the size of the last
// one's body.
type recorder struct {
	list []encoded
	body int
}

func (r *recorder) Send(d *aflight.FlightData) error {
	b, err := proto.Marshal(d)
	r.list = append(r.list, b)
	r.body = len(d.DataBody)
	return err
}

// messages returns the schema's message and that of a batch of rows rows. Lists of no
// fixed length get length values. body is the size of the batch's body.
func messages(schema *arrow.Schema, path []string, rows, length int) (list []encoded, body int, err error) {
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	numbers := rand.New(rand.NewPCG(1, 2))
	for i, f := range b.Fields() {
		for range rows {
			if err := fill(f, schema.Field(i), length, numbers); err != nil {
				return nil, 0, err
			}
		}
	}
	batch := b.NewRecordBatch()
	defer batch.Release()
	r := &recorder{}
	w := aflight.NewRecordWriter(r, ipc.WithSchema(schema))
	w.SetFlightDescriptor(&aflight.FlightDescriptor{Type: aflight.DescriptorPATH, Path: path})
	if err := w.Write(batch); err != nil {
		return nil, 0, err
	}
	return r.list, r.body, nil
}

// fill appends one value: numbers from 0 to 1 or 9, short texts, lists of them.
func fill(b array.Builder, f arrow.Field, length int, r *rand.Rand) error {
	n := int64(r.IntN(10))
	switch b := b.(type) {
	case *array.Float32Builder:
		b.Append(r.Float32())
	case *array.Float64Builder:
		b.Append(r.Float64())
	case *array.Int8Builder:
		b.Append(int8(n))
	case *array.Int16Builder:
		b.Append(int16(n))
	case *array.Int32Builder:
		b.Append(int32(n))
	case *array.Int64Builder:
		b.Append(n)
	case *array.Uint8Builder:
		b.Append(uint8(n))
	case *array.Uint16Builder:
		b.Append(uint16(n))
	case *array.Uint32Builder:
		b.Append(uint32(n))
	case *array.Uint64Builder:
		b.Append(uint64(n))
	case *array.BooleanBuilder:
		b.Append(n > 4)
	case array.StringLikeBuilder:
		b.Append([]string{"a", "word", "some words"}[n%3])
	case *array.FixedSizeListBuilder:
		b.Append(true)
		return fillList(b.ValueBuilder(), f, int(b.Type().(*arrow.FixedSizeListType).Len()), length, r)
	case *array.ListBuilder:
		b.Append(true)
		return fillList(b.ValueBuilder(), f, length, length, r)
	default:
		return errs.New(errs.Unsupported, "the column %q is %v: no values are known for it", f.Name, b.Type())
	}
	return nil
}

func fillList(b array.Builder, f arrow.Field, n, length int, r *rand.Rand) error {
	for range n {
		if err := fill(b, f, length, r); err != nil {
			return err
		}
	}
	return nil
}
