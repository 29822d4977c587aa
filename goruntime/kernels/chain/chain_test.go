package chain

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/kernels/vec"
)

// expression is a chain and, beside it, what each value is for one element.
type expression struct {
	b     Builder
	r     *rand.Rand
	shape []int
	data  [][]float32             // of each input
	value []func(o []int) float32 // of each Ref, at a position of the output
	full  []bool                  // whether a Ref has the output's shape
	onto  bool
}

func alone(f func(dst, x []float32), x float32) float32 {
	one := [1]float32{x}
	f(one[:], one[:])
	return one[0]
}

// input adds a tensor that repeats in some dimensions, or none.
func (e *expression) input(repeats bool) Ref {
	shape := slices.Clone(e.shape)
	if repeats {
		for d := range shape {
			if e.r.IntN(2) == 0 {
				shape[d] = 1
			}
		}
		for len(shape) > 0 && shape[0] == 1 && e.r.IntN(2) == 0 {
			shape = shape[1:]
		}
	}
	return e.tensor(shape)
}

// tensor adds a tensor of a shape that broadcasts to the output's.
func (e *expression) tensor(shape []int) Ref {
	n := 1
	for _, d := range shape {
		n *= d
	}
	data := make([]float32, n)
	for i := range data {
		data[i] = float32(e.r.NormFloat64() * 3)
	}
	e.data = append(e.data, data)
	lead := len(e.shape) - len(shape)
	return e.add(e.b.Input(shape), slices.Equal(shape, e.shape), func(o []int) float32 {
		at := 0
		for d, n := range shape {
			at = at*n + o[lead+d]%n
		}
		return data[at]
	})
}

func (e *expression) add(r Ref, full bool, f func(o []int) float32) Ref {
	if int(r) != len(e.value) {
		panic("references are counted")
	}
	e.value, e.full = append(e.value, f), append(e.full, full)
	return r
}

func (e *expression) number(x float32) Ref {
	return e.add(e.b.Number(x), false, func([]int) float32 { return x })
}

func (e *expression) apply(f vec.Function, x Ref) Ref {
	of := e.value[x]
	return e.add(e.b.Apply(f, x), true, func(o []int) float32 {
		return alone(func(dst, x []float32) { vec.Apply(f, dst, x) }, of(o))
	})
}

func (e *expression) bend(c vec.Curve, x Ref, s, r float32) Ref {
	of := e.value[x]
	return e.add(e.b.Bend(c, x, s, r), true, func(o []int) float32 {
		return alone(func(dst, x []float32) { vec.Bend(c, dst, x, s, r) }, of(o))
	})
}

func (e *expression) combine(op vec.Operation, x, y Ref) Ref {
	a, b := e.value[x], e.value[y]
	return e.add(e.b.Combine(op, x, y), true, func(o []int) float32 {
		by := [1]float32{b(o)}
		return alone(func(dst, x []float32) { vec.Combine(op, dst, x, by[:]) }, a(o))
	})
}

// check runs the chain in pieces and by columns of its lines, out of place and over each input whose
// memory it may take, and compares every bit.
func (e *expression) check(t *testing.T) *Program {
	t.Helper()
	p := e.b.Finish(e.shape, e.onto)
	if p == nil {
		return nil
	}
	want := make([]float32, p.Elements())
	o := make([]int, len(e.shape))
	for i := range want {
		rest := i
		for d := len(o) - 1; d >= 0; d-- {
			o[d] = rest % e.shape[d]
			rest /= e.shape[d]
		}
		want[i] = e.value[len(e.value)-1](o)
	}
	places := append([]int{-1}, p.Over()...)
	if e.onto {
		places = []int{0}
	}
	for i := range 2 * len(places) {
		over, columns := places[i/2], i%2 == 1
		b := Bound{Program: p}
		out := make([]float32, len(want))
		for i, d := range e.data {
			if i == over {
				copy(out, d)
				d = out
			}
			b.In[i] = unsafe.Pointer(unsafe.SliceData(d))
		}
		b.Out = unsafe.Pointer(unsafe.SliceData(out))
		room := make([]float32, p.Scratch())
		for lo := 0; columns && lo < p.Line(); {
			n := min(p.Line()-lo, 1+e.r.IntN(1+2*p.Line()/3))
			b.Rows(lo, n, p.Line(), len(out)/p.Line(), room)
			lo += n
		}
		for lo := 0; !columns && lo < len(out); {
			hi := min(len(out), lo+1+e.r.IntN(1+2*len(out)/3))
			b.Run(lo, hi, room)
			lo = hi
		}
		for i := range out {
			if math.Float32bits(out[i]) != math.Float32bits(want[i]) && (out[i] == out[i] || want[i] == want[i]) {
				t.Fatalf("over input %d: element %d of %v is %v, want %v", over, i, e.shape, out[i], want[i])
			}
		}
	}
	return p
}

