package pyapi

import (
	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/handles"
)

// ExecutionArenaNew makes an execution arena and returns its handle. A negative
// retentionCap is the default bound, a limit of 0 is none.
func ExecutionArenaNew(capacity, retentionCap, limit int64) (h int64, err error) {
	defer guard(&err)
	n, err := handles.NewArena(false, capacity, retentionCap, limit)
	return int64(n), err
}

// IOArenaNew is ExecutionArenaNew for an I/O arena.
func IOArenaNew(capacity, retentionCap, limit int64) (h int64, err error) {
	defer guard(&err)
	n, err := handles.NewArena(true, capacity, retentionCap, limit)
	return int64(n), err
}

// ArenaClose ends a handle and returns how many leases are left. Arrays that lie
// in the arena stay valid.
func ArenaClose(h int64) (leases int64, err error) {
	defer guard(&err)
	a, err := handles.Arenas.Get(uint64(h))
	if err != nil {
		return 0, err
	}
	return a.Stats().Leases, handles.CloseArena(uint64(h))
}

// arenaReport is what ArenaStats returns, under Python's names.
type arenaReport struct {
	Live              int64            `json:"live"`
	Retained          int64            `json:"retained"`
	Peak              int64            `json:"peak_live"`
	LiveCount         int64            `json:"live_blocks"`
	RetainedCount     int64            `json:"retained_blocks"`
	LeasedCount       int64            `json:"leases"`
	Hits              int64            `json:"hits"`
	Misses            int64            `json:"misses"`
	Evictions         int64            `json:"evictions"`
	SystemAllocations int64            `json:"system_allocations"`
	SystemReleases    int64            `json:"system_releases"`
	Migrations        int64            `json:"migrations"`
	MigratedBytes     int64            `json:"migrated_bytes"`
	Misuses           int64            `json:"misuses"`
	Copies            map[string]int64 `json:"copies"`
	CopiedBytes       map[string]int64 `json:"copied_bytes"`
	RetentionCap      int64            `json:"retention_cap"`
	Limit             int64            `json:"limit"`
}

func reportOf(a *handles.Arena) arenaReport {
	s := a.Stats()
	r := arenaReport{
		Live: s.Live, Retained: s.Retained, Peak: s.PeakLive,
		LiveCount: s.LiveBlocks, RetainedCount: s.RetainedBlocks, LeasedCount: s.Leases,
		Hits: s.Hits, Misses: s.Misses, Evictions: s.Evictions,
		SystemAllocations: s.SystemAllocations, SystemReleases: s.SystemReleases,
		Migrations: s.Migrations, MigratedBytes: s.MigratedBytes, Misuses: s.Misuses,
		Copies: map[string]int64{}, CopiedBytes: map[string]int64{},
		RetentionCap: a.RetentionCap(), Limit: a.Limit(),
	}
	for why := range arena.NumCopyReasons {
		r.Copies[why.String()], r.CopiedBytes[why.String()] = s.Copies[why], s.CopiedBytes[why]
	}
	return r
}

// ArenaStats returns all counters of an arena as a JSON object.
func ArenaStats(h int64) (text string, err error) {
	defer guard(&err)
	a, err := handles.Arenas.Get(uint64(h))
	if err != nil {
		return "", err
	}
	return asJSON(reportOf(a))
}

// ArenaShrink gives free memory back until at most target bytes are retained,
// and returns how many bytes went.
func ArenaShrink(h, target int64) (n int64, err error) {
	defer guard(&err)
	a, err := handles.Arenas.Get(uint64(h))
	if err != nil {
		return 0, err
	}
	return a.Shrink(target), nil
}

// ArenaSetRetentionCap bounds the free memory, or takes the bound away where n
// is negative. It returns how many bytes are retained.
func ArenaSetRetentionCap(h, n int64) (retained int64, err error) {
	defer guard(&err)
	a, err := handles.Arenas.Get(uint64(h))
	if err != nil {
		return 0, err
	}
	a.SetRetentionCap(max(n, arena.NoCap))
	return a.Stats().Retained, nil
}

// ArenaResetPeak lets the peak start from what is live now, which it returns.
func ArenaResetPeak(h int64) (peak int64, err error) {
	defer guard(&err)
	a, err := handles.Arenas.Get(uint64(h))
	if err != nil {
		return 0, err
	}
	a.ResetPeak()
	return a.Stats().PeakLive, nil
}
