package arrowio

import (
	"fmt"
	"slices"
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

// form is what the answers of a plan look like: their schema, and of each result its
// element type and the shape of its rows, from which the schema follows.
type form struct {
	schema *arrow.Schema
	dtypes []tensor.DType
	rows   []tensor.Shape
}

// Batch turns results into a record batch. Results of [N, 1] are plain columns, those
// of higher rank fixed-size lists. Answers of one form share their schema.
//
// Ownership: results are taken, also on an error.
// Errors: errs.Shape for a result whose first axis is not the rows of the batch, or that
// is not what the manifest declares; errs.Unsupported for an element type that Arrow does
// not have.
func (p *Plan) Batch(results []exec.Result, rows int) (arrow.RecordBatch, error) {
	f, err := p.formOf(results, rows)
	if err != nil {
		for i := range results {
			results[i].Release()
		}
		return nil, err
	}
	columns := make([]arrow.Array, len(results))
	for i := range results {
		columns[i] = column(&results[i], f.schema.Field(i).Type, p.session.IO())
	}
	batch := array.NewRecordBatch(f.schema, columns, int64(rows))
	for _, c := range columns {
		c.Release()
	}
	return batch, nil
}

// formOf returns the form of results, the last one where they are like those before.
func (p *Plan) formOf(results []exec.Result, rows int) (*form, error) {
	f, fresh := p.form.Load(), false
	for i := range results {
		if err := p.columnar(i, &results[i], rows); err != nil {
			return nil, errs.New(errs.CodeOf(err), "the output %q: %w", p.columns[i], err)
		}
		fresh = fresh || f == nil || f.dtypes[i] != results[i].DType || !f.rows[i].Equal(results[i].Shape[1:])
	}
	if f != nil && !fresh {
		return f, nil
	}
	f = &form{}
	fields := make([]arrow.Field, len(results))
	for i := range results {
		r := &results[i]
		f.dtypes, f.rows = append(f.dtypes, r.DType), append(f.rows, r.Shape[1:].Clone())
		fields[i] = arrow.Field{Name: p.columns[i], Type: typeOf(r)}
	}
	f.schema = arrow.NewSchema(fields, nil)
	if err := p.answersAsDeclared(f.schema); err != nil {
		return nil, err
	}
	p.form.Store(f)
	return f, nil
}

// Before returns what the node reads that makes a value: of one that is no column the
// tensors that may be asked for in its place. Another engine does not tell.
func Before(s *exec.Session, value string) []string {
	nodes, _ := s.Nodes()
	for i := range nodes {
		if slices.Contains(nodes[i].Outputs, value) {
			return slices.Compact(nodes[i].Inputs)
		}
	}
	return nil
}

// columnar refuses result i where it is no column of so many rows.
func (p *Plan) columnar(i int, r *exec.Result, rows int) error {
	if r.Value != nil {
		before := "the tensor before it"
		if names := Before(p.session, p.values[i]); len(names) > 0 {
			before = fmt.Sprintf("%q, which it is made of", names)
		}
		return errs.New(errs.Unsupported, "a %v is no column: a manifest may name %s", r.Value.Kind, before)
	}
	if len(r.Shape) == 0 || r.Shape[0] != rows {
		return errs.New(errs.Shape, "shape %v for %d rows: the first axis must be the rows", r.Shape, rows)
	}
	if arrowTypes[r.DType] == nil {
		return errs.New(errs.Unsupported, "the element type %v, which Arrow does not have: a manifest may name another value, or the model cast it", r.DType)
	}
	if rows == 0 && slices.Contains(r.Shape[1:], 0) {
		return errs.New(errs.Unsupported, "shape %v: lists that are not there do not tell how long they are: begin with rows, or declare the shape in the model", r.Shape)
	}
	if slices.Contains(r.Shape[1:], 0) {
		return errs.New(errs.Unsupported, "shape %v: rows without values are no column", r.Shape)
	}
	return nil
}

// typeOf returns the type of the column that a result becomes.
func typeOf(r *exec.Result) arrow.DataType {
	t := arrowTypes[r.DType]
	if len(r.Shape) == 2 && r.Shape[1] == 1 {
		return t
	}
	for axis := len(r.Shape) - 1; axis > 0; axis-- {
		t = arrow.FixedSizeListOf(int32(r.Shape[axis]), t)
	}
	return t
}

// column turns a result into an array of type t, which typeOf gave; the result is taken.
// What is copied is counted in io.
func column(r *exec.Result, t arrow.DataType, io *arena.IOArena) arrow.Array {
	data := dataOf(r, t, r.Shape[0], io)
	defer data.Release()
	return array.MakeFromData(data)
}

// dataOf returns a result as n values of type t.
func dataOf(r *exec.Result, t arrow.DataType, n int, io *arena.IOArena) *array.Data {
	list, ok := t.(*arrow.FixedSizeListType)
	if !ok {
		return leafData(r, t, n, io)
	}
	child := dataOf(r, list.Elem(), n*int(list.Len()), io)
	defer child.Release()
	return array.NewData(t, n, []*memory.Buffer{nil}, []arrow.ArrayData{child}, 0, 0)
}

// leafData returns the values of a result: in the block for numbers, else as Arrow
// keeps them.
func leafData(r *exec.Result, t arrow.DataType, n int, io *arena.IOArena) *array.Data {
	switch r.DType {
	case tensor.Bool:
		defer r.Release()
		b := array.NewBooleanBuilder(memory.DefaultAllocator)
		defer b.Release()
		b.AppendValues(tensor.Elems[bool](&r.View), nil)
		io.CountCopy(arena.CopyBits, n)
		return finish(b.NewArray())
	case tensor.Str:
		defer r.Release()
		b := array.NewLargeStringBuilder(memory.DefaultAllocator)
		defer b.Release()
		bytes := 0
		for _, word := range tensor.Elems[string](&r.View) {
			bytes += len(word)
		}
		b.AppendValues(tensor.Elems[string](&r.View), nil)
		io.CountCopy(arena.CopyConversion, bytes)
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
