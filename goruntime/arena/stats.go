package arena

// CopyReason says why a run had to copy payload.
type CopyReason uint8

// The reasons, in the order of their names.
const (
	CopyAlias CopyReason = iota // an output that is an input, a constant or another output
	CopyBits                    // Arrow's packed booleans
	CopyByteOrder
	CopyCoalesce   // requests that run together
	CopyConversion // Python scalars and lists, strings, types below a byte
	CopyDecompress // a body that a client compressed
	CopyInterleave // columns that become one matrix
	CopyNonContiguous
	CopyNulls   // a column whose nulls are filled
	CopyOverlap // lent output memory that overlaps an input
	CopyReceive // a body gathered out of network frames
	CopySend    // an answer written into network frames
	CopyUnaligned
	NumCopyReasons
)

var copyReasons = [NumCopyReasons]string{
	"alias", "bits", "byte_order", "coalesce", "conversion", "decompress", "interleave", "non_contiguous", "nulls", "overlap", "receive", "send", "unaligned",
}

// String returns the reason's name in statistics.
func (r CopyReason) String() string { return copyReasons[r] }

// Stats is what an arena counts. Sizes are bytes of blocks (a block is up to an
// eighth larger than what was asked for).
type Stats struct {
	Live              int64 // owned by handles and leases
	Retained          int64 // free, kept for reuse; never part of Live
	PeakLive          int64 // since the arena was made or ResetPeak
	LiveBlocks        int64
	RetainedBlocks    int64
	Leases            int64 // exported and not yet returned
	Hits              int64 // requests that a free block served
	Misses            int64
	Evictions         int64 // free blocks given back to the system
	SystemAllocations int64
	SystemReleases    int64
	Migrations        int64 // outputs that a kernel put into the wrong arena
	MigratedBytes     int64
	Misuses           int64 // second releases and releases to the wrong arena
	Copies            [NumCopyReasons]int64
	CopiedBytes       [NumCopyReasons]int64
}

// Stats returns the counters as of now.
func (a *ExecutionArena) Stats() Stats { return a.s.stats() }

// Stats returns the counters as of now: what leases returned is counted first.
func (a *IOArena) Stats() Stats { return a.s.stats() }

func (s *store) stats() Stats {
	s.mu.Lock()
	defer s.unlock()
	s.drain()
	st := s.st
	for _, b := range s.blocks {
		if b.lease != nil && b.lease.Counted() {
			st.Leases++
		}
	}
	return st
}
