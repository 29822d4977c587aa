package random

import (
	"math"
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
	a, b, c, d := uint32(counter), uint32(counter>>32), uint32(0), uint32(0)
	k, l := s.key[0], s.key[1]
	for range 10 {
		p, q := m0*uint64(a), m1*uint64(c)
		a, b, c, d = uint32(q>>32)^b^k, uint32(q), uint32(p>>32)^d^l, uint32(p)
		k += w0
		l += w1
	}
	return [4]uint32{a, b, c, d}
}

// batch is how many words are made at once.
const batch = 256

// fill gives the words from a place on.
func (s stream) fill(dst []uint32, from int) {
	if skip := from % 4; skip != 0 {
		b := s.block(uint64(from / 4))
		n := copy(dst, b[skip:])
		dst, from = dst[n:], from+n
	}
	for len(dst) >= 4 {
		b := s.block(uint64(from / 4))
		dst[0], dst[1], dst[2], dst[3] = b[0], b[1], b[2], b[3]
		dst, from = dst[4:], from+4
	}
	if len(dst) > 0 {
		b := s.block(uint64(from / 4))
		copy(dst, b[:])
	}
}

// wide joins two words.
func wide(high, low uint32) uint64 { return uint64(high)<<32 | uint64(low) }

// unit32 is in [0, 1), a multiple of 2^-24.
func unit32(w uint32) float32 { return float32(w>>8) * (1.0 / (1 << 24)) }

// unit64 is in [0, 1), a multiple of 2^-53.
func unit64(w uint64) float64 { return float64(w>>11) * (1.0 / (1 << 53)) }

// open32 and open64 are in (0, 1), in the middle of equal parts.
func open32(w uint32) float64 { return (float64(w) + 0.5) * (1.0 / (1 << 32)) }
func open64(w uint64) float64 { return (float64(w>>12) + 0.5) * (1.0 / (1 << 52)) }
