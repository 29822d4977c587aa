package exec

import (
	"slices"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
	"github.com/goruntime/goruntime/goruntime/values"
)

// span is memory from one address to before another; empty where they are the same.
type span struct{ from, to uintptr }

// spanOf returns the n bytes that p points at.
func spanOf(p unsafe.Pointer, n int) span {
	//lint:allow unsafe an address to compare
	// SAFETY: the number is compared and never made a pointer again.
	from := uintptr(p)
	return span{from, from + uintptr(n)}
}

func (s span) meets(t span) bool { return max(s.from, t.from) < min(s.to, t.to) }

// lentSpans returns the memory of each output that is written to memory of the caller's.
//
// Errors: errs.Argument for memory that two outputs have, errs.Type for a type whose
// elements point elsewhere, errs.Shape.
func (c *Call) lentSpans(names []string) ([]span, error) {
	if len(c.Lent) != len(c.Out) {
		return nil, errs.New(errs.Argument, "memory for %d outputs given, %d expected (nil where the run is to take its own)", len(c.Lent), len(c.Out))
	}
	spans := make([]span, len(c.Lent))
	for k, v := range c.Lent {
		if v == nil {
			continue
		}
		if !v.DType.Valid() || v.DType == tensor.Str {
			return nil, errs.New(errs.Type, "memory of %v given for output %q: tensors of numbers alone are written to memory of the caller", v.DType, names[k]).WithInput(names[k])
		}
		n, err := v.Shape.Check(v.DType)
		if err == nil && n > 0 && v.Data == nil {
			err = errs.New(errs.Argument, "the memory given for output %q has no address, %v takes %d bytes", names[k], v, n)
		}
		if err != nil {
			return nil, errs.At(err, "", "", names[k])
		}
		spans[k] = spanOf(v.Data, n)
		for j := range k {
			if spans[k].meets(spans[j]) {
				return nil, errs.New(errs.Argument, "the memory given for output %q overlaps that for output %q: each takes memory of its own", names[k], names[j]).WithInput(names[k])
			}
		}
	}
	return spans, nil
}

// inLent reports whether an input lies in memory that outputs are written to. Which of
// its elements are read after which are written is the plan's to know, so the run reads a
// copy.
//
// Errors: errs.Argument for a sequence, an optional or a map, of which none is made.
func (c *Call) inLent(i int, lent []span, name string) (bool, error) {
	for s := range c.fed(i) {
		if !slices.ContainsFunc(lent, s.meets) {
			continue
		}
		if c.In[i].DType == tensor.Other {
			return false, errs.New(errs.Argument, "a tensor in it lies in the memory given for an output: give the output other memory, or feed a copy").WithInput(name)
		}
		return true, nil
	}
	return false, nil
}

// fed yields the memory of input i, however it lies.
func (c *Call) fed(i int) func(yield func(span) bool) {
	return func(yield func(span) bool) {
		if in := &c.In[i]; in.DType != tensor.Other {
			spansOf(in, yield)
		} else {
			spansIn(c.Values[i], yield)
		}
	}
}

func spansOf(v *tensor.View, yield func(span) bool) bool {
	columns := func(list []unsafe.Pointer, rows int) bool {
		for _, p := range list {
			if !yield(spanOf(p, v.DType.Bytes(rows))) {
				return false
			}
		}
		return true
	}
	for i := range v.Parts {
		p := &v.Parts[i]
		rows := p.End - p.First
		if !columns(p.Columns, rows) || p.Columns == nil && !yield(spanOf(p.Data, v.DType.Bytes(rows*v.RowElements()))) {
			return false
		}
	}
	if v.Columns != nil {
		return columns(v.Columns, v.Shape[0])
	}
	return v.Parts != nil || yield(spanOf(v.Data, v.Bytes()))
}

// spansIn yields the memory of the tensors in a sequence, an optional or a map.
func spansIn(v *values.Value, yield func(span) bool) bool {
	if v.Kind == values.Tensor {
		return spansOf(&v.View, yield)
	}
	for _, item := range v.Items {
		if !spansIn(item, yield) {
			return false
		}
	}
	return true
}

// staged runs c on copies of the inputs that it may not read where they lie.
func (c *Call) staged(on Resources, r Runner, lent []span, inputs []Info) error {
	given := c.In
	defer func() { c.In = given }()
	c.In = slices.Clone(given)
	_, own := r.(*unit)
	for i := range given {
		v := &c.In[i]
		reason, gathers := arena.CopyOverlap, !own && !v.Dense() // columns and parts are the runtime's own
		if gathers {
			reason = gatherReason(v)
		} else if met, err := c.inLent(i, lent, inputs[i].Name); err != nil {
			return err
		} else if !met {
			continue
		}
		h, err := on.Execution.Acquire(v.Bytes())
		if err != nil {
			return err
		}
		defer h.Release()
		on.IO.CountCopy(reason, v.Bytes())
		if v.Dense() {
			copy(bytesOf(h, v.Bytes()), v.Raw())
		} else {
			op.GatherRows(h.Data(), v, 0, v.Shape[0])
		}
		v.Data, v.Columns, v.Parts = h.Data(), nil, nil
	}
	return r.Run(c, on)
}
