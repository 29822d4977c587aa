package tree

import (
	"math"
	"testing"
)

func TestEveryModeSendsARowToItsSide(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name    string
		mode    Mode
		tracked bool
		x       float64
		yes     bool
	}{
		{"less or equal, below", LessEqual, false, 1, true},
		{"less or equal, at", LessEqual, false, 2, true},
		{"less or equal, above", LessEqual, false, 3, false},
		{"less, at", Less, false, 2, false},
		{"less, below", Less, false, 1, true},
		{"greater or equal, at", GreaterEqual, false, 2, true},
		{"greater or equal, below", GreaterEqual, false, 1, false},
		{"greater, at", Greater, false, 2, false},
		{"greater, above", Greater, false, 3, true},
		{"equal", Equal, false, 2, true},
		{"equal, other", Equal, false, 3, false},
		{"not equal", NotEqual, false, 3, true},
		{"not equal, at", NotEqual, false, 2, false},
		{"NaN fails", LessEqual, false, nan, false},
		{"NaN is tracked", LessEqual, true, nan, true},
	} {
		f := Forest[float64]{Nodes: []Node[float64]{
			{Value: 2, Feature: 1, Yes: 1, No: 2, Mode: c.mode, NaNIsYes: c.tracked}, {}, {},
		}}
		f.Simple = c.mode == LessEqual && !c.tracked
		got := f.Leaf(0, []float64{9, c.x}) == &f.Nodes[1]
		if got != c.yes {
			t.Errorf("%s: yes is %v, want %v", c.name, got, c.yes)
		}
		f.Simple = false
		if general := f.Leaf(0, []float64{9, c.x}) == &f.Nodes[1]; general != got {
			t.Errorf("%s: the general walk goes elsewhere", c.name)
		}
	}
}
