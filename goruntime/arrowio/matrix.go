package arrowio

import (
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

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
		if err := f.convert(in, parts, others); err != nil {
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

// convert converts the columns of other types than the input's, which are so many, by one
// copy.
func (f *Feeds) convert(in *input, parts []tensor.View, others int) error {
	d := in.dtype
	all, err := f.block(d, tensor.Shape{others, f.Rows}, arena.CopyConversion)
	if err != nil {
		return err
	}
	first := 0
	for k := range parts {
		if parts[k].DType == d {
			continue
		}
		if err := convertTo(&tensor.View{DType: d, Shape: parts[k].Shape, Data: all.At(first)}, &parts[k]); err != nil {
			return at(err, f.batch, in.columns[k])
		}
		first += f.Rows
	}
	return nil
}