func newExpression(seed uint64, shape ...int) *expression {
	return &expression{r: rand.New(rand.NewPCG(seed, 7)), shape: shape}
}

// A chain gives the bits of its operations one by one, wherever values lie.
func TestRandomChainsGiveTheBitsOfTheirSteps(t *testing.T) {
	for seed := range uint64(150) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 3))
			shape := make([]int, r.IntN(4))
			for d := range shape {
				shape[d] = []int{1, 2, 3, 5, 17, 40}[r.IntN(6)]
			}
			if r.IntN(8) == 0 {
				shape = append(shape, 2*block+100)
			}
			e := newExpression(seed, shape...)
			e.onto = r.IntN(2) == 0
			e.input(false)
			for range 1 + r.IntN(8) {
				e.grow()
			}
			e.check(t)
		})
	}
}

// grow adds a random step of what is there.
func (e *expression) grow() {
	pick := func() Ref {
		for {
			if x := Ref(e.r.IntN(len(e.full))); e.full[x] {
				return x
			}
		}
	}
	x := pick()
	switch e.r.IntN(4) {
	case 0:
		fs := []vec.Function{vec.Rectifier, vec.Logistic, vec.HyperbolicTangent, vec.Negative, vec.ErrorFunction}
		e.apply(fs[e.r.IntN(len(fs))], x)
	case 1:
		e.bend(vec.Curve(e.r.IntN(4)), x, -1, 2)
	default:
		y := x
		switch e.r.IntN(4) {
		case 0:
			y = e.number(float32(e.r.NormFloat64()))
		case 1:
			if len(e.data) < MaxInputs {
				y = e.input(true)
			}
		case 2:
			y = pick()
		}
		ops := []vec.Operation{vec.Plus, vec.Minus, vec.Times, vec.Over, vec.Larger, vec.Leak}
		if op := ops[e.r.IntN(len(ops))]; e.r.IntN(2) == 0 {
			e.combine(op, x, y)
		} else {
			e.combine(op, y, x)
		}
	}
}

// The steps that are merged, and those beside them that must not be.
func TestMerging(t *testing.T) {
	for _, c := range []struct {
		name  string
		build func(e *expression, x Ref)
		steps int
	}{
		{"x*2 + 3", func(e *expression, x Ref) { e.combine(vec.Plus, e.combine(vec.Times, x, e.number(2)), e.number(3)) }, 1},
		{"3 + 2*x", func(e *expression, x Ref) { e.combine(vec.Plus, e.number(3), e.combine(vec.Times, e.number(2), x)) }, 1},
		{"x*2 - 3", func(e *expression, x Ref) { e.combine(vec.Minus, e.combine(vec.Times, x, e.number(2)), e.number(3)) }, 2},
		{"x*2 + 3, whose product is read twice", func(e *expression, x Ref) {
			p := e.combine(vec.Times, x, e.number(2))
			e.combine(vec.Times, e.combine(vec.Plus, p, e.number(3)), p)
		}, 3},
		{"x*y + 3 with a dense y", func(e *expression, x Ref) { e.combine(vec.Plus, e.combine(vec.Times, x, e.input(false)), e.number(3)) }, 2},
		{"x logistic(x)", func(e *expression, x Ref) { e.combine(vec.Times, x, e.apply(vec.Logistic, x)) }, 1},
		{"y logistic(x)", func(e *expression, x Ref) { e.combine(vec.Times, e.input(false), e.apply(vec.Logistic, x)) }, 2},
		{"a hard swish in parts", func(e *expression, x Ref) { hardSwish(e, x, 3, 6, 6) }, 1},
		{"another sum", func(e *expression, x Ref) { hardSwish(e, x, 2.5, 6, 6) }, 4},
		{"another bound", func(e *expression, x Ref) { hardSwish(e, x, 3, 5, 6) }, 4},
		{"another divisor", func(e *expression, x Ref) { hardSwish(e, x, 3, 6, 5) }, 4},
		{"a code through a gate", func(e *expression, x Ref) { gated(e, x, vec.Times, 6) }, 1},
		{"a code through a gate and back", func(e *expression, x Ref) { e.combine(vec.Times, gated(e, x, vec.Times, 6), e.number(6)) }, 1},
		{"a code through a gate and back by another number", func(e *expression, x Ref) { e.combine(vec.Times, gated(e, x, vec.Times, 6), e.number(5)) }, 2},
		{"a code of a quotient through a gate", func(e *expression, x Ref) { gated(e, x, vec.Over, 6) }, 4},
		{"a gelu in parts", func(e *expression, x Ref) { gelu(e, x, x, 1) }, 1},
		{"a gelu of two values", func(e *expression, x Ref) { gelu(e, x, e.input(false), 1) }, 5},
		{"a gelu with another sum", func(e *expression, x Ref) { gelu(e, x, x, 2) }, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := newExpression(1, 3, 50)
			c.build(e, e.input(false))
			e.check(t)
			if p := e.b.Finish(e.shape, false); p.Steps() != c.steps {
				t.Errorf("%d steps, want %d", p.Steps(), c.steps)
			}
		})
	}
}

