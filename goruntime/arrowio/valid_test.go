package arrowio

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"pgregory.net/rapid"
)

// What is taken for sound at a glance is so for Arrow's own validation too.
func TestSoundIsValid(t *testing.T) {
	sounds, others := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		data := drawData(t, 2)
		defer data.Release()
		a, ok := made(data)
		if !ok {
			return
		}
		defer a.Release()
		err := array.ValidateFull(a)
		if !sound(data) {
			others++
			return
		}
		sounds++
		if err != nil {
			t.Fatalf("%v with offset %d, length %d, %d nulls is taken for sound: %v", data.DataType(), data.Offset(), data.Len(), data.NullN(), err)
		}
	})
	if sounds == 0 || others == 0 {
		t.Errorf("%d were sound and %d were not: both are to be tried", sounds, others)
	}
}

// made is the array of data, which Arrow itself may refuse to make.
func made(data arrow.ArrayData) (a arrow.Array, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	return array.MakeFromData(data), true
}

// drawData draws numbers, or fixed-size lists up to so deep, which mostly contradict
// themselves a little.
func drawData(t *rapid.T, depth int) arrow.ArrayData {
	offset, length := rapid.IntRange(0, 3).Draw(t, "offset"), rapid.IntRange(0, 12).Draw(t, "length")
	var valid *memory.Buffer
	nulls := 0
	if rapid.Bool().Draw(t, "a bitmap") {
		valid = memory.NewBufferBytes(rapid.SliceOfN(rapid.Byte(), 0, 3).Draw(t, "bitmap"))
		nulls = rapid.IntRange(-1, 4).Draw(t, "nulls")
	}
	if depth > 0 && rapid.Bool().Draw(t, "a list") {
		child := drawData(t, depth-1)
		defer child.Release()
		k := rapid.IntRange(0, 3).Draw(t, "k")
		return array.NewData(arrow.FixedSizeListOfNonNullable(int32(max(1, k)), child.DataType()), length, []*memory.Buffer{valid}, []arrow.ArrayData{child}, nulls, offset)
	}
	kind := rapid.SampledFrom([]arrow.DataType{arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Float64, arrow.BinaryTypes.String}).Draw(t, "type")
	// Arrow makes the array before anybody validates it: what it points at is there.
	buffer := memory.NewBufferBytes(make([]byte, 4096)[:rapid.IntRange(0, 120).Draw(t, "bytes")])
	return array.NewData(kind, length, []*memory.Buffer{valid, buffer, buffer}[:len(kind.Layout().Buffers)], nil, nulls, offset)
}

// A batch of numbers is looked at without a trace on the heap.
func TestLookingAtNumbersAllocatesNothing(t *testing.T) {
	schema := schemaOf(field("a", f32), field("b", arrow.PrimitiveTypes.Int64), field("c", arrow.FixedSizeListOf(3, f32)))
	b := batchOf(t, schema, `[{"a":1,"b":null,"c":[1,2,3]},{"a":2,"b":3,"c":[1,2,3]}]`)
	defer b.Release()
	if n := testing.AllocsPerRun(100, func() {
		if err := validate(b); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
