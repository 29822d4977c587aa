package random

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/goruntime/goruntime/goruntime/op"
)

// stream is a sequence of words by its key.
type stream struct{ key [2]uint32 }

// streamOf returns the stream of a node's seed, or a new one where it has none.
func streamOf(a *op.Values) stream {
	if a.Has("seed") {
		return stream{[2]uint32{math.Float32bits(a.Float("seed")), 0}}
	}
	k := rand.Uint64()
	return stream{[2]uint32{uint32(k), uint32(k >> 32)}}
}

// block returns the four words of a counter.
func (s stream) block(counter uint64) [4]uint32 {
	const m0, m1, w0, w1 = 0xD2511F53, 0xCD9E8D57, 0x9E3779B9, 0xBB67AE85
	c := [4]uint32{uint32(counter), uint32(counter >> 32), 0, 0}
	k := s.key
	for range 10 {
		h0, l0 := bits.Mul32(m0, c[0])
		h1, l1 := bits.Mul32(m1, c[2])
		c = [4]uint32{h1 ^ c[1] ^ k[0], l1, h0 ^ c[3] ^ k[1], l0}
		k[0] += w0
		k[1] += w1
	}
	return c
}

// words gives the words of elements in order, a block at a time.
type words struct {
	s     stream
	next  uint64 // word
	block [4]uint32
}

// from starts at a word.
func (s stream) from(word int) words {
	w := words{s: s, next: uint64(word)}
	if w.next%4 != 0 {
		w.block = s.block(w.next / 4)
	}
	return w
}

func (w *words) word() uint32 {
	if w.next%4 == 0 {
		w.block = w.s.block(w.next / 4)
	}
	x := w.block[w.next%4]
	w.next++
	return x
}

func (w *words) word64() uint64 {
	high := uint64(w.word())
	return high<<32 | uint64(w.word())
}

// unit32 is in [0, 1), a multiple of 2^-24.
func unit32(w uint32) float32 { return float32(w>>8) * (1.0 / (1 << 24)) }

// unit64 is in [0, 1), a multiple of 2^-53.
func unit64(w uint64) float64 { return float64(w>>11) * (1.0 / (1 << 53)) }

// open32 and open64 are in (0, 1), in the middle of equal parts.
func open32(w uint32) float64 { return (float64(w) + 0.5) * (1.0 / (1 << 32)) }
func open64(w uint64) float64 { return (float64(w>>12) + 0.5) * (1.0 / (1 << 52)) }