// Numbers for each channel, what is added, and a bound are one step, of short lines and
// of long ones.
func TestAffineLines(t *testing.T) {
	for _, c := range []struct {
		name  string
		build func(e *expression, x, line Ref)
		steps int
	}{
		{"a line", func(*expression, Ref, Ref) {}, 1},
		{"and zero", func(e *expression, _, line Ref) { e.apply(vec.Rectifier, line) }, 1},
		{"and another", func(e *expression, _, line Ref) { e.combine(vec.Plus, e.input(false), line) }, 1},
		{"and another, and zero", func(e *expression, _, line Ref) {
			e.apply(vec.Rectifier, e.combine(vec.Plus, line, e.input(false)))
		}, 1},
		{"and two others", func(e *expression, _, line Ref) {
			e.combine(vec.Plus, e.combine(vec.Plus, line, e.input(false)), e.input(false))
		}, 2},
		{"and another line", func(e *expression, _, line Ref) {
			times, plus := e.tensor([]int{3, 1, 1}), e.tensor([]int{3, 1, 1})
			e.apply(vec.Rectifier, e.combine(vec.Plus, line, e.combine(vec.Plus, plus, e.combine(vec.Times, times, e.input(false)))))
		}, 2},
		{"twice", func(e *expression, _, line Ref) { e.combine(vec.Plus, line, line) }, 2},
		{"and what it is of", func(e *expression, x, line Ref) { e.combine(vec.Plus, line, x) }, 1},
		{"and a number for each channel", func(e *expression, _, line Ref) { e.combine(vec.Plus, line, e.tensor([]int{3, 1, 1})) }, 2},
		{"rectified twice", func(e *expression, _, line Ref) { e.apply(vec.Rectifier, e.apply(vec.Rectifier, line)) }, 2},
	} {
		for _, wide := range []int{7, 90} {
			t.Run(fmt.Sprintf("%s of %d", c.name, wide), func(t *testing.T) {
				for seed := range uint64(5) {
					e := newExpression(seed, 2, 3, 10, wide)
					e.onto = seed%2 == 0
					x := e.input(false)
					c.build(e, x, e.combine(vec.Plus, e.combine(vec.Times, x, e.tensor([]int{3, 1, 1})), e.tensor([]int{3, 1, 1})))
					if p := e.check(t); p.Steps() != c.steps {
						t.Errorf("%d steps, want %d", p.Steps(), c.steps)
					}
				}
			})
		}
	}
}

// Lines of one input that is the same for all, with numbers for each line beside it.
func TestLinesThatRepeat(t *testing.T) {
	for seed := range uint64(40) {
		e := newExpression(seed, 3, 37, 2+int(seed)*7)
		wide := e.shape[2]
		x := e.combine(vec.Times, e.input(false), e.tensor([]int{wide}))
		if seed%2 == 0 {
			x = e.combine(vec.Plus, x, e.tensor([]int{3, 37, 1}))
		}
		e.combine(vec.Larger, e.tensor([]int{1, wide}), e.combine(vec.Minus, e.apply(vec.HyperbolicTangent, x), x))
		if p := e.check(t); p.rows != (2*wide <= block) {
			t.Errorf("lines of %d go side by side: %v", wide, p.rows)
		}
	}
}

