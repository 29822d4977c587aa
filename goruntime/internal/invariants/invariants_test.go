package invariants

import (
	"strings"
	"testing"
)

func panics(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

func TestBugPanicsInEveryBuild(t *testing.T) {
	if v := panics(func() { Bug("%d blocks", 3) }); v != "goruntime bug: 3 blocks" {
		t.Errorf("%v", v)
	}
}

func TestCheckPanicsUnderTheTagOnly(t *testing.T) {
	if v := panics(func() { Check(true, "never") }); v != nil {
		t.Errorf("what is true panics: %v", v)
	}
	if v := panics(func() { Check(false, "%d left", 1) }); (v != nil) != Enabled || (v != nil && v != "goruntime bug: 1 left") {
		t.Errorf("enabled %v: %v", Enabled, v)
	}
}

func callee() Stack { return Caller() }

func TestStackNamesTheCaller(t *testing.T) {
	s := callee().String()
	if first, _, _ := strings.Cut(s, "\n"); !strings.Contains(first, "TestStackNamesTheCaller") {
		t.Errorf("the stack starts at %q", first)
	}
	if !strings.Contains(s, "invariants_test.go:") {
		t.Errorf("no file and line in %s", s)
	}
	if s := Stack(nil).String(); !strings.Contains(s, "unknown") {
		t.Errorf("an empty stack says %q", s)
	}
}
