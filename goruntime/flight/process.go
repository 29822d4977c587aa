package flight

import (
	runtimemetrics "runtime/metrics"
	"time"

	"golang.org/x/sys/unix"

	"github.com/goruntime/goruntime/goruntime/arena"
)

// processStats returns what the process has taken since it began: a load test reads
// it before and after.
func processStats() map[string]any {
	sample := []runtimemetrics.Sample{{Name: "/gc/heap/allocs:bytes"}, {Name: "/gc/cycles/total:gc-cycles"}}
	runtimemetrics.Read(sample)
	var use unix.Rusage
	cpu := time.Duration(0)
	if unix.Getrusage(unix.RUSAGE_SELF, &use) == nil {
		cpu = time.Duration(use.Utime.Nano() + use.Stime.Nano())
	}
	return map[string]any{"heap_allocated": sample[0].Value.Uint64(), "gc_cycles": sample[1].Value.Uint64(), "cpu_seconds": cpu.Seconds()}
}

// copiesOf returns the payload copies of an arena by the name of their reason, those
// that happened.
func copiesOf(s arena.Stats) map[string]map[string]int64 {
	out := map[string]map[string]int64{}
	for why := range arena.NumCopyReasons {
		if s.Copies[why] > 0 {
			out[why.String()] = map[string]int64{"count": s.Copies[why], "bytes": s.CopiedBytes[why]}
		}
	}
	return out
}
