package cpu

import (
	"strings"
	"testing"
)

func TestLevelsByName(t *testing.T) {
	for _, c := range []struct {
		name string
		best Level
		want Level
		text string
	}{
		{"", AVX512, AVX512, ""},
		{"portable", AVX512, Portable, ""},
		{"avx2", AVX512, AVX2, ""},
		{"avx512", AVX2, AVX2, ""},
		{"AVX2", AVX512, AVX512, `GORUNTIME_CPU is "AVX2": one of portable, avx2, avx512 expected; the level is avx512`},
		{"neon", AVX2, AVX2, `GORUNTIME_CPU is "neon": one of portable, avx2, avx512 expected; the level is avx2`},
	} {
		got, err := forced(c.name, c.best, []Level{Portable, AVX2, AVX512})
		if got != c.want || (err == nil) != (c.text == "") || err != nil && !strings.Contains(err.Error(), c.text) {
			t.Errorf("%q on %v: got %v, %v; %v, %q expected", c.name, c.best, got, err, c.want, c.text)
		}
	}
}

func TestTheFirstVariantThatFitsIsPicked(t *testing.T) {
	level := func(l *Level) Level { return *l }
	if got := Pick([]Level{Best() + 1, Best(), Portable}, level); got == nil || *got != Best() {
		t.Errorf("got %v, %v expected", got, Best())
	}
	if got := Pick([]Level{Best() + 1}, level); got != nil {
		t.Errorf("got %v, none expected", *got)
	}
}
