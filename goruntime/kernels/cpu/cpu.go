// Package cpu says which kernel variants this process may use. Every kernels
// package asks it once; the environment variable GORUNTIME_CPU (portable, avx2,
// avx512) forces a lower level than the processor has.
package cpu

import (
	"os"
	"sync"
)

// Level is a set of vector instructions.
type Level int

// The levels, each including those before it.
const (
	Portable Level = iota
	AVX2           // with FMA and F16C
	AVX512         // F, BW, VL, DQ
)

var names = [...]string{"portable", "avx2", "avx512"}

// String returns the name as GORUNTIME_CPU has it.
func (l Level) String() string { return names[l] }

// Best returns the level that kernels use.
var Best = sync.OnceValue(func() Level {
	best := detect()
	for l := Portable; l < best; l++ {
		if os.Getenv("GORUNTIME_CPU") == l.String() {
			return l
		}
	}
	return best
})

// VBMI reports whether kernels may look bytes up in tables of registers, which some
// processors with AVX-512 have.
func VBMI() bool { return Best() == AVX512 && detectVBMI() }

// VNNI reports whether kernels may use the dot products of bytes that some
// processors of level AVX512 have.
func VNNI() bool { return Best() == AVX512 && detectVNNI() }
