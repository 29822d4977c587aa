package nn

import (
	"math"
	"slices"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/gemm"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// LSTM runs a long short-term memory layer over a sequence.
// https://onnx.ai/onnx/operators/onnx__LSTM.html   Departures: none.
var LSTM = op.Declare(op.Def{
	Name:     "LSTM",
	Versions: op.Versions{7: "", 14: "layout", 22: "bfloat16"},
	Attrs: op.Attrs(op.Floats("activation_alpha"), op.Floats("activation_beta"), op.Strings("activations"), op.Float("clip", 0),
		op.String("direction", "forward"), op.Optional("hidden_size", op.KindInt), op.Int("input_forget", 0), op.Int("layout", 0)),
	Shape:   lstmShape,
	Prepare: lstmPrepare,
	Run:     lstmRun,
	DTypes: op.ByType(map[tensor.DType]lstmKernel{
		tensor.F32: lstm32,
		tensor.F64: lstmWide(func(f float64) float32 { return float32(f) }, func(f float32) float64 { return float64(f) }),
		tensor.F16: lstmWide(tensor.Half.Float32, tensor.HalfOf), tensor.BF16: lstmWide(tensor.BFloat16.Float32, tensor.BFloat16Of),
	}),
	Also: map[int][]tensor.DType{4: {tensor.I32}},
})

// LSTM1 is LSTM before version 7, which has the attribute output_sequence.
var LSTM1 = op.Declare(op.Def{
	Name: "LSTM", Versions: op.Versions{1: "output_sequence"},
	Attrs: append(slices.DeleteFunc(slices.Clone(LSTM.Attrs), func(a op.Attr) bool { return a.Name == "layout" }), op.Int("output_sequence", 0)),
	Shape: lstmShape, Prepare: lstmPrepare, Run: lstmRun, DTypes: LSTM.DTypes, Also: LSTM.Also,
})

// sizes are the dimensions of a recurrent layer.
type sizes struct{ steps, batch, in, hidden, dirs int }

// lstmSizes reads X [T, B, I] (layout 1: [B, T, I]), W [D, 4H, I], R [D, 4H, H].
func lstmSizes(a *op.Values, x, w, r tensor.Shape) (sizes, error) {
	if len(x) != 3 || len(w) != 3 || len(r) != 3 {
		return sizes{}, errs.New(errs.Shape, "X has shape %v, W %v, R %v: each needs rank 3", x, w, r)
	}
	s := sizes{steps: x[0], batch: x[1], in: x[2], hidden: r[2], dirs: 1}
	if layoutOf(a) == 1 {
		s.steps, s.batch = x[1], x[0]
	}
	if a.Str("direction") == "bidirectional" {
		s.dirs = 2
	}
	if !w.Equal(tensor.Shape{s.dirs, 4 * s.hidden, s.in}) || !r.Equal(tensor.Shape{s.dirs, 4 * s.hidden, s.hidden}) {
		return s, errs.New(errs.Shape, "W has shape %v and R %v, [%d, %d, %d] and [%d, %d, %d] expected", w, r, s.dirs, 4*s.hidden, s.in, s.dirs, 4*s.hidden, s.hidden)
	}
	if a.Has("hidden_size") && a.Int("hidden_size") != s.hidden {
		return s, errs.New(errs.Shape, "hidden_size is %d, R has shape %v", a.Int("hidden_size"), r)
	}
	return s, nil
}

// layoutOf returns the attribute layout, which version 1 does not know.
func layoutOf(a *op.Values) int {
	if !a.Has("layout") {
		return 0
	}
	return a.Int("layout")
}

func lstmShape(c *op.Infer) error {
	s, err := lstmSizes(c.Attr, c.In(0), c.In(1), c.In(2))
	if err != nil {
		return err
	}
	state := tensor.Shape{s.dirs, s.batch, s.hidden}
	seq := tensor.Shape{s.steps, s.dirs, s.batch, s.hidden}
	if layoutOf(c.Attr) == 1 {
		state = tensor.Shape{s.batch, s.dirs, s.hidden}
		seq = tensor.Shape{s.batch, s.steps, s.dirs, s.hidden}
	}
	for i, want := range [...]tensor.Shape{3: {s.dirs, 8 * s.hidden}, 4: {s.batch}, 5: state, 6: state, 7: {s.dirs, 3 * s.hidden}} {
		if want == nil {
			continue
		}
		if c.Has(i) && !c.In(i).Equal(want) {
			return errs.New(errs.Shape, "input %d has shape %v, %v expected", i, c.In(i), want)
		}
	}
	c.SetOutput(0, c.DType(0), seq)
	c.SetOutput(1, c.DType(0), state)
	c.SetOutput(2, c.DType(0), state)
	return nil
}

// lstm is the State of an LSTM.
type lstm struct {
	sizes
	layout  int
	clip    float32
	coupled bool
	reverse [2]bool
	act     [2][3]func(float32) float32
	panels  [2][2]unsafe.Pointer // per direction: packed W and R, nil where not constant
	plain   bool                 // the default activations without clip and peepholes
}

func lstmPrepare(c *op.Context) error {
	s := &lstm{layout: layoutOf(c.Attr), clip: c.Attr.Float("clip"), coupled: c.Attr.Bool("input_forget")}
	var err error
	if s.sizes, err = lstmSizes(c.Attr, c.In(0).Shape, c.In(1).Shape, c.In(2).Shape); err != nil {
		return err
	}
	switch d := c.Attr.Str("direction"); d {
	case "forward":
	case "reverse":
		s.reverse[0] = true
	case "bidirectional":
		s.reverse[1] = true
	default:
		return errs.New(errs.Argument, "direction %q is none of forward, reverse, bidirectional", d)
	}
	if err = s.activations(c.Attr); err != nil {
		return err
	}
	s.plain = !c.Attr.Has("activations") && s.clip == 0 && !s.coupled && !c.Has(7)
	c.State = s
	gates := 4 * s.hidden
	if c.In(0).DType != tensor.F32 {
		return nil
	}
	c.NeedWorkspace(4 * (s.steps*s.batch*gates + s.batch*(gates+2*s.hidden) + 2*gates + s.steps*s.batch*s.in))
	for i, k := range [2]int{s.in, s.hidden} {
		if !c.Constant(1 + i) {
			continue
		}
		if err := s.pack(c, i, k); err != nil {
			return err
		}
	}
	return nil
}

// pack puts W (i = 0) or R (i = 1) into panels of columns, once a session.
func (s *lstm) pack(c *op.Context, i, k int) error {
	v, err := c.Value(1 + i)
	if err != nil {
		return err
	}
	gates := 4 * s.hidden
	n := gemm.PackedSize(k, gates)
	mem, err := c.Pack(1+i, "lstm.panels", 4*n*s.dirs, func(dst []byte) error {
		// SAFETY: dst is 64-byte aligned and holds as many float32s.
		out := unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(dst))), n*s.dirs)
		for d := range s.dirs {
			gemm.PackB(out[d*n:], tensor.Elems[float32](v)[d*gates*k:], k, gates, 1, k)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for d := range s.dirs {
		s.panels[d][i] = unsafe.Pointer(&mem[4*n*d])
	}
	return nil
}

// activations settles the functions f, g and h of each direction.
func (s *lstm) activations(a *op.Values) error {
	names := a.Strs("activations")
	if names == nil {
		for range s.dirs {
			names = append(names, "Sigmoid", "Tanh", "Tanh")
		}
	}
	if len(names) != 3*s.dirs {
		return errs.New(errs.Argument, "%d activations given, %d expected: f, g and h of each direction", len(names), 3*s.dirs)
	}
	alpha, beta := a.Floats("activation_alpha"), a.Floats("activation_beta")
	for i, name := range names {
		f, err := activation(name, &alpha, &beta)
		if err != nil {
			return err
		}
		s.act[i/3][i%3] = f
	}
	return nil
}

type lstmKernel func(c *op.Context, s *lstm) error

func lstmRun(c *op.Context) error { return op.Row[lstmKernel](c)(c, c.State.(*lstm)) }

// lengths returns the length of each sequence of the batch, nil where all are
// whole.
func lengths(c *op.Context) []int32 {
	if !c.Has(4) {
		return nil
	}
	return tensor.Elems[int32](c.In(4))
}

// optional returns the elements of input i, nil where it is not given.
func optional[T any](c *op.Context, i int) []T {
	if !c.Has(i) {
		return nil
	}
	return tensor.Elems[T](c.In(i))
}

// layer is one run of the float32 kernel: inputs, outputs and scratch.
type layer struct {
	*lstm
	x, w, r, b, h0, c0, p []float32
	lens                  []int32
	y, yh, yc             []float32 // nil where not wanted
	work                  []float32
}

func lstm32(c *op.Context, s *lstm) error {
	l := layer{
		lstm: s, x: tensor.Elems[float32](c.In(0)), w: tensor.Elems[float32](c.In(1)), r: tensor.Elems[float32](c.In(2)),
		b: optional[float32](c, 3), h0: optional[float32](c, 5), c0: optional[float32](c, 6), p: optional[float32](c, 7), lens: lengths(c),
		work: op.WorkspaceOf[float32](c),
	}
	for i, dst := range []*[]float32{&l.y, &l.yh, &l.yc} {
		if c.Wants(i) {
			*dst = tensor.Elems[float32](c.Out(i))
		}
	}
	return l.run()
}

func (l *layer) run() error {
	for _, n := range l.lens {
		if n < 0 || int(n) > l.steps {
			return errs.New(errs.Compute, "a sequence length is %d: it must lie in [0, %d]", n, l.steps)
		}
	}
	for d := range l.dirs {
		l.direction(d)
	}
	return nil
}

// carve takes n numbers from the front of the scratch.
func carve(work *[]float32, n int) []float32 {
	s := (*work)[:n:n]
	*work = (*work)[n:]
	return s
}

func first(s []float32) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }

