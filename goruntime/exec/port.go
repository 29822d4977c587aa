package exec

import (
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/plan"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// intake is an input of a frame, found once: a short run follows no indices.
type intake struct {
	view   *tensor.View // nil where nothing reads the input
	lies   []lying      // the values in its memory, view too
	shaped bool         // the program is for this shape alone
}

// lying is a value in a buffer and the byte where it begins.
type lying struct {
	view *tensor.View
	at   int
}

// outlet is an output of a frame, found once.
type outlet struct {
	view  *tensor.View
	buf   int  // the buffer that leaves
	bytes int  // what is acquired for it before the run, plan.Unsized where nothing is
	to    exit // set before begin
}

// connect finds the values of each buffer, of the inputs and of the outputs, and binds
// what lies in constants.
func (f *frame) connect() {
	p := f.prog
	f.lies = make([][]lying, len(p.plan.Buffers))
	for v, b := range p.plan.Of {
		if b != plan.None {
			f.lies[b] = append(f.lies[b], lying{&f.views[v], p.plan.At[v]})
		}
	}
	for v, b := range p.plan.Of {
		if p.vals[v].known && b != plan.None {
			f.bind(b, f.views[v].Data)
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
	for _, l := range i.lies {
		//lint:allow unsafe offsets of the plan
		// SAFETY: as in bind.
		l.view.Data = unsafe.Add(in.Data, l.at)
	}
	i.view.Columns, i.view.Parts = in.Columns, in.Parts
}
