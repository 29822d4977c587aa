package exec

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/tensor"
)

// BenchmarkRun is the cost of a run that computes next to nothing.
func BenchmarkRun(b *testing.B) {
	s, err := Open("../../tests/models/add.onnx", Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	x := f32(tensor.Shape{3}, 1, 2, 3)
	c := &Call{In: []tensor.View{x, x}, Out: make([]Result, 1)}
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Run(c); err != nil {
			b.Fatal(err)
		}
		l, err := s.IO().Export(c.Out[0].Block, 1)
		if err != nil {
			b.Fatal(err)
		}
		if err := l.Release(); err != nil {
			b.Fatal(err)
		}
	}
}