// direction runs one direction: the inputs' part of all gates in one product,
// then step by step the state's part and the cell.
func (l *layer) direction(d int) {
	g, h, work := 4*l.hidden, l.hidden, l.work
	proj := carve(&work, l.steps*l.batch*g)
	gates, hid, cell := carve(&work, l.batch*g), carve(&work, l.batch*h), carve(&work, l.batch*h)
	bias := carve(&work, g)
	clear(bias)
	if l.b != nil {
		for i := range bias {
			bias[i] = l.b[d*2*g+i] + l.b[d*2*g+g+i]
		}
	}
	l.initial(d, hid, cell)
	x := l.x
	if l.layout == 1 {
		x = l.timeMajor(carve(&work, l.steps*l.batch*l.in))
	}
	a := gemm.Args{M: l.steps * l.batch, N: g, K: l.in, A: first(x), LDA: l.in, C: first(proj), LDC: g, Start: gemm.Columns, Bias: first(bias)}
	l.product(&a, d, 0, l.w)
	if l.y != nil {
		l.clearPadding(d)
	}
	for t := range l.steps {
		l.step(d, t, proj, gates, hid, cell)
	}
	for b := range l.batch {
		at := (d*l.batch + b) * h
		if l.layout == 1 {
			at = (b*l.dirs + d) * h
		}
		if l.yh != nil {
			copy(l.yh[at:at+h], hid[b*h:])
		}
		if l.yc != nil {
			copy(l.yc[at:at+h], cell[b*h:])
		}
	}
}

