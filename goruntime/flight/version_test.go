package flight

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The newest version is the one that people take for it, in whatever order they come.
func TestVersionsAreOrdered(t *testing.T) {
	for _, want := range [][]string{
		{"1", "2", "9", "10", "11", "100"},
		{"v1", "v2", "v9", "v10", "v10b"},
		{"1.0", "1.2", "1.9", "1.9.1", "1.10", "2.0"},
		{"2024-12-31", "2025-01-02", "2025-01-10"},
		{"9", "10", "a", "b", "b2", "b10", "ü"},
		{"3", "20261130215500123456789", "20261130215500123456790"},
	} {
		got := slices.Clone(want)
		for range 20 {
			rand.Shuffle(len(got), func(i, k int) { got[i], got[k] = got[k], got[i] })
			slices.SortFunc(got, func(a, b string) int {
				switch {
				case newer(a, b):
					return 1
				case newer(b, a):
					return -1
				}
				return 0
			})
			if !slices.Equal(got, want) {
				t.Errorf("sorted %q, want %q", got, want)
			}
		}
	}
	if newer("01", "1") || newer("1", "01") || newer("a", "a") {
		t.Error("equal versions are not")
	}
}
