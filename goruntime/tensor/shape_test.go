package tensor

import (
	"slices"
	"testing"
)

func TestStridesOfBroadcastShapes(t *testing.T) {
	for _, c := range []struct {
		of   Shape
		rank int
		want []int
	}{
		{Shape{}, 0, []int{}},
		{Shape{}, 2, []int{0, 0}},
		{Shape{2, 3, 4}, 3, []int{12, 4, 1}},
		{Shape{3, 1, 4}, 3, []int{4, 0, 1}},
		{Shape{1, 5}, 4, []int{0, 0, 0, 1}},
		{Shape{2, 0, 3}, 3, []int{0, 3, 1}},
	} {
		if got := c.of.Strides(c.rank); !slices.Equal(got, c.want) {
			t.Errorf("%v at rank %d: %v, %v expected", c.of, c.rank, got, c.want)
		}
	}
}