// product multiplies with W or R (i = 0, 1), packed or as [4H, K].
func (l *layer) product(a *gemm.Args, d, i int, m []float32) {
	if p := l.panels[d][i]; p != nil {
		a.B = p
		gemm.Run(a, 0, a.M, 0, a.N)
		return
	}
	dots(a, m[d*a.N*a.K:])
}

// dots is the product with a transposed matrix that changes from run to run.
func dots(a *gemm.Args, m []float32) {
	// SAFETY: the matrices have these sizes by the shape rule.
	x, c := unsafe.Slice((*float32)(a.A), a.M*a.LDA), unsafe.Slice((*float32)(a.C), a.M*a.LDC)
	var bias []float32
	if a.Start == gemm.Columns {
		// SAFETY: as above.
		bias = unsafe.Slice((*float32)(a.Bias), a.N)
	}
	for i := range a.M {
		for j := range a.N {
			s := c[i*a.LDC+j]
			if bias != nil {
				s = bias[j]
			}
			for k := range a.K {
				s += x[i*a.LDA+k] * m[j*a.K+k]
			}
			c[i*a.LDC+j] = s
		}
	}
}

func (l *layer) initial(d int, hid, cell []float32) {
	clear(hid)
	clear(cell)
	for b := range l.batch {
		at := (d*l.batch + b) * l.hidden
		if l.layout == 1 {
			at = (b*l.dirs + d) * l.hidden
		}
		if l.h0 != nil {
			copy(hid[b*l.hidden:(b+1)*l.hidden], l.h0[at:])
		}
		if l.c0 != nil {
			copy(cell[b*l.hidden:(b+1)*l.hidden], l.c0[at:])
		}
	}
}

// timeMajor returns X [B, T, I] as [T, B, I].
func (l *layer) timeMajor(dst []float32) []float32 {
	for b := range l.batch {
		for t := range l.steps {
			copy(dst[(t*l.batch+b)*l.in:][:l.in], l.x[(b*l.steps+t)*l.in:])
		}
	}
	return dst
}

