package arrowio

import (
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
	if err != nil {
		return err
	}
	return convertTo(&out, v)
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
	if len(l.gaps) > 0 {
		return f.fill(in, &l, v)
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

// fill copies a column and writes the fill value where it, or a list that holds it, is null.
func (f *Feeds) fill(in *input, l *leaf, v *tensor.View) error {
	if in.fill == nil {
		g := l.gaps[0]
		row := g.first / (g.items / f.Rows)
		if len(l.shape) == 1 {
			return noFill(row)
		}
		return errs.New(errs.Argument, "a list of row %d is or has a null: a manifest may give a fill value", row)
	}
	put := fillers[v.DType]
	copied, err := f.block(v.DType, v.Shape, arena.CopyNulls)
	if err != nil {
		return err
	}
	copy(copied.Raw(), v.Raw())
	for _, g := range l.gaps {
		width := v.Elements() / g.items // values of a list
		for i := range g.items {
			if bitutil.BitIsSet(g.valid, g.offset+i) {
				continue
			}
			for k := range width {
				put(&copied, i*width+k, in.fill) // Compile looked whether it fits
			}
		}
	}
	*v = copied
	return nil
}

// Bytes returns the bytes of the feeds.
func (f *Feeds) Bytes() int64 {
	var n int64
	for i := range f.Views {
		n += int64(f.Views[i].Bytes())
	}
	return n
}
