package arrowio

import (
	"fmt"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/bitutil"

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Feeds are the inputs of a run, read out of a batch.
//
// Ownership: they hold the batch, and the copies that had to be made, until Release.
type Feeds struct {
	Views  []tensor.View // in the order of Session.Inputs
	Rows   int
	batch  arrow.RecordBatch
	blocks []arena.Handle
	lists  [][]string // keeps string elements reachable
	io     *arena.IOArena
}

// Release gives back what the feeds hold.
func (f *Feeds) Release() {
	for _, h := range f.blocks {
		h.Release()
	}
	f.blocks = nil
	if f.batch != nil {
		f.batch.Release()
		f.batch = nil
	}
}

// Feeds reads the feeds of a batch, whose schema must be the plan's. The batch is
// validated first.
//
// Errors: errs.Argument for data that contradicts itself, nulls without a fill and
// what passes a limit; errs.Memory where a copy would pass the arena's limit.
func (p *Plan) Feeds(b arrow.RecordBatch, io *arena.IOArena) (*Feeds, error) {
	if !b.Schema().Equal(p.schema) {
		return nil, errs.New(errs.Argument, "the batch has another schema than the plan: %v", b.Schema())
	}
	if err := p.limits(b); err != nil {
		return nil, err
	}
	if err := validate(b); err != nil {
		return nil, err
	}
	b.Retain()
	f := &Feeds{Views: make([]tensor.View, len(p.inputs)), Rows: int(b.NumRows()), batch: b, io: io}
	for i := range p.inputs {
		if err := f.input(&p.inputs[i], &f.Views[i]); err != nil {
			f.Release()
			return nil, errs.At(err, "", "", p.inputs[i].name)
		}
	}
	return f, nil
}

// limits compares a batch with what the manifest allows.
func (p *Plan) limits(b arrow.RecordBatch) error {
	l := p.manifest.Limits
	if l.Rows > 0 && b.NumRows() > l.Rows {
		return errs.New(errs.Argument, "%d rows given, at most %d allowed", b.NumRows(), l.Rows)
	}
	if l.Columns > 0 && b.NumCols() > int64(l.Columns) {
		return errs.New(errs.Argument, "%d columns given, at most %d allowed", b.NumCols(), l.Columns)
	}
	if l.Nesting > 0 {
		for _, f := range p.schema.Fields() {
			if _, axes := elementOf(f.Type); axes > l.Nesting {
				return errs.New(errs.Argument, "the column %q has lists %d deep, at most %d allowed", f.Name, axes, l.Nesting)
			}
		}
	}
	if l.Bytes > 0 {
		if n := Size(b); n > l.Bytes {
			return errs.New(errs.Argument, "%d bytes given, at most %d allowed", n, l.Bytes)
		}
	}
	if l.StringBytes > 0 {
		if n := textSize(b); n > l.StringBytes {
			return errs.New(errs.Argument, "%d bytes of strings given, at most %d allowed", n, l.StringBytes)
		}
	}
	return nil
}

// textSize returns the bytes of the strings of a batch, as its buffers have them.
func textSize(b arrow.RecordBatch) int64 {
	var n int64
	for _, c := range b.Columns() {
		n += textOf(c.Data())
	}
	return n
}

func textOf(d arrow.ArrayData) int64 {
	var n int64
	if isText(d.DataType()) && len(d.Buffers()) > 1 {
		texts := 2
		if d.DataType().ID() == arrow.STRING_VIEW {
			texts = 1 // views have short strings in them
		}
		for _, b := range d.Buffers()[min(texts, len(d.Buffers())):] {
			if b != nil {
				n += int64(b.Len())
			}
		}
	}
	for _, c := range d.Children() {
		n += textOf(c)
	}
	if d.DataType().ID() == arrow.DICTIONARY && d.Dictionary() != nil {
		n += textOf(d.Dictionary())
	}
	return n
}

// Size returns the bytes of the buffers of a batch.
func Size(b arrow.RecordBatch) int64 {
	var n int64
	for _, c := range b.Columns() {
		n += sizeOf(c.Data())
	}
	return n
}

func sizeOf(d arrow.ArrayData) int64 {
	var n int64
	for _, b := range d.Buffers() {
		if b != nil {
			n += int64(b.Len())
		}
	}
	for _, c := range d.Children() {
		n += sizeOf(c)
	}
	if d.DataType().ID() == arrow.DICTIONARY {
		n += sizeOf(d.Dictionary())
	}
	return n
}

// input reads what feeds one input.
func (f *Feeds) input(in *input, v *tensor.View) error {
	if len(in.columns) == 0 {
		return nil // its default stands
	}
	if len(in.columns) > 1 {
		return f.matrix(in, v)
	}
	if err := f.column(in, 0, v); err != nil {
		return at(err, f.batch, in.columns[0])
	}
	if in.rank == 2 && len(v.Shape) == 1 {
		v.Shape = tensor.Shape{v.Shape[0], 1}
	}
	if f.Rows == 0 {
		in.complete(v.Shape)
	}
	return nil
}

// complete gives the shape of no rows the lengths that the input declares: lists that
// are not there do not tell theirs.
func (in *input) complete(s tensor.Shape) {
	for i := 1; i < len(s) && len(s) == in.rank; i++ {
		if d := in.dims[i]; s[i] == 0 && d.Known {
			s[i] = int(d.Value)
		}
	}
}

func at(err error, b arrow.RecordBatch, column int) error {
	return errs.New(errs.CodeOf(err), "the column %q: %w", b.ColumnName(column), err)
}

// column reads column k of an input as a tensor of the input's type.
func (f *Feeds) column(in *input, k int, v *tensor.View) error {
	if err := f.values(in, k, v); err != nil || in.dtype == tensor.Undefined || v.DType == in.dtype {
		return err
	}
	out, err := f.block(in.dtype, v.Shape, arena.CopyConversion)
	if err == nil {
		convertTo(&out, v)
	}
	return err
}

// convertTo replaces v by out, which gets its elements converted.
func convertTo(out, v *tensor.View) {
	casts[[2]tensor.DType{v.DType, out.DType}](out, v)
	*v = *out
}

// values reads column k of an input as a tensor.
func (f *Feeds) values(in *input, k int, v *tensor.View) error {
	column := f.batch.Column(in.columns[k])
	d, _ := elementOf(column.DataType())
	if d == tensor.Str {
		return f.text(in, column, v)
	}
	l, err := descend(column.Data(), f.Rows)
	if err != nil {
		return err
	}
	if in.shapes[k] != nil {
		l.shape = append(tensor.Shape{f.Rows}, in.shapes[k]...)
		if n := l.shape.Elements(); n > 0 && n > l.data.Len() {
			return errs.New(errs.Argument, "tensors of shape %v need %d values, the column has %d", in.shapes[k], n, l.data.Len())
		}
	}
	if d == tensor.Bool {
		*v, err = f.booleans(&l)
	} else {
		*v, err = l.view(d)
	}
	if err != nil {
		return err
	}
	if row := firstNull(l.data, l.offset, v.Elements()); row >= 0 {
		return f.fill(in, &l, row, v)
	}
	return nil
}

func (f *Feeds) text(in *input, column arrow.Array, v *tensor.View) error {
	fill, given := in.fill.(string)
	if row := firstNull(column.Data(), column.Data().Offset(), f.Rows); row >= 0 && !given {
		return noFill(row)
	}
	list := make([]string, f.Rows)
	if err := views(list, column, fill, given); err != nil {
		return err
	}
	f.lists = append(f.lists, list)
	var err error
	*v, err = textView(list, tensor.Shape{f.Rows})
	return err
}

func noFill(row int) error {
	return errs.New(errs.Argument, "row %d is null: a manifest may give a fill value", row)
}

// block returns counted memory for a copy.
func (f *Feeds) block(d tensor.DType, shape tensor.Shape, why arena.CopyReason) (tensor.View, error) {
	v := tensor.View{DType: d, Shape: shape}
	h, err := f.io.Acquire(v.Bytes())
	if err != nil {
		return v, err
	}
	f.blocks = append(f.blocks, h)
	f.io.CountCopy(why, v.Bytes())
	v.Data = h.Data()
	return v, nil
}

func (f *Feeds) booleans(l *leaf) (tensor.View, error) {
	v, err := f.block(tensor.Bool, l.shape, arena.CopyBits)
	if err != nil || v.Elements() == 0 {
		return v, err
	}
	bits, out := l.data.Buffers()[1].Bytes(), tensor.Elems[bool](&v)
	for i := range out {
		out[i] = bitutil.BitIsSet(bits, l.offset+i)
	}
	return v, nil
}

// fill copies a column and writes the fill value where it is null; row is the first.
func (f *Feeds) fill(in *input, l *leaf, row int, v *tensor.View) error {
	if len(v.Shape) > 1 {
		return errs.New(errs.Argument, "a value of row %d is null: only plain columns may be, with a fill", row/v.Shape[1:].Elements())
	}
	if in.fill == nil {
		return noFill(row)
	}
	put := fillers[v.DType]
	copied, err := f.block(v.DType, v.Shape, arena.CopyNulls)
	if err != nil {
		return err
	}
	copy(copied.Raw(), v.Raw())
	valid := l.data.Buffers()[0].Bytes()
	for i := range v.Elements() {
		if !bitutil.BitIsSet(valid, l.offset+i) {
			put(&copied, i, in.fill) // Compile looked whether it fits
		}
	}
	*v = copied
	return nil
}

// matrix reads columns of one type as a matrix that lies as columns. The run gathers
// its rows where what reads it takes no columns.
func (f *Feeds) matrix(in *input, v *tensor.View) error {
	parts, others, rows := make([]tensor.View, len(in.columns)), 0, tensor.Shape{f.Rows}
	for k := range parts {
		if err := f.part(in, k, rows, &parts[k]); err != nil {
			return at(err, f.batch, in.columns[k])
		}
		switch {
		case in.dtype != tensor.Undefined && parts[k].DType != in.dtype:
			others++
		case in.dtype == tensor.Undefined && parts[k].DType != parts[0].DType:
			return errs.New(errs.Type, "the columns of one input are %v and %v: they must be alike", parts[0].DType, parts[k].DType)
		}
	}
	if others > 0 {
		if err := f.convert(parts, in.dtype, others); err != nil {
			return err
		}
	}
	*v = tensor.View{DType: parts[0].DType, Shape: tensor.Shape{f.Rows, len(parts)}, Columns: make([]unsafe.Pointer, len(parts))}
	for k := range parts {
		v.Columns[k] = parts[k].Data
	}
	return nil
}

// part reads column k of several, which are plain numbers; rows is their shape.
func (f *Feeds) part(in *input, k int, rows tensor.Shape, v *tensor.View) error {
	data := f.batch.Column(in.columns[k]).Data()
	d := numberOf(data.DataType())
	if d == tensor.Undefined || data.NullN() != 0 {
		return f.values(in, k, v)
	}
	l := leaf{data: data, offset: data.Offset(), shape: rows}
	var err error
	*v, err = l.view(d)
	return err
}

// convert converts the columns of other types than d, which are so many, by one copy.
func (f *Feeds) convert(parts []tensor.View, d tensor.DType, others int) error {
	all, err := f.block(d, tensor.Shape{others, f.Rows}, arena.CopyConversion)
	if err != nil {
		return err
	}
	at := 0
	for k := range parts {
		if parts[k].DType == d {
			continue
		}
		convertTo(&tensor.View{DType: d, Shape: parts[k].Shape, Data: all.At(at)}, &parts[k])
		at += f.Rows
	}
	return nil
}

// String names the feeds for messages: "8 rows, 3 inputs".
func (f *Feeds) String() string { return fmt.Sprintf("%d rows, %d inputs", f.Rows, len(f.Views)) }

// Bytes returns the bytes of the feeds.
func (f *Feeds) Bytes() int64 {
	var n int64
	for i := range f.Views {
		n += int64(f.Views[i].Bytes())
	}
	return n
}

// Alike reports whether the rows of both feeds are of the same types and shapes and lie
// in the same way, so that Join can put them together.
func (f *Feeds) Alike(g *Feeds) bool {
	for i := range f.Views {
		a, b := &f.Views[i], &g.Views[i]
		if a.DType != b.DType || len(a.Shape) != len(b.Shape) || (a.Columns == nil) != (b.Columns == nil) {
			return false
		}
		if len(a.Shape) > 0 && !a.Shape[1:].Equal(b.Shape[1:]) {
			return false
		}
	}
	return true
}

// Join puts the rows of feeds that are Alike one behind the other. Matrices of numbers are
// read where they lie by what takes them so, which are the readers of columns and chains of
// elementwise operators; of all else a counted copy is made.
//
// Ownership: the feeds stay the callers' and must live as long as what is returned.
// Errors: errs.Memory where the copy would pass the arena's limit.
func Join(list []*Feeds) (*Feeds, error) {
	first := list[0]
	all := &Feeds{Views: make([]tensor.View, len(first.Views)), io: first.io}
	for _, f := range list {
		all.Rows += f.Rows
	}
	for i := range all.Views {
		v := &first.Views[i]
		if v.DType == tensor.Undefined {
			continue
		}
		shape := v.Shape.Clone()
		shape[0] = all.Rows
		if len(shape) == 2 && shape[1] > 0 && v.DType != tensor.Str && v.DType.Width() > 0 {
			all.Views[i] = tensor.View{DType: v.DType, Shape: shape, Parts: parts(list, i)}
			continue
		}
		joined, err := all.block(v.DType, shape, arena.CopyCoalesce)
		if err != nil {
			all.Release()
			return nil, err
		}
		rest := joined.Raw()
		for _, f := range list {
			rest = rest[copy(rest, f.Views[i].Raw()):]
		}
		all.Views[i] = joined
	}
	return all, nil
}

// parts are the rows of input i of all feeds.
func parts(list []*Feeds, i int) []tensor.Part {
	made, at := make([]tensor.Part, 0, len(list)), 0
	for _, f := range list {
		if f.Rows > 0 {
			made = append(made, tensor.Part{First: at, End: at + f.Rows, Data: f.Views[i].Data, Columns: f.Views[i].Columns})
			at += f.Rows
		}
	}
	return made
}
