package arrowio

import (
	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

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

// Join puts the rows of feeds that are Alike one behind the other. Numbers are read where
// they lie by what takes them so, which are the readers of columns and chains of elementwise
// operators; for others the run makes a counted copy. Texts are copied here, not their bytes
// but where these lie.
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
		if v.RowElements() > 0 && v.DType != tensor.Str && v.DType.Width() > 0 {
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
