package onnx

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// The bound on what reading may allocate: the widest element of a list, an
// Attr, comes from two bytes.
const perByte, constant = 512, 256 << 10

func FuzzRoundTrip(f *testing.F) {
	for _, pattern := range []string{"testdata/*.onnx", "../../tests/models/*.onnx"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, path := range files {
			b, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(b)
		}
	}
	f.Add(nested(32))
	f.Add(nested(33))
	f.Fuzz(func(t *testing.T, b []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		m, err := Parse(b)
		runtime.ReadMemStats(&after)
		if got, most := after.TotalAlloc-before.TotalAlloc, uint64(perByte*len(b)+constant); got > most {
			t.Errorf("reading %d bytes allocated %d, at most %d expected", len(b), got, most)
		}
		if err != nil {
			return
		}
		written := m.Marshal()
		again, err := Parse(written)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if twice := again.Marshal(); !bytes.Equal(written, twice) {
			t.Errorf("written as\n%x\nthen as\n%x", written, twice)
		}
	})
}
