package flight

import (
	"context"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"pgregory.net/rapid"

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/arrowio"
	"github.com/goruntime/goruntime/goruntime/exec"
	"github.com/goruntime/goruntime/goruntime/internal/testkit"
)

var schemaRows = arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.FixedSizeListOf(7, arrow.PrimitiveTypes.Float32), Nullable: true}}, nil)

// schemaColumns has a column for each of the seven.
var schemaColumns = func() *arrow.Schema {
	var fields []arrow.Field
	for _, name := range "abcdefg" {
		fields = append(fields, arrow.Field{Name: string(name), Type: arrow.PrimitiveTypes.Float32, Nullable: true})
	}
	return arrow.NewSchema(fields, nil)
}()

// columnsOf returns the same batch as columns.
func columnsOf(xs []float32) arrow.RecordBatch {
	b := array.NewRecordBuilder(memory.DefaultAllocator, schemaColumns)
	defer b.Release()
	for i, x := range xs {
		b.Field(i % 7).(*array.Float32Builder).Append(x)
	}
	return b.NewRecordBatch()
}

// rowsOf returns a batch of the model rows.
func rowsOf(xs []float32) arrow.RecordBatch {
	b := array.NewRecordBuilder(memory.DefaultAllocator, schemaRows)
	defer b.Release()
	list := b.Field(0).(*array.FixedSizeListBuilder)
	for row := range slices.Chunk(xs, 7) {
		list.Append(true)
		list.ValueBuilder().(*array.Float32Builder).AppendValues(row, nil)
	}
	return b.NewRecordBatch()
}

// scoreRows returns the values of the answer to some rows.
func scoreRows(m *Model, p *planned, b arrow.RecordBatch) ([]float32, error) {
	defer b.Release()
	c, end := newCaller(context.Background())
	defer end()
	out, err := m.score(c, p, b, 0, spending(clock()))
	if err != nil {
		return nil, err
	}
	defer out.Release()
	list := out.Column(0).(*array.FixedSizeList)
	lo, _ := list.ValueOffsets(0)
	hi, _ := list.ValueOffsets(list.Len())
	return slices.Clone(list.ListValues().(*array.Float32).Float32Values()[lo:hi]), nil
}

// However rows are split into requests, and requests put together by the batcher: a
// row gets the bits that it gets alone.
func TestSplitsDoNotChangeAnswers(t *testing.T) {
	testkit.NoLeaks(t)
	rapid.Check(t, func(t *rapid.T) {
		limits := arrowio.Batching{
			MaxRows:     rapid.Int64Range(1, 40).Draw(t, "max rows"),
			MaxBytes:    rapid.SampledFrom([]int64{0, 100, 1000}).Draw(t, "max bytes"),
			DelayMicros: rapid.Int64Range(0, 300).Draw(t, "delay"),
		}
		m, err := openModel(found{name: name{"rows", "1"}, path: "../../tests/models/rows.onnx"}, exec.Options{}, newMetrics(), newCrew(0))
		if err != nil {
			t.Fatal(err)
		}
		defer m.leave()
		schema, batch := schemaRows, rowsOf
		if rapid.Bool().Draw(t, "columns") {
			schema, batch = schemaColumns, columnsOf
		}
		alone, err := m.plan(schema)
		if err != nil {
			t.Fatal(err)
		}
		together := &planned{Plan: alone.Plan}
		together.batcher = newBatcher(m, alone.Plan)
		together.batcher.limits = limits
		sizes := rapid.SliceOfN(rapid.IntRange(0, 17), 1, 12).Draw(t, "rows of each request")
		got := make([][]float32, len(sizes))
		var wg sync.WaitGroup
		odd := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.Copysign(0, -1)), 1e-44, 3e38}
		values := rapid.OneOf(rapid.Float32Range(-3, 3), rapid.Float32Range(-3, 3), rapid.SampledFrom(odd))
		requests := make([][]float32, len(sizes))
		for i, n := range sizes {
			requests[i] = rapid.SliceOfN(values, 7*n, 7*n).Draw(t, "values")
		}
		for i := range requests {
			wg.Go(func() {
				var err error
				if got[i], err = scoreRows(m, together, batch(requests[i])); err != nil {
					t.Errorf("request %d: %v", i, err)
				}
			})
		}
		wg.Wait()
		for i, xs := range requests {
			var want []float32
			for row := range slices.Chunk(xs, 7) {
				one, err := scoreRows(m, alone, batch(row))
				if err != nil {
					t.Fatal(err)
				}
				want = append(want, one...)
			}
			if !slices.EqualFunc(got[i], want, func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }) {
				t.Fatalf("request %d of %v rows together gives %v, alone %v", i, sizes, got[i], want)
			}
		}
		if c := m.session.IO().Stats().Copies; c[arena.CopyInterleave] != 0 || c[arena.CopyCoalesce] != 0 {
			t.Errorf("%d interleaves were made, and %d copies of requests that ran together: a product reads both in place", c[arena.CopyInterleave], c[arena.CopyCoalesce])
		}
		if !testkit.Settles(func() bool { return m.session.IO().Stats().LiveBlocks == 0 }) {
			t.Errorf("%d blocks are held", m.session.IO().Stats().LiveBlocks)
		}
	})
}
