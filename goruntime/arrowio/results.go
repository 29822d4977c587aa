package arrowio

import (
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/exec"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// owner is the Arrow allocator of one buffer: freeing it gives the block back.
type owner struct{ block arena.Handle }

// Allocate and Reallocate are never called: the buffer is not resizable.
func (owner) Allocate(int) []byte           { return nil }
func (owner) Reallocate(int, []byte) []byte { return nil }

// Free ends the block of a buffer whose last reference is gone.
func (o owner) Free([]byte) { o.block.Release() }

// Batch turns results into a record batch. Results of [N, 1] are plain columns, those
// of higher rank fixed-size lists. Results are taken, also on an error.
//
// Errors: errs.Shape for a result whose first axis is not the rows of the batch,
// errs.Unsupported for an element type that Arrow does not have.
func (p *Plan) Batch(results []exec.Result, rows int) (arrow.RecordBatch, error) {
	columns := make([]arrow.Array, 0, len(results))
	fields := make([]arrow.Field, 0, len(results))
	defer func() {
		for _, c := range columns {
			c.Release()
		}
	}()
	for i := range results {
		c, err := column(&results[i], rows)
		if err != nil {
			for k := i; k < len(results); k++ {
				results[k].Release()
			}
			return nil, errs.New(errs.CodeOf(err), "the output %q: %w", p.columns[i], err)
		}
		columns = append(columns, c)
		fields = append(fields, arrow.Field{Name: p.columns[i], Type: c.DataType()})
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, int64(rows)), nil
}

// column turns a result into an array; it takes the result unless it fails.
func column(r *exec.Result, rows int) (arrow.Array, error) {
	if r.Value != nil {
		return nil, errs.New(errs.Unsupported, "a %v is no column: a manifest may name the tensor before it", r.Value.Kind)
	}
	shape := r.Shape
	if len(shape) == 0 || shape[0] != rows {
		return nil, errs.New(errs.Shape, "shape %v for %d rows: the first axis must be the rows", shape, rows)
	}
	if len(shape) == 2 && shape[1] == 1 {
		shape = shape[:1]
	}
	t, ok := arrowTypes[r.DType]
	if !ok {
		return nil, errs.New(errs.Unsupported, "the element type %v, which Arrow does not have", r.DType)
	}
	n := r.Elements()
	data := leafData(r, t, n)
	for axis := len(shape) - 1; axis > 0; axis-- {
		n = shape[:axis].Elements()
		t = arrow.FixedSizeListOf(int32(shape[axis]), t)
		list := array.NewData(t, n, []*memory.Buffer{nil}, []arrow.ArrayData{data}, 0, 0)
		data.Release()
		data = list
	}
	defer data.Release()
	return array.MakeFromData(data), nil
}

// leafData returns the values of a result: in the block for numbers, else as Arrow
// keeps them.
func leafData(r *exec.Result, t arrow.DataType, n int) *array.Data {
	switch r.DType {
	case tensor.Bool:
		defer r.Release()
		b := array.NewBooleanBuilder(memory.DefaultAllocator)
		defer b.Release()
		b.AppendValues(tensor.Elems[bool](&r.View), nil)
		return finish(b.NewArray())
	case tensor.Str:
		defer r.Release()
		b := array.NewLargeStringBuilder(memory.DefaultAllocator)
		defer b.Release()
		b.AppendValues(tensor.Elems[string](&r.View), nil)
		return finish(b.NewArray())
	}
	bytes := r.Bytes()
	// SAFETY: the block covers the elements and lives until the buffer is freed.
	raw := unsafe.Slice((*byte)(r.Data), bytes)
	buffer := memory.NewBufferWithAllocator(raw[:bytes:bytes], owner{r.Block})
	r.Block = arena.Handle{}
	defer buffer.Release()
	return array.NewData(t, n, []*memory.Buffer{nil, buffer}, nil, 0, 0)
}

func finish(a arrow.Array) *array.Data {
	defer a.Release()
	d := a.Data().(*array.Data)
	d.Retain()
	return d
}
