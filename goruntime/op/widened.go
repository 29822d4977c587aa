package op

import (
	"unsafe" //lint:allow unsafe the workspace is cut into tensors

	"github.com/goruntime/goruntime/goruntime/kernels/cast"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Widened has a definition take the 16-bit floats by way of its f32 kernel: Prepare and
// Run see their tensors as f32. Inputs are widened before the run, constant ones once a
// session, and outputs are rounded once after it.
func Widened(d Def) Def {
	d.DTypes = d.DTypes.And(Uniform(d.DTypes.Row(tensor.F32), tensor.F16, tensor.BF16))
	if d.Halves == NoHalves {
		d.Halves = RoundedHalves
	}
	prepare, run := d.Prepare, d.Run
	d.Prepare = func(c *Context) error {
		if !c.any(isHalf) {
			c.wider.bytes = 0
			if prepare == nil {
				return nil
			}
			return prepare(c)
		}
		return c.prepareWide(prepare)
	}
	d.Run = func(c *Context) error {
		if c.wider.bytes == 0 {
			return run(c)
		}
		return c.runWide(run)
	}
	return d
}

// wider is what a Context has for a definition that is Widened.
type wider struct {
	bytes int  // of the workspace, with what the operator itself asked for before that of the tensors; 0 where no tensor is a half
	own   int  // what it asked for
	shown bool // f32 tensors are in place of the halves
	cast  Recast
}

func isHalf(v *tensor.View) bool { return v != nil && v.DType.Half() }

// singles shows f32 tensors without memory in place of the halves.
func (c *Context) singles() {
	c.wider.shown = true
	c.keep()
	for i, v := range c.narrow {
		if !isHalf(v) {
			continue
		}
		w := &c.wide[i]
		data := w.Data // of a constant, if it was widened
		if *w = (tensor.View{DType: tensor.F32, Shape: v.Shape}); c.Constant(i) && i < len(c.in) {
			w.Data = data
		}
		c.show(i)
	}
}

// halves shows the halves again.
func (c *Context) halves() {
	c.putBack()
	c.wider.shown = false
}

// Bound returns input i as exec bound it, where a kernel may see another type in its
// place.
func (c *Context) Bound(i int) *tensor.View {
	if c.wider.shown {
		return c.narrow[i]
	}
	return c.in[i]
}

func (c *Context) prepareWide(prepare func(*Context) error) error {
	c.singles()
	defer c.halves()
	size := 0
	for i, v := range c.narrow {
		switch w := &c.wide[i]; {
		case !isHalf(v):
		case i < len(c.in) && c.Constant(i):
			b, err := c.rt.Pack(c, i, "f32", max(1, w.Bytes()), func(b []byte) error {
				w.Data = unsafe.Pointer(unsafe.SliceData(b))
				(&Recast{w, v}).Chunk(0, w.Elements())
				return nil
			})
			if err != nil {
				return err
			}
			w.Data = unsafe.Pointer(unsafe.SliceData(b))
		default:
			size += aligned(w.Bytes())
			if i >= len(c.in) || v.Data == nil {
				continue
			}
			p, err := c.rt.Temporary(c, w.Bytes()) // the value may be asked for
			if err != nil {
				return err
			}
			w.Data = p
			c.recast(w, v)
		}
	}
	if prepare != nil {
		if err := prepare(c); err != nil {
			return err
		}
	}
	c.wider.own = c.workBytes
	c.wider.bytes = aligned(c.workBytes) + size + 1
	c.NeedWorkspace(c.wider.bytes)
	return nil
}

func (c *Context) runWide(run func(*Context) error) error {
	c.singles()
	defer c.halves()
	at := aligned(c.wider.own)
	for i, v := range c.narrow {
		w := &c.wide[i]
		if !isHalf(v) || w.Data != nil {
			continue
		}
		// SAFETY: Prepare asked for as many bytes behind the operator's own.
		w.Data = unsafe.Add(c.work, at)
		if at += aligned(w.Bytes()); i < len(c.in) {
			c.recast(w, v)
		}
	}
	c.workBytes = c.wider.own
	err := run(c)
	c.workBytes = c.wider.bytes
	if err != nil {
		return err
	}
	for i, v := range c.narrow[len(c.in):] {
		if isHalf(v) {
			c.recast(v, &c.wide[len(c.in)+i])
		}
	}
	return nil
}

// aligned rounds bytes up to where the next tensor may begin.
func aligned(n int) int { return (n + 63) &^ 63 }

// Recast converts a tensor of 16-bit floats from or to f32; it is a Task over the
// elements.
type Recast struct{ Dst, Src *tensor.View }

// RecastGrain is how many elements make a chunk worth handing out.
const RecastGrain = 64 << 10

func (c *Context) recast(dst, src *tensor.View) {
	c.wider.cast = Recast{dst, src}
	c.rt.For(dst.Elements(), RecastGrain, &c.wider.cast)
}

// Chunk implements Task over the elements.
func (r *Recast) Chunk(lo, hi int) {
	switch {
	case r.Src.DType == tensor.F16:
		cast.Widen(tensor.Elems[float32](r.Dst)[lo:hi], tensor.Elems[tensor.Half](r.Src)[lo:hi])
	case r.Src.DType == tensor.BF16:
		cast.Widen(tensor.Elems[float32](r.Dst)[lo:hi], tensor.Elems[tensor.BFloat16](r.Src)[lo:hi])
	case r.Dst.DType == tensor.F16:
		cast.Narrow(tensor.Elems[tensor.Half](r.Dst)[lo:hi], tensor.Elems[float32](r.Src)[lo:hi])
	default:
		cast.Narrow(tensor.Elems[tensor.BFloat16](r.Dst)[lo:hi], tensor.Elems[float32](r.Src)[lo:hi])
	}
}
