package nearest

import (
	"slices"
	"testing"
)

func TestNames(t *testing.T) {
	known := []string{"Softmax", "Hardmax", "LogSoftmax", "Relu", "PRelu", "Relu"}
	for _, c := range []struct {
		name string
		n    int
		want []string
	}{
		{"SoftMax", 2, []string{"Softmax", "LogSoftmax"}},
		{"relu", 1, []string{"Relu"}},
		{"Relus", 2, []string{"Relu", "PRelu"}},
		{"", 1, []string{"Relu"}},
		{"Softmax", 9, []string{"Softmax", "LogSoftmax", "Hardmax", "Relu", "PRelu"}},
	} {
		if got := Names(c.name, known, c.n); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, %q expected", c.name, got, c.want)
		}
	}
	if got := Quoted("a", []string{"b\"", "c"}, 2); got != `"c", "b\""` {
		t.Error(got)
	}
	if got := Quoted("a", nil, 2); got != "" {
		t.Error(got)
	}
}