func hardSwish(e *expression, x Ref, plus, bound, by float32) {
	c := e.bend(vec.Clamp, e.combine(vec.Plus, x, e.number(plus)), 0, bound)
	e.combine(vec.Over, e.combine(vec.Times, x, c), e.number(by))
}

// gated adds a code, the number that it stands for, a gate, and the code of that.
func gated(e *expression, x Ref, first vec.Operation, over float32) Ref {
	c := e.bend(vec.Whole, e.combine(first, x, e.number(7)), -20, 20)
	g := e.bend(vec.Gate, e.combine(vec.Times, c, e.number(0.25)), 1.0/6, 0.5)
	return e.bend(vec.Whole, e.combine(vec.Over, g, e.number(over)), -10, 30)
}

func gelu(e *expression, x, y Ref, plus float32) {
	erf := e.apply(vec.ErrorFunction, e.combine(vec.Over, x, e.number(math.Sqrt2)))
	e.combine(vec.Times, e.combine(vec.Times, y, e.combine(vec.Plus, erf, e.number(plus))), e.number(0.5))
}

// Rows of a matrix, with what lies between them untouched.
func TestRows(t *testing.T) {
	var b Builder
	b.Combine(vec.Plus, b.Input([]int{4, 50}), b.Input([]int{4, 1}))
	p := b.Finish([]int{4, 50}, true)
	out, bias := make([]float32, 200), []float32{1, 2, 3, 4}
	bound := Bound{Program: p, Out: unsafe.Pointer(&out[0])}
	bound.In[0], bound.In[1] = bound.Out, unsafe.Pointer(&bias[0])
	bound.Rows(50+7, 20, 50, 3, nil)
	for i, x := range out {
		want := float32(0)
		if row, col := i/50, i%50; row >= 1 && col >= 7 && col < 27 {
			want = bias[row]
		}
		if x != want {
			t.Fatalf("element %d is %v, want %v", i, x, want)
		}
	}
}

// A chain with more values than a run has places for is refused.
func TestTooManyPlaces(t *testing.T) {
	var b Builder
	x := b.Input([]int{4})
	var list []Ref
	for i := range maxPlaces {
		list = append(list, b.Combine(vec.Times, x, b.Number(float32(i))))
	}
	for _, r := range list {
		x = b.Combine(vec.Plus, x, r)
	}
	if b.Finish([]int{4}, false) != nil {
		t.Error("a chain of too many values was finished")
	}
}

func BenchmarkRun(b *testing.B) {
	for _, n := range []int{64, 1024} {
		b.Run(fmt.Sprintf("f32/64x%d", n), func(b *testing.B) {
			var c Builder
			x := c.Input([]int{64, n})
			x = c.Combine(vec.Plus, x, c.Input([]int{64, 1}))
			c.Combine(vec.Times, x, c.Apply(vec.Logistic, x))
			p := c.Finish([]int{64, n}, true)
			out, bias := make([]float32, 64*n), make([]float32, 64)
			bound := Bound{Program: p, Out: unsafe.Pointer(&out[0])}
			bound.In[0], bound.In[1] = bound.Out, unsafe.Pointer(&bias[0])
			room := make([]float32, p.Scratch())
			for b.Loop() {
				bound.Run(0, 64*n, room)
			}
		})
	}
}

// Short lines with a number each go through steps together, over several images too,
// and not beyond a line where a piece begins or ends inside one.
func TestShortLinesWithANumberEach(t *testing.T) {
	for _, shape := range [][]int{{7, 49}, {3, 5, 17}, {2, 300, 4}, {2, 3, 5, 9}} {
		e := newExpression(uint64(len(shape)), shape...)
		x := e.input(false)
		each := slices.Clone(shape)
		each[len(each)-1] = 1
		scale, shift := e.tensor(each), e.tensor(each[len(each)-2:])
		x = e.combine(vec.Plus, e.combine(vec.Times, x, scale), e.number(0.5))
		x = e.apply(vec.Logistic, x)
		e.combine(vec.Minus, shift, x)
		if p := e.check(t); !p.rows {
			t.Fatalf("lines of %v go one by one", shape)
		}
	}
}
