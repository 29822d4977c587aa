// Package cpu says which kernel variants this process may use. The environment variable
// GORUNTIME_CPU (portable, avx2, avx512; portable, neon on arm64) forces a lower level than
// the processor has; it is read once.
package cpu

import (
	"fmt"
	"os"
	"strings"
	"sync"
)

// Level is a set of vector instructions.
type Level int

// The levels, each including those before it of its architecture.
const (
	Portable Level = iota
	NEON           // of arm64
	AVX2           // of amd64, with FMA and F16C
	AVX512         // F, BW, VL, DQ
)

var names = [...]string{"portable", "neon", "avx2", "avx512"}

// String returns the name as GORUNTIME_CPU has it.
func (l Level) String() string { return names[l] }

// Best returns the level that kernels use.
var Best = sync.OnceValue(func() Level {
	level, err := forced(os.Getenv("GORUNTIME_CPU"), detect(), levels)
	if err != nil {
		fmt.Fprintln(os.Stderr, "goruntime:", err) // nobody asked who could be told
	}
	return level
})

// forced returns the level of a name, at most best; best for no name, and for one that is
// none of the levels.
func forced(name string, best Level, levels []Level) (Level, error) {
	if name == "" {
		return best, nil
	}
	var offered []string
	for _, l := range levels {
		if name == l.String() {
			return min(l, best), nil
		}
		offered = append(offered, l.String())
	}
	return best, fmt.Errorf("GORUNTIME_CPU is %q: one of %s expected; the level is %v", name, strings.Join(offered, ", "), best)
}

// Pick returns the first of some variants, the best of which are first, that this process
// may use; nil for none.
func Pick[V any](variants []V, level func(*V) Level) *V {
	best := Best()
	for i := range variants {
		if level(&variants[i]) <= best {
			return &variants[i]
		}
	}
	return nil
}

// VBMI reports whether kernels may look bytes up in tables of registers, which some
// processors with AVX-512 have.
func VBMI() bool { return Best() == AVX512 && detectVBMI() }

// VNNI reports whether kernels may use the dot products of bytes that some
// processors of level AVX512 have.
func VNNI() bool { return Best() == AVX512 && detectVNNI() }
