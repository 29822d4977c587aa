package ml

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// texts are strings of attributes that a Run puts into an output: their bytes are
// copied once a run into memory that lives as long as the output.
type texts struct {
	list  []string
	elems []tensor.Text
	bytes int
}

func newTexts(list []string) texts {
	t := texts{list: list, elems: make([]tensor.Text, len(list))}
	for _, s := range list {
		t.bytes += len(s)
	}
	return t
}

// bind makes elems good for output slot in this run.
func (t *texts) bind(c *op.Context, slot int) error {
	room, err := c.Text(slot, t.bytes)
	if err != nil {
		return err
	}
	for i, s := range t.list {
		n := copy(room, s)
		t.elems[i] = tensor.TextOf(room[:n:n])
		room = room[n:]
	}
	return nil
}

// labels are the names of the classes, whole numbers or strings, one for each row
// of a classifier's first output.
type labels struct {
	ints  []int
	texts texts
	out   *tensor.View // nil where the node does not name it
}

// labelsOf reads the labels; just one of the attributes is given.
func labelsOf(a *op.Values, ints, strings string) (labels, error) {
	l := labels{ints: a.Ints(ints), texts: newTexts(a.Strs(strings))}
	if (len(l.ints) == 0) == (len(l.texts.list) == 0) {
		return l, errs.New(errs.Model, "%d %s and %d %s given: labels of one kind are expected", len(l.ints), ints, len(l.texts.list), strings)
	}
	return l, nil
}

// count returns the number of classes.
func (l *labels) count() int { return len(l.ints) + len(l.texts.list) }

// bind prepares a run.
func (l *labels) bind(c *op.Context) error {
	l.out = nil
	if !c.Wants(0) {
		return nil
	}
	l.out = c.Out(0)
	if len(l.ints) > 0 {
		return nil
	}
	return l.texts.bind(c, 0)
}

// put writes the label of a row.
func (l *labels) put(row, class int) {
	switch {
	case l.out == nil:
	case len(l.ints) > 0:
		tensor.Elems[int64](l.out)[row] = int64(l.ints[class])
	default:
		tensor.Elems[tensor.Text](l.out)[row] = l.texts.elems[class]
	}
}

// labelType is the element type of the labels.
func labelType(a *op.Values, strings string) tensor.DType {
	if len(a.Strs(strings)) > 0 {
		return tensor.Str
	}
	return tensor.I64
}
