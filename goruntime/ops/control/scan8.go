package control

import (
	"slices"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Scan8 is Scan with a batch: axis 0 of every tensor is the batch, axis 1 of scan
// inputs and outputs the sequence, whose length may differ from item to item.
// https://onnx.ai/onnx/operators/onnx__Scan.html#scan-8   Departures: what lies
// behind the end of a short sequence is 0, where the specification leaves it open.
var Scan8 = op.Declare("", "Scan", func() op.Def {
	return op.Def{
		Versions: op.Versions{8: ""},
		Attrs:    op.Attrs(op.Graph("body"), op.Required("num_scan_inputs", op.KindInt), op.Ints("directions")),
		Control:  true,
		Computes: true,
		Run:      scan8Run,
	}
})

// batch is one Scan8 under way.
type batch struct {
	scan
	items, longest int
	states         []tensor.View // the outputs that are final states
	collected      []tensor.View // ... and scan outputs
}

func scan8Run(c *op.Context) error {
	b := &batch{}
	defer b.drop()
	if err := b.layout(c, 1); err != nil {
		return err
	}
	lengths, err := b.measure(c)
	if err != nil {
		return err
	}
	b.states, b.collected = make([]tensor.View, b.scan.states), make([]tensor.View, len(b.outputs))
	for i := range b.items {
		if err := b.item(c, i, lengths[i]); err != nil {
			return err
		}
	}
	return b.rest(c)
}

// measure checks the batch of all inputs and returns the length of each sequence.
func (b *batch) measure(c *op.Context) ([]int, error) {
	for k := range b.inputs {
		v := c.In(b.first + b.scan.states + k)
		if len(v.Shape) < 2 {
			return nil, errs.New(errs.Shape, "scan input %d is %v, a batch and a sequence axis expected", k, v)
		}
		if k == 0 {
			b.items, b.longest = v.Shape[0], v.Shape[1]
		}
		if v.Shape[0] != b.items || v.Shape[1] != b.longest {
			return nil, errs.New(errs.Shape, "scan input %d is %v, a batch of %d sequences of %d expected", k, v, b.items, b.longest)
		}
	}
	for k := range b.scan.states {
		if v := c.In(b.first + k); len(v.Shape) < 1 || v.Shape[0] != b.items {
			return nil, errs.New(errs.Shape, "initial state %d is %v, a batch of %d expected", k, v, b.items)
		}
	}
	if !c.Has(0) {
		return slices.Repeat([]int{b.longest}, b.items), nil
	}
	lengths, err := c.Ints(0)
	if err != nil {
		return nil, err
	}
	if len(lengths) != b.items {
		return nil, errs.New(errs.Shape, "sequence_lens has %d entries for a batch of %d", len(lengths), b.items)
	}
	for i, n := range lengths {
		if n < 0 || n > b.longest {
			return nil, errs.New(errs.Compute, "sequence_lens[%d] is %d: it must lie in [0, %d]", i, n, b.longest)
		}
	}
	return lengths, nil
}

// at returns item i of the batch that v holds, its first n elements along axis 1
// where n >= 0.
func at(v *tensor.View, i, n int) tensor.View {
	each := v.Shape[1:].Elements()
	item := v.Slice(i*each, each)
	item.Shape = v.Shape[1:].Clone()
	if n >= 0 {
		item.Shape[0] = n
	}
	return item
}

// item walks over the sequences of item i, which have n slices.
func (b *batch) item(c *op.Context, i, n int) error {
	b.length = n
	dirs := c.Attr.Ints("directions")
	for k := range b.inputs {
		b.inputs[k].view = at(c.In(b.first+b.scan.states+k), i, n)
		if err := b.inputs[k].along(0, dirs != nil && dirs[k] != 0); err != nil {
			return err
		}
	}
	for k := range b.scan.states {
		initial := at(c.In(b.first+k), i, -1)
		b.in[k].Borrow(&initial)
	}
	for k := range b.outputs {
		b.outputs[k].set = false
	}
	for t := range n {
		if err := b.iterate(c, t); err != nil {
			return err
		}
		err := b.collect(c, t, func(c *op.Context, s *scan, k int, h *op.Held) error { return b.output(c, i, k, h) })
		if err != nil {
			return err
		}
	}
	return b.final(c, i)
}

// output points scan output k at item i of the node's output, which is made for
// elements like h where it is not there.
func (b *batch) output(c *op.Context, i, k int, h *op.Held) error {
	all := &b.collected[k]
	if all.DType == tensor.Undefined {
		out, err := c.MakeOutputTensor(b.scan.states+k, h.DType, append(tensor.Shape{b.items, b.longest}, h.Shape...))
		if err != nil {
			return err
		}
		clear(out.Raw())
		*all = *out
	}
	b.outputs[k].view = at(all, i, -1)
	return b.outputs[k].along(0, false)
}

// final copies the states of item i to the outputs.
func (b *batch) final(c *op.Context, i int) error {
	for k := range b.scan.states {
		if k >= c.Outputs() || !c.Wants(k) {
			continue
		}
		h, all := &b.in[k].View, &b.states[k]
		if all.DType == tensor.Undefined {
			out, err := c.MakeOutputTensor(k, h.DType, append(tensor.Shape{b.items}, h.Shape...))
			if err != nil {
				return err
			}
			*all = *out
		}
		row := at(all, i, -1)
		if h.DType != row.DType || !h.Shape.Equal(row.Shape) {
			return errs.New(errs.Shape, "state %d ends as %v in item %d and as %v before: all must be alike", k, h, i, &row)
		}
		copy(row.Raw(), h.Raw())
	}
	return nil
}

// rest makes the outputs that no iteration made.
func (b *batch) rest(c *op.Context) error {
	_, types, err := c.Body("body")
	if err != nil {
		return err
	}
	for slot := range min(c.Outputs(), len(types)) {
		switch k := slot - b.scan.states; {
		case !c.Wants(slot), k < 0 && b.items > 0, k >= 0 && b.collected[k].DType != tensor.Undefined:
			continue
		}
		dtype, shape, err := declaredElement(types[slot])
		if err != nil {
			return err
		}
		lead := tensor.Shape{b.items}
		if slot >= b.scan.states {
			lead = append(lead, b.longest)
		}
		out, err := c.MakeOutputTensor(slot, dtype, append(lead, shape...))
		if err != nil {
			return err
		}
		clear(out.Raw())
	}
	return nil
}
