package exec

import (
	"github.com/goruntime/goruntime/goruntime/plan"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// intake is an input of a frame, found once: a short run follows no indices.
type intake struct {
	view   *tensor.View   // nil where nothing reads the input
	lies   []*tensor.View // the values in its memory, view too
	shaped bool           // the program is for this shape alone
}

// outlet is an output of a frame, found once.
type outlet struct {
	view  *tensor.View
	buf   int  // the buffer that leaves
	bytes int  // what is acquired for it before the run, plan.Unsized where nothing is
	to    exit // set before begin
}

// connect finds the values of each buffer, of the inputs and of the outputs.
func (f *frame) connect() {
	p := f.prog
	f.lies = make([][]*tensor.View, len(p.plan.Buffers))
	for v, b := range p.plan.Of {
		if b != plan.None {
			f.lies[b] = append(f.lies[b], &f.views[v])
		}
	}
	f.ins = make([]intake, len(p.inputs))
	for i, v := range p.inputs {
		if v >= 0 {
			f.ins[i] = intake{view: &f.views[v], lies: f.lies[p.plan.Of[v]], shaped: p.vals[v].shaped}
		}
	}
	f.outs = make([]outlet, len(p.outputs))
	for k, v := range p.outputs {
		b := p.plan.Of[v]
		f.outs[k] = outlet{view: &f.views[v], buf: b, bytes: plan.Unsized}
		if p.through[k] == made {
			f.outs[k].bytes = p.plan.Buffers[b].Bytes
		}
	}
}

// take binds the input to what a run feeds.
func (i *intake) take(in *tensor.View) {
	if i.view == nil {
		return
	}
	if !i.shaped {
		i.view.DType = in.DType
		i.view.Shape = append(i.view.Shape[:0], in.Shape...)
	}
	for _, v := range i.lies {
		v.Data = in.Data
	}
	i.view.Columns, i.view.Parts = in.Columns, in.Parts
}
