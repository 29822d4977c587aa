package flight

import (
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	aflight "github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/grpc/mem"
)

// replay gives one header to an ipc.Reader as the server does.
type replay struct{ header []byte }

func (r *replay) Message() (*ipc.Message, error) {
	msg, err := newMessage(r.header, memory.NewBufferBytes(nil), expander{})
	return msg.Message, err
}
func (r *replay) Retain()  {}
func (r *replay) Release() {}

func sliceOf(b []byte) mem.BufferSlice { return mem.BufferSlice{mem.SliceBuffer(b)} }

// A header with any byte changed is read or refused: it takes neither endless memory
// nor an endless walk.
func TestHeadersThatLieAreRefused(t *testing.T) {
	m := arrow.NewMetadata([]string{"k", "l"}, []string{"v", "w"})
	item := arrow.Field{Name: "i", Type: arrow.PrimitiveTypes.Float32, Metadata: m}
	nested := arrow.NewSchema([]arrow.Field{
		{Name: "x", Type: arrow.ListOf(arrow.FixedSizeListOfField(2, item)), Metadata: m},
		{Name: "u", Type: arrow.SparseUnionOf([]arrow.Field{item}, []arrow.UnionTypeCode{5})},
		schemaX.Field(0),
	}, &m)
	whole := aflight.SerializeSchema(nested, memory.DefaultAllocator)[8:] // behind the length
	if _, err := ipc.NewReaderFromMessageReader(&replay{whole}); err != nil {
		t.Fatal(err)
	}
	refused := 0
	for i := range whole {
		for _, v := range []byte{0, 0x7f, 0xff, whole[i] + 1, whole[i] - 8} {
			damaged := slices.Clone(whole)
			damaged[i] = v
			if _, err := ipc.NewReaderFromMessageReader(&replay{damaged}); err != nil {
				refused++
			}
		}
	}
	if refused < 100 {
		t.Errorf("only %d of %d damaged headers were refused", refused, 5*len(whole))
	}
}
