//go:build ort && cgo

package ortengine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/exec"
	"github.com/goruntime/goruntime/goruntime/internal/testkit"
	"github.com/goruntime/goruntime/goruntime/tensor"
	"github.com/goruntime/goruntime/goruntime/values"
)

// texts returns a string tensor. Its elements lie in the memory of list.
func texts(t testing.TB, list ...string) tensor.View {
	t.Helper()
	elements := make([]tensor.Text, len(list))
	for i, s := range list {
		elements[i] = tensor.TextOf([]byte(s))
	}
	v, err := tensor.ViewOf(tensor.Str, tensor.Shape{len(list)}, elements)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestStringsGoInAndOut(t *testing.T) {
	testkit.NoLeaks(t)
	s := open(t, "strings", exec.Options{})
	for _, c := range []struct{ a, b []string }{
		{[]string{"a", "", "größer"}, []string{strings.Repeat("long ", 100)}},
		{nil, []string{"x"}},
		{nil, nil},
		{[]string{"", ""}, nil},
	} {
		r := run(t, s, texts(t, c.a...), texts(t, c.b...))
		if got := tensor.Elems[string](&r[0].View); !slices.Equal(got, slices.Concat(c.a, c.b)) {
			t.Errorf("%q", got)
		}
		r[0].Release()
	}
	err := s.Run(&exec.Call{In: []tensor.View{texts(t, "a\x00b"), texts(t)}, Out: make([]exec.Result, 1)})
	if errs.CodeOf(err) != errs.Unsupported || !strings.Contains(err.Error(), `"s": string element 0 has a zero byte`) {
		t.Errorf("%v", err)
	}
}

func TestSequencesGoInAndOut(t *testing.T) {
	testkit.NoLeaks(t)
	s := open(t, "pieces", exec.Options{})
	first := f32(t, tensor.Shape{2}, 1, 2)
	in := values.New(values.Sequence, values.NewTensor(first, arena.Handle{}))
	defer in.Release()
	c := &exec.Call{
		In:     []tensor.View{{DType: tensor.Other}, f32(t, tensor.Shape{3}, 3, 4, 5)},
		Values: []*values.Value{in, nil}, Out: make([]exec.Result, 1),
	}
	for range 2 {
		if err := s.Run(c); err != nil {
			t.Fatal(err)
		}
		v := c.Out[0].Value
		if v == nil || v.String() != "seq(f32[2], f32[3])" {
			t.Fatalf("%v", v)
		}
		if got := tensor.Elems[float32](&v.Items[1].View); !slices.Equal(got, []float32{3, 4, 5}) {
			t.Errorf("%v", got)
		}
		if !v.Items[0].Sole() || !s.IO().Holds(v.Items[0].Block()) {
			t.Error("an element is no block of the I/O arena")
		}
		c.Out[0].Release()
	}
	optional := values.New(values.Optional)
	defer optional.Release()
	c.Values[0] = optional
	if err := s.Run(c); errs.CodeOf(err) != errs.Type {
		t.Errorf("%v", err)
	}
}
