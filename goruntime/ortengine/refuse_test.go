//go:build ort && cgo

package ortengine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/exec"
	"github.com/goruntime/goruntime/goruntime/graph"
	"github.com/goruntime/goruntime/goruntime/internal/testkit"
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/ortengine"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

func want(t *testing.T, err error, code errs.Code, texts ...string) {
	t.Helper()
	if errs.CodeOf(err) != code {
		t.Errorf("%v: %v expected", err, code)
	}
	for _, text := range texts {
		if err != nil && !strings.Contains(err.Error(), text) {
			t.Errorf("%v: does not say %q", err, text)
		}
	}
}

func TestWhatTheLibraryDoesNotShowIsRefused(t *testing.T) {
	testkit.NoLeaks(t)
	s := open(t, "chain", exec.Options{Threads: 1})
	if !strings.HasPrefix(s.Engine(), "ONNX Runtime 1.") {
		t.Error(s.Engine())
	}
	_, err := s.Target([]string{"a"})
	want(t, err, errs.Unsupported, `"a": the value is no output of the model, and ONNX Runtime shows outputs only (y)`)
	_, err = s.Target([]string{"z"})
	want(t, err, errs.Name, `"z": no output of this name; the nearest are "y"`)
	_, err = s.Nodes()
	want(t, err, errs.Unsupported, "ONNX Runtime 1.", "own engine")
	_, err = s.Values()
	want(t, err, errs.Unsupported, "names of inner values")
	_, err = s.Prepare(nil, []tensor.View{f32(t, tensor.Shape{1}, 1)})
	want(t, err, errs.Unsupported, "how a run is planned")
	c := &exec.Call{In: []tensor.View{f32(t, tensor.Shape{1}, 1)}, Out: make([]exec.Result, 1), Trace: func(*exec.Event) {}}
	want(t, s.Run(c), errs.Unsupported, "a trace was asked for")
	c.Trace, c.Threads = nil, 2
	want(t, s.Run(c), errs.Unsupported, "2 threads for one run", "here 1")
}

func TestBadInputsAreRefusedAsByTheOwnEngine(t *testing.T) {
	testkit.NoLeaks(t)
	s := open(t, "fixed", exec.Options{})
	own, err := exec.Open("../../tests/models/fixed.onnx", exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	for _, in := range []tensor.View{
		{}, f32(t, tensor.Shape{3}, 1, 2, 3), f32(t, tensor.Shape{1, 2}, 1, 2), {DType: tensor.I64, Shape: tensor.Shape{0, 3}}, {DType: tensor.Other},
	} {
		c := &exec.Call{In: []tensor.View{in}, Out: make([]exec.Result, 1)}
		ours, theirs := own.Run(c), s.Run(c)
		if ours == nil || theirs == nil || ours.Error() != theirs.Error() {
			t.Errorf("%v: %v, the own engine: %v", &in, theirs, ours)
		}
	}
	out := run(t, s, f32(t, tensor.Shape{1, 3}, -1, 0, 1))
	out[0].Release()
}

func TestWhatTheLibraryRefusesIsSaidInItsWords(t *testing.T) {
	testkit.NoLeaks(t)
	s := open(t, "sum", exec.Options{})
	err := s.Run(&exec.Call{In: []tensor.View{f32(t, tensor.Shape{2}, 1, 2), f32(t, tensor.Shape{3}, 1, 2, 3)}, Out: make([]exec.Result, 1)})
	want(t, err, errs.Compute, `Add node "adder": ONNX Runtime: `, "2 by 3")
}

func TestKernelsOfTheCallerAreRefusedWhereTheModelUsesThem(t *testing.T) {
	testkit.NoLeaks(t)
	for name, code := range map[string]errs.Code{"Relu": errs.Unsupported, "Sin": errs.OK} {
		c := &graph.Custom{
			Has:  func(domain, n string) bool { return domain == "" && n == name },
			Make: func(*onnx.Node, graph.Place) (*op.Def, error) { return nil, errs.New(errs.Internal, "made") },
		}
		s, err := exec.Open("../../tests/models/chain.onnx", exec.Options{Engine: engine(t), Custom: c})
		if want(t, err, code, "the model uses Relu"); err == nil {
			s.Close()
		}
	}
}

func TestAProcessUsesOneLibrary(t *testing.T) {
	testkit.NoLeaks(t)
	open(t, "add", exec.Options{})
	other := filepath.Join(t.TempDir(), "libonnxruntime.so")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := exec.Open("../../tests/models/add.onnx", exec.Options{Engine: ortengine.Engine{Library: other}})
	want(t, err, errs.Argument, other, "and uses one")
	s, err := exec.Open("../../tests/models/add.onnx", exec.Options{Engine: ortengine.Engine{}})
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
}
