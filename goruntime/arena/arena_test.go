package arena

import (
	"testing"
	"unsafe"
)

// acquirer is what both arenas do.
type acquirer interface {
	Acquire(n int) (Handle, error)
	Stats() Stats
	Trim() int64
	Shrink(int64) int64
	SetRetentionCap(int64)
	ResetPeak()
	Close()
}

func mustAcquire(t testing.TB, a acquirer, n int) Handle {
	t.Helper()
	h, err := a.Acquire(n)
	if err != nil {
		t.Fatal(err)
	}
	if uintptr(h.Data())%64 != 0 {
		t.Fatalf("a block of %d bytes lies at %p, not aligned to 64 bytes", n, h.Data())
	}
	return h
}

// both runs a test with an arena of each kind.
func both(t *testing.T, o Options, f func(t *testing.T, a acquirer)) {
	t.Run("execution", func(t *testing.T) { f(t, NewExecution(o)) })
	t.Run("io", func(t *testing.T) { f(t, NewIO(o)) })
}

func bytesOf(h Handle) []byte { return unsafe.Slice((*byte)(h.Data()), h.Size()) }

func fill(h Handle, v byte) {
	b := bytesOf(h)
	for i := range b {
		b[i] = v
	}
}

// reads reports whether all bytes of the block are v.
func reads(h Handle, v byte) bool {
	for _, b := range bytesOf(h) {
		if b != v {
			return false
		}
	}
	return true
}

func capOf(n int64) *int64 { return &n }

// panics returns what f panics with, nil where it does not.
func panics(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}
