package op

import (
	"slices"
	"testing"

	"github.com/goruntime/goruntime/goruntime/tensor"
)

func TestBatchOffsets(t *testing.T) {
	for _, c := range []struct {
		batch, s tensor.Shape
		want     []int
	}{
		{tensor.Shape{}, tensor.Shape{}, []int{0}},
		{tensor.Shape{2, 3}, tensor.Shape{2, 3}, []int{0, 10, 20, 30, 40, 50}},
		{tensor.Shape{2, 3}, tensor.Shape{3}, []int{0, 10, 20, 0, 10, 20}},
		{tensor.Shape{2, 3}, tensor.Shape{2, 1}, []int{0, 0, 0, 10, 10, 10}},
		{tensor.Shape{2, 3}, tensor.Shape{}, []int{0, 0, 0, 0, 0, 0}},
		{tensor.Shape{0, 3}, tensor.Shape{3}, []int{}},
	} {
		if got := BatchOffsets(c.batch, c.s, 10); !slices.Equal(got, c.want) {
			t.Errorf("%v of %v: %v, want %v", c.s, c.batch, got, c.want)
		}
	}
}
