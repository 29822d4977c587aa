package nn

import (
	"strconv"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/gemm"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// unit is what one of RNN, GRU and LSTM adds to a recurrence.
type unit struct {
	gates       int      // blocks of hidden rows in W and R
	activations []string // the defaults of one direction
	states      int      // 2 with a cell state, input 6 and output 2
	// split is where R is cut into matrices that are multiplied one by one, in
	// blocks of hidden rows, from 0 to gates.
	split []int
	// step advances every sequence of the batch by one.
	step func(s *recurrence, d, t int)
}

// sizes are the dimensions of a recurrent layer.
type sizes struct{ steps, batch, in, hidden, dirs int }

// sizesOf reads X [T, B, I] (layout 1: [B, T, I]), W [D, gates*H, I],
// R [D, gates*H, H].
func (u *unit) sizesOf(a *op.Values, x, w, r tensor.Shape) (sizes, error) {
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
	g := u.gates * s.hidden
	if !w.Equal(tensor.Shape{s.dirs, g, s.in}) || !r.Equal(tensor.Shape{s.dirs, g, s.hidden}) {
		return s, errs.New(errs.Shape, "W has shape %v and R %v, [%d, %d, %d] and [%d, %d, %d] expected", w, r, s.dirs, g, s.in, s.dirs, g, s.hidden)
	}
	if a.Has("hidden_size") && a.Int("hidden_size") != s.hidden {
		return s, errs.New(errs.Shape, "hidden_size is %d, R has shape %v", a.Int("hidden_size"), r)
	}
	return s, nil
}

// layoutOf returns the attribute layout, which older versions do not know.
func layoutOf(a *op.Values) int {
	if !a.Has("layout") {
		return 0
	}
	return a.Int("layout")
}

// shape is the shape rule.
func (u *unit) shape(c *op.Infer) error {
	s, err := u.sizesOf(c.Attr, c.In(0), c.In(1), c.In(2))
	if err != nil {
		return err
	}
	return u.outputs(c, s)
}

// outputs checks the other inputs and sets the outputs.
func (u *unit) outputs(c *op.Infer, s sizes) error {
	state := tensor.Shape{s.dirs, s.batch, s.hidden}
	seq := tensor.Shape{s.steps, s.dirs, s.batch, s.hidden}
	if layoutOf(c.Attr) == 1 {
		state = tensor.Shape{s.batch, s.dirs, s.hidden}
		seq = tensor.Shape{s.batch, s.steps, s.dirs, s.hidden}
	}
	for i, want := range [...]tensor.Shape{3: {s.dirs, 2 * u.gates * s.hidden}, 4: {s.batch}, 5: state, 6: state, 7: {s.dirs, 3 * s.hidden}} {
		if want != nil && c.Has(i) && !c.In(i).Equal(want) {
			return errs.New(errs.Shape, "input %d has shape %v, %v expected", i, c.In(i), want)
		}
	}
	c.SetOutput(0, c.DType(0), seq)
	for i := range u.states {
		c.SetOutput(1+i, c.DType(0), state)
	}
	return nil
}

// recurrence is the State of RNN, GRU and LSTM: the node, and the memory of a
// run.
type recurrence struct {
	sizes
	*unit
	layout  int
	clip    float32
	reverse [2]bool
	act     [2][3]func(float32) float32
	panels  [2][3]unsafe.Pointer // per direction: packed W and parts of R, nil where not constant
	bytes   [2][2]*byteMatrix    // per direction: W and R where they are quantized
	memory  quantizedMemory      // the parts of the workspace in that case
	plain   bool                 // the default activations without clip and peepholes
	coupled bool                 // LSTM: input_forget
	both    *directions          // of a layer whose directions run side by side, else nil
	after   bool                 // GRU: linear_before_reset

	x, w, r, b, h0, c0, p        []float32
	lens                         []int32
	y, yh, yc                    []float32 // nil where not wanted
	work                         []float32
	proj, rows, hid, cell, extra []float32 // of the direction that runs
}

func (u *unit) prepare(c *op.Context) error {
	size, err := u.sizesOf(c.Attr, c.In(0).Shape, c.In(1).Shape, c.In(2).Shape)
	if err != nil {
		return err
	}
	s, err := u.newRecurrence(c, size)
	if err != nil || c.In(0).DType != tensor.F32 {
		return err
	}
	c.NeedWorkspace(4 * s.sides() * s.workFloats())
	if c.Constant(1) {
		err = s.pack(c, 1, 0, s.in, 0, u.gates)
	}
	for i := 0; i+1 < len(u.split) && c.Constant(2) && err == nil; i++ {
		err = s.pack(c, 2, 1+i, s.hidden, u.split[i], u.split[i+1])
	}
	return err
}

// newRecurrence leaves the State of a layer of these sizes.
func (u *unit) newRecurrence(c *op.Context, size sizes) (*recurrence, error) {
	s := &recurrence{unit: u, sizes: size, layout: layoutOf(c.Attr), clip: c.Attr.Float("clip")}
	switch d := c.Attr.Str("direction"); d {
	case "forward", "foward": // the default of GRU 1 is misspelt
	case "reverse":
		s.reverse[0] = true
	case "bidirectional":
		s.reverse[1] = true
	default:
		return nil, errs.New(errs.Argument, "direction %q is none of forward, reverse, bidirectional", d)
	}
	if err := s.settle(c.Attr); err != nil {
		return nil, err
	}
	s.plain = !c.Attr.Has("activations") && s.clip == 0 && !c.Has(7)
	work := s.steps * s.batch * s.gates * s.hidden * (s.in + s.hidden)
	if s.dirs == 2 && c.Threads() > 1 && c.In(0).DType == tensor.F32 && work >= worthTwo {
		s.both = new(directions)
	}
	c.State = s
	return s, nil
}

// worthTwo is how many multiplications of a direction are worth a thread; tests set it.
var worthTwo = 256 << 10

// sides is how many directions run at a time.
func (s *recurrence) sides() int {
	if s.both != nil {
		return 2
	}
	return 1
}

// workFloats returns how much scratch a direction needs.
func (s *recurrence) workFloats() int {
	g := s.gates * s.hidden
	return s.steps*s.batch*(g+s.in) + s.batch*(g+3*s.hidden) + g
}

// pack puts rows [from, to) of W or R, in blocks of hidden rows, into panels of
// columns, once a session.
func (s *recurrence) pack(c *op.Context, input, slot, k, from, to int) error {
	v, err := c.Value(input)
	if err != nil {
		return err
	}
	g, rows := s.gates*s.hidden, (to-from)*s.hidden
	n := gemm.PackedSize(k, rows)
	mem, err := c.Pack(input, "recurrence.panels/"+strconv.Itoa(from)+"-"+strconv.Itoa(to), 4*n*s.dirs, func(dst []byte) error {
		// SAFETY: dst is 64-byte aligned and holds as many float32s.
		out := unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(dst))), n*s.dirs)
		for d := range s.dirs {
			gemm.PackB(out[d*n:], tensor.Elems[float32](v)[(d*g+from*s.hidden)*k:], k, rows, 1, k)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for d := range s.dirs {
		s.panels[d][slot] = unsafe.Add(unsafe.Pointer(unsafe.SliceData(mem)), 4*n*d) // SAFETY: one direction's panels behind the other's
	}
	return nil
}

// settle looks up the activations of each direction.
func (s *recurrence) settle(a *op.Values) error {
	names, n := a.Strs("activations"), len(s.activations)
	if !a.Has("activations") {
		names = nil
		for range s.dirs {
			names = append(names, s.activations...)
		}
	}
	if len(names) != n*s.dirs {
		return errs.New(errs.Argument, "%d activations given, %d expected: %d for each direction", len(names), n*s.dirs, n)
	}
	alpha, beta := a.Floats("activation_alpha"), a.Floats("activation_beta")
	for i, name := range names {
		f, err := activation(name, &alpha, &beta)
		if err != nil {
			return err
		}
		s.act[i/n][i%n] = f
	}
	return nil
}
