package elementwise

import (
	"fmt"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// pairs are shapes that broadcast, and to what: the specification's examples,
// rows of odd length, dimensions that join and that do not, nothing.
var pairs = []struct{ a, b, out tensor.Shape }{
	{optest.Dims(), optest.Dims(), optest.Dims()},
	{optest.Dims(1, 1), optest.Dims(1), optest.Dims(1, 1)},
	{optest.Dims(2, 3, 4, 5), optest.Dims(), optest.Dims(2, 3, 4, 5)},
	{optest.Dims(2, 3, 4, 5), optest.Dims(5), optest.Dims(2, 3, 4, 5)},
	{optest.Dims(4, 5), optest.Dims(2, 3, 4, 5), optest.Dims(2, 3, 4, 5)},
	{optest.Dims(1, 4, 5), optest.Dims(2, 3, 1, 1), optest.Dims(2, 3, 4, 5)},
	{optest.Dims(3, 4, 5), optest.Dims(2, 1, 1, 1), optest.Dims(2, 3, 4, 5)},
	{optest.Dims(37), optest.Dims(37), optest.Dims(37)},
	{optest.Dims(), optest.Dims(37), optest.Dims(37)},
	{optest.Dims(3, 37), optest.Dims(3, 1), optest.Dims(3, 37)},
	{optest.Dims(3, 1), optest.Dims(3, 37), optest.Dims(3, 37)},
	{optest.Dims(3, 1, 5), optest.Dims(1, 4, 1), optest.Dims(3, 4, 5)},
	{optest.Dims(2, 1, 3), optest.Dims(2, 1, 1), optest.Dims(2, 1, 3)},
	{optest.Dims(3, 1), optest.Dims(1, 17), optest.Dims(3, 17)},
	{optest.Dims(2, 0), optest.Dims(1), optest.Dims(2, 0)},
	{optest.Dims(0), optest.Dims(3, 1), optest.Dims(3, 0)},
}

// source returns the flat index of the element of a tensor of shape s that
// output element i of shape out is made of, by the rule of broadcasting.
func source(s, out tensor.Shape, i int) int {
	at, step := 0, 1
	for d := 1; d <= len(out); d++ {
		x := i % out[len(out)-d]
		i /= out[len(out)-d]
		if d > len(s) {
			continue
		}
		if n := s[len(s)-d]; n > 1 {
			at += x * step
		}
		step *= s[len(s)-d]
	}
	return at
}

// everyPair runs def on every pair of shapes and for every type of its table, with
// left and right giving the inputs by index and f the result.
func everyPair(t *testing.T, def *op.Operator, left, right func(i int) float64, f func(a, b float64) float64, out tensor.DType) {
	t.Helper()
	var cases []optest.Case
	for _, d := range def.Def().DTypes.Types() {
		for _, p := range pairs {
			a, b := make([]float64, p.a.Elements()), make([]float64, p.b.Elements())
			for i := range a {
				a[i] = left(i)
			}
			for i := range b {
				b[i] = right(i)
			}
			want := make([]float64, p.out.Elements())
			for i := range want {
				want[i] = f(a[source(p.a, p.out, i)], b[source(p.b, p.out, i)])
			}
			of := out
			if of == tensor.Undefined {
				of = d
			}
			cases = append(cases, optest.Case{
				Name: fmt.Sprintf("%v %v with %v", d, p.a, p.b), In: optest.In(optest.Filled(d, p.a, a...), optest.Filled(d, p.b, b...)),
				Want: optest.Want(optest.Filled(of, p.out, want...)),
			})
		}
	}
	optest.Run(t, def, cases)
}

// legacy runs the examples that the specification gives for the attribute
// broadcast of the versions before 7, and what it forbids; want is the result
// for a of twos and b of ones.
func legacy(t *testing.T, def *op.Operator, d, out tensor.DType, want float64) {
	t.Helper()
	full := func(d tensor.DType, x float64, dims ...int) *tensor.View {
		values := make([]float64, tensor.Shape(dims).Elements())
		for i := range values {
			values[i] = x
		}
		return optest.Filled(d, dims, values...)
	}
	four := optest.Dims(2, 3, 4, 5)
	result := optest.Want(full(out, want, four...))
	optest.Run(t, def, []optest.Case{
		{Name: "equal shapes", In: optest.In(full(d, 2, four...), full(d, 1, four...)), Want: result},
		{Name: "a scalar", Attrs: optest.Attrs("broadcast", 1), In: optest.In(full(d, 2, four...), full(d, 1)), Want: result},
		{Name: "one number", Attrs: optest.Attrs("broadcast", 1), In: optest.In(full(d, 2, four...), full(d, 1, 1, 1)), Want: result},
		{Name: "the last dimension", Attrs: optest.Attrs("broadcast", 1), In: optest.In(full(d, 2, four...), full(d, 1, 5)), Want: result},
		{Name: "the last two", Attrs: optest.Attrs("broadcast", 1), In: optest.In(full(d, 2, four...), full(d, 1, 4, 5)), Want: result},
		{Name: "from axis 1 on", Attrs: optest.Attrs("broadcast", 1, "axis", 1), In: optest.In(full(d, 2, four...), full(d, 1, 3, 4)), Want: result},
		{Name: "from axis 0 on", Attrs: optest.Attrs("broadcast", 1, "axis", 0), In: optest.In(full(d, 2, four...), full(d, 1, 2)), Want: result},
		{Name: "not asked for", In: optest.In(full(d, 2, four...), full(d, 1, 5)), Err: "broadcast is not set", Code: errs.Shape},
		{Name: "at the wrong axis", Attrs: optest.Attrs("broadcast", 1, "axis", 2), In: optest.In(full(d, 2, four...), full(d, 1, 3, 4)), Err: "does not fit into [2, 3, 4, 5] at axis 2", Code: errs.Shape},
		{Name: "the first input is smaller", Attrs: optest.Attrs("broadcast", 1), In: optest.In(full(d, 2, 5), full(d, 1, 4, 5)), Err: "does not fit into [5]", Code: errs.Shape},
		{Name: "an axis outside", Attrs: optest.Attrs("broadcast", 1, "axis", 4), In: optest.In(full(d, 2, four...), full(d, 1, 3, 4)), Err: "axis 4 is out of range", Code: errs.Shape},
	})
}