// output returns where Y of a step, direction and batch row lies.
func (l *layer) output(t, d, b int) []float32 {
	at := (t*l.dirs+d)*l.batch + b
	if l.layout == 1 {
		at = (b*l.steps+t)*l.dirs + d
	}
	return l.y[at*l.hidden : (at+1)*l.hidden]
}

// clearPadding zeroes what lies behind the end of each sequence.
func (l *layer) clearPadding(d int) {
	for b, n := range l.lens {
		for t := int(n); t < l.steps; t++ {
			clear(l.output(t, d, b))
		}
	}
}

// step advances every sequence of the batch by one: gates in the order i, o, f, c.
func (l *layer) step(d, t int, proj, gates, hid, cell []float32) {
	g, h := 4*l.hidden, l.hidden
	for b := range l.batch {
		if at, ok := l.time(d, t, b); ok {
			copy(gates[b*g:(b+1)*g], proj[(at*l.batch+b)*g:])
		}
	}
	a := gemm.Args{M: l.batch, N: g, K: h, A: first(hid), LDA: h, C: first(gates), LDC: g, Start: gemm.Add}
	l.product(&a, d, 1, l.r)
	for b := range l.batch {
		at, ok := l.time(d, t, b)
		if !ok {
			continue
		}
		row, hb, cb := gates[b*g:(b+1)*g], hid[b*h:(b+1)*h], cell[b*h:(b+1)*h]
		if l.plain {
			vec.LSTMCell(row, hb, cb)
		} else {
			l.anyCell(d, row, hb, cb)
		}
		if l.y != nil {
			copy(l.output(at, d, b), hb)
		}
	}
}

// time returns which input step sequence b reads at step t, false behind its end.
func (l *layer) time(d, t, b int) (int, bool) {
	n := l.steps
	if l.lens != nil {
		n = int(l.lens[b])
	}
	if l.reverse[d] {
		return n - 1 - t, t < n
	}
	return t, t < n
}

// anyCell is the cell with peepholes, clip and any activations.
func (l *layer) anyCell(d int, row, hid, cell []float32) {
	h := l.hidden
	f, g, out := l.act[d][0], l.act[d][1], l.act[d][2]
	for i := range hid {
		c := cell[i]
		in := f(l.bound(row[i] + l.peep(d, i, c)))
		forget := f(l.bound(row[2*h+i] + l.peep(d, 2*h+i, c)))
		if l.coupled {
			forget = 1 - in
		}
		c = forget*c + in*g(l.bound(row[3*h+i]))
		cell[i] = c
		hid[i] = f(l.bound(row[h+i]+l.peep(d, h+i, c))) * out(c)
	}
}

// peep returns what the peephole i, in the order i, o, f, lets through of the
// cell.
func (l *layer) peep(d, i int, c float32) float32 {
	if l.p == nil {
		return 0
	}
	return l.p[d*3*l.hidden+i] * c
}

func (l *lstm) bound(x float32) float32 {
	if l.clip > 0 {
		return float32(math.Max(math.Min(float64(x), float64(l.clip)), -float64(l.clip)))
	}
	return x
}

// lstmWide runs the float32 kernel on converted inputs.
func lstmWide[T any](widen func(T) float32, narrow func(float32) T) lstmKernel {
	return func(c *op.Context, s *lstm) error {
		g := 4 * s.hidden
		l := layer{lstm: s, lens: lengths(c)}
		for i, dst := range [...]*[]float32{&l.x, &l.w, &l.r, &l.b, nil, &l.h0, &l.c0, &l.p} {
			if dst == nil || !c.Has(i) {
				continue
			}
			src := tensor.Elems[T](c.In(i))
			tmp, err := op.Temporary[float32](c, len(src))
			if err != nil {
				return err
			}
			for k, v := range src {
				tmp[k] = widen(v)
			}
			*dst = tmp
		}
		var err error
		if l.work, err = op.Temporary[float32](c, s.steps*s.batch*g+s.batch*(g+2*s.hidden)+2*g+s.steps*s.batch*s.in); err != nil {
			return err
		}
		outs := [...]*[]float32{&l.y, &l.yh, &l.yc}
		for i, dst := range outs {
			if c.Wants(i) {
				if *dst, err = op.Temporary[float32](c, c.Out(i).Elements()); err != nil {
					return err
				}
			}
		}
		if err := l.run(); err != nil {
			return err
		}
		for i, src := range outs {
			if c.Wants(i) {
				out := tensor.Elems[T](c.Out(i))
				for k, v := range *src {
					out[k] = narrow(v)
				}
			}
		}
		return nil
	}
}
