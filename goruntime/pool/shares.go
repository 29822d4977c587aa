package pool

import "sync/atomic"

// share is the chunks of the open loop that one thread claims first: the next one and
// the one behind the last, in the halves of a word. Each lies in lines of the cache of its
// own.
type share struct {
	left atomic.Uint64
	_    [120]byte
}

const half = 32

// deal gives each of n threads as many of the chunks, in order. The same loop over other
// tensors is dealt alike, so that a thread finds in its cache what it wrote.
func deal(shares []share, chunks int) {
	n := len(shares)
	for i := range shares {
		lo, hi := chunks*i/n, chunks*(i+1)/n
		shares[i].left.Store(uint64(lo)<<half | uint64(hi))
	}
}

// claim returns a chunk that nobody claimed: the first one left of the thread's own share,
// then the last one of another.
func claim(shares []share, own int) (chunk int, ok bool) {
	for i := range shares {
		s := &shares[(own+i)%len(shares)].left
		for {
			v := s.Load()
			lo, hi := v>>half, v&(1<<half-1)
			if lo >= hi {
				break
			}
			chunk, rest := lo, (lo+1)<<half|hi
			if i > 0 {
				chunk, rest = hi-1, lo<<half|(hi-1)
			}
			if s.CompareAndSwap(v, rest) {
				return int(chunk), true
			}
		}
	}
	return 0, false
}

// withdraw leaves no chunk to claim.
func withdraw(shares []share) {
	for i := range shares {
		shares[i].left.Store(0)
	}
}
