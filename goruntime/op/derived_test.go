package op

import (
	"errors"
	"sync"
	"testing"
)

type derivedKey struct{ n int }

func TestDeriveMakesOnce(t *testing.T) {
	a, err := NewValues(&Def{Name: "X"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	made := 0
	get := func(n int) int {
		v, err := Derive(&a, derivedKey{n}, func() (int, error) { made++; return 10 * n, nil })
		if err != nil {
			t.Error(err)
		}
		return v
	}
	copied := a // a node that is copied shares what was made
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { get(1) })
	}
	wg.Wait()
	if v := get(2); v != 20 || made != 2 {
		t.Errorf("%d is made of 2, %d were made, want 20 and 2", v, made)
	}
	if v, err := Derive(&copied, derivedKey{1}, func() (int, error) { return 0, errors.New("made again") }); v != 10 || err != nil {
		t.Errorf("a copy gives %d, %v, want 10", v, err)
	}
	if v := must(Derive(&a, struct{ n int }{1}, func() (string, error) { return "other", nil })); v != "other" {
		t.Errorf("another type of key gives %q", v)
	}
	broken := errors.New("broken")
	for range 2 {
		if _, err := Derive(&a, derivedKey{3}, func() (int, error) { return 0, broken }); !errors.Is(err, broken) {
			t.Errorf("the error is %v, want %v", err, broken)
		}
	}
	var none Values
	if v := must(Derive(&none, derivedKey{1}, func() (int, error) { return 7, nil })); v != 7 {
		t.Errorf("without attributes it is %d, want 7", v)
	}
}

func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}
