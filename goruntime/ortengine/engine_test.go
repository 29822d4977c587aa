//go:build ort && cgo

package ortengine_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/goruntime/goruntime/goruntime/exec"
	"github.com/goruntime/goruntime/goruntime/internal/testkit"
	_ "github.com/goruntime/goruntime/goruntime/ops" // the shape rules
	"github.com/goruntime/goruntime/goruntime/ortengine"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// engine returns the engine over the library that the environment names or that lies
// in a virtual environment of the repository.
func engine(t testing.TB) ortengine.Engine {
	t.Helper()
	if os.Getenv(ortengine.Variable) != "" {
		return ortengine.Engine{}
	}
	found, err := filepath.Glob("../../.venv/lib/python3*/site-packages/onnxruntime/capi/libonnxruntime.so*")
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		t.Skip("no libonnxruntime: set " + ortengine.Variable + ", or make .venv with onnxruntime in it")
	}
	return ortengine.Engine{Library: found[0]}
}

func open(t testing.TB, name string, o exec.Options) *exec.Session {
	t.Helper()
	o.Engine = engine(t)
	s, err := exec.Open("../../tests/models/"+name+".onnx", o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func f32(t testing.TB, shape tensor.Shape, list ...float32) tensor.View {
	t.Helper()
	v, err := tensor.ViewOf(tensor.F32, shape, list)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func run(t testing.TB, s *exec.Session, in ...tensor.View) []exec.Result {
	t.Helper()
	c := &exec.Call{In: in, Out: make([]exec.Result, len(s.Outputs()))}
	if err := s.Run(c); err != nil {
		t.Fatal(err)
	}
	return c.Out
}

func TestRunAdds(t *testing.T) {
	testkit.NoLeaks(t)
	s := open(t, "add", exec.Options{})
	for range 3 {
		out := run(t, s, f32(t, tensor.Shape{3}, 1, 2, 3), f32(t, tensor.Shape{3}, 10, 20, 30))
		if got := tensor.Elems[float32](&out[0].View); got[0] != 11 || got[2] != 33 {
			t.Errorf("%v", got)
		}
		if !s.IO().Holds(out[0].Block) {
			t.Error("the output is no block of the I/O arena")
		}
		out[0].Release()
	}
}

func BenchmarkRunAdd(b *testing.B) {
	s := open(b, "add", exec.Options{Threads: 1})
	c := &exec.Call{In: []tensor.View{f32(b, tensor.Shape{3}, 1, 2, 3), f32(b, tensor.Shape{3}, 1, 2, 3)}, Out: make([]exec.Result, 1)}
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Run(c); err != nil {
			b.Fatal(err)
		}
		c.Out[0].Release()
	}
}
