package onnx_test

import (
	"bytes"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// whole is a small model with everything that a reader meets.
func whole() []byte {
	attr := func(name string, f func(*wire)) []byte {
		w := (&wire{}).text(1, name)
		f(w)
		return *w
	}
	inner := (&wire{}).bytes(1, *(&wire{}).text(1, "x").text(2, "z").text(4, "Relu")).bytes(12, *(&wire{}).text(1, "z"))
	node := (&wire{}).text(1, "x").text(1, "w").text(2, "y").text(3, "n").text(4, "Add").
		bytes(5, attr("i", func(w *wire) { w.int(3, 1).int(20, 2) })).
		bytes(5, attr("l", func(w *wire) { w.bytes(8, []byte{1, 2, 0x80, 1}).int(20, 7) })).
		bytes(5, attr("s", func(w *wire) { w.text(9, "a").text(9, "b").int(20, 8) })).
		bytes(5, attr("t", func(w *wire) { w.bytes(5, *header(tensor.I8, 2).bytes(5, []byte{1, 2})).int(20, 4) })).
		bytes(5, attr("g", func(w *wire) { w.bytes(6, *inner).int(20, 5) }))
	shape := (&wire{}).bytes(1, *(&wire{}).int(1, 2)).bytes(1, *(&wire{}).text(2, "N"))
	typ := (&wire{}).bytes(1, *(&wire{}).int(1, 1).bytes(2, *shape))
	seq := (&wire{}).bytes(4, *(&wire{}).bytes(1, *typ))
	g := (&wire{}).bytes(1, *node).text(2, "g").
		bytes(5, *header(tensor.F32, 2).bytes(9, make([]byte, 8))).
		bytes(5, *outside(header(tensor.F32, 2), "w.bin", "8", "8")).
		bytes(11, *(&wire{}).text(1, "x").bytes(2, *typ)).
		bytes(12, *(&wire{}).text(1, "y").bytes(2, *seq)).
		bytes(15, *sparse([]float32{5}, []uint64{6}, indices([]uint64{1}, 1)))
	f := (&wire{}).text(1, "F").text(4, "a").text(5, "b").bytes(7, *(&wire{}).text(1, "a").text(2, "b").text(4, "Relu")).bytes(9, *(&wire{}).int(2, 21))
	return *(&wire{}).int(1, 10).bytes(8, *(&wire{}).text(1, "").int(2, 21)).bytes(7, *g).bytes(25, *f)
}

// readAll reads what a model holds; what it claims to hold is never allocated
// before it is compared with what is there.
func readAll(t *testing.T, g *onnx.Graph) {
	for i := range g.Initializers {
		read(t, &g.Initializers[i])
	}
	for i := range g.Nodes {
		for k := range g.Nodes[i].Attrs {
			a := &g.Nodes[i].Attrs[k]
			if a.T != nil {
				read(t, a.T)
			}
			if a.G != nil {
				readAll(t, a.G)
			}
		}
	}
	for i := range g.SparseInitializers {
		s := &g.SparseInitializers[i]
		shape, err := s.Shape()
		if err != nil {
			continue
		}
		if n, err := shape.Check(s.Values.DType); err == nil && n <= 1<<16 {
			checkCode(t, s.CopyTo(make([]byte, n)))
		}
	}
}

func read(t *testing.T, x *onnx.Tensor) {
	b, err := elements(x)
	checkCode(t, err)
	if err != nil {
		return
	}
	again, err := elements(x)
	if err != nil || !bytes.Equal(b, again) {
		t.Fatalf("tensor %q reads %x, then %x, %v", x.Name, b, again, err)
	}
}

func checkCode(t *testing.T, err error) {
	t.Helper()
	switch code := errs.CodeOf(err); {
	case err == nil, code == errs.Model, code == errs.Type, code == errs.Shape, code == errs.IO, code == errs.Unsupported:
	default:
		t.Fatalf("an error of code %v: %v", code, err)
	}
}

func FuzzParse(f *testing.F) {
	model := whole()
	f.Add(model)
	for _, n := range []int{0, 1, 5, len(model) / 2, len(model) - 1} {
		f.Add(model[:n])
	}
	f.Add(nestedModel(60))
	f.Add(modelOf(header(tensor.F32, 1<<40, 1<<40).bytes(9, nil)))
	f.Fuzz(func(t *testing.T, b []byte) {
		before := bytes.Clone(b)
		m, err := onnx.Parse(b)
		if err != nil {
			if errs.CodeOf(err) != errs.Model || err.Error() == "" {
				t.Fatalf("an error of code %v: %v", errs.CodeOf(err), err)
			}
			return
		}
		defer m.Close()
		readAll(t, m.Graph)
		if !bytes.Equal(b, before) {
			t.Fatal("the input was written to")
		}
	})
}

// Each prefix and each changed byte of a model is read or refused, never a
// crash.
func TestDamagedModels(t *testing.T) {
	model := whole()
	m, err := onnx.Parse(model)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Graph.Nodes) != 1 || len(m.Graph.Nodes[0].Attrs) != 5 || len(m.Graph.Initializers) != 2 || len(m.Functions) != 1 || len(m.Graph.SparseInitializers) != 1 {
		t.Fatalf("the model is not read whole: %+v", m.Graph)
	}
	try := func(b []byte) {
		m, err := onnx.Parse(b)
		checkCode(t, err)
		if err == nil {
			readAll(t, m.Graph)
			m.Close()
		}
	}
	for n := range model {
		try(model[:n])
		for _, v := range []byte{0, 1, 0x7f, 0x80, 0xff, model[n] ^ 1, model[n] ^ 8} {
			b := bytes.Clone(model)
			b[n] = v
			try(b)
		}
	}
}

func TestNoModel(t *testing.T) {
	for _, b := range [][]byte{nil, {}, []byte("not a model at all"), {0x08, 0x07}, bytes.Repeat([]byte{0xff}, 100)} {
		if _, err := onnx.Parse(b); errs.CodeOf(err) != errs.Model {
			t.Errorf("%x: %v", b, err)
		}
	}
}

// nestedModel has graphs within attributes of nodes, so many deep.
func nestedModel(depth int) []byte {
	g := *(&wire{}).text(2, "g")
	for range depth {
		attr := (&wire{}).text(1, "body").bytes(6, g).int(20, 5)
		g = *(&wire{}).bytes(1, *(&wire{}).text(2, "y").text(4, "Loop").bytes(5, *attr))
	}
	return *(&wire{}).bytes(7, g)
}

func TestNestingIsBounded(t *testing.T) {
	if _, err := onnx.Parse(nestedModel(20)); err != nil {
		t.Errorf("20 graphs within each other: %v", err)
	}
	if _, err := onnx.Parse(nestedModel(2000)); errs.CodeOf(err) != errs.Model {
		t.Errorf("2000 graphs within each other: %v", err)
	}
}
