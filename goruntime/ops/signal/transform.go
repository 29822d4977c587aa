package signal

import (
	"github.com/goruntime/goruntime/goruntime/kernels/wide"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// transforms is the part of a State that runs Fourier transforms side by side:
// the plan, and memory for each thread.
type transforms struct {
	plan    *fft
	lines   int // how many transforms there are
	out, in *tensor.View
	room    []complex128
	free    chan int
}

func newTransforms(c *op.Context, length, lines int) transforms {
	t := transforms{plan: newFFT(length), lines: lines, free: make(chan int, c.Threads())}
	for i := range c.Threads() {
		t.free <- i
	}
	return t
}

// bytes returns how much memory all threads take.
func (t *transforms) bytes() int { return 16 * cap(t.free) * t.plan.room() }

// take returns the memory of one chunk; give it back with put.
func (t *transforms) take() (slot int, work []complex128) {
	slot = <-t.free
	n := t.plan.room()
	return slot, t.room[slot*n : (slot+1)*n]
}

func (t *transforms) put(slot int) { t.free <- slot }

// grain is how many lines make a chunk worth handing out.
func (t *transforms) grain() int { return max(1, (2<<10)/t.plan.n) }

// number reads element i of src, of parts real numbers.
func number[T any](n wide.Number[T], src []T, i, parts int) complex128 {
	if parts == 1 {
		return complex(n.Widen(src[i]), 0)
	}
	return complex(n.Widen(src[2*i]), n.Widen(src[2*i+1]))
}

// swap exchanges the parts: the inverse transform of z is, but for the factor
// 1/n, the swapped transform of swapped numbers.
func swap(z complex128) complex128 { return complex(imag(z), real(z)) }
