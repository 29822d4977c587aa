package mapped

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/invariants"
	"github.com/goruntime/goruntime/goruntime/internal/testkit"
)

func write(t *testing.T, b []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "weights")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t *testing.T, path string) *File {
	t.Helper()
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// mapsOf returns how many maps of the file the process has.
func mapsOf(t *testing.T, path string) int {
	t.Helper()
	b, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skip("the system does not list maps: ", err)
	}
	return strings.Count(string(b), path)
}

func TestBytesAreTheFile(t *testing.T) {
	testkit.NoLeaks(t)
	for _, n := range []int{1, 4095, 4096, 4097, 100_000} {
		want := bytes.Repeat([]byte("goruntime"), n/9+1)[:n]
		f := open(t, write(t, want))
		if !bytes.Equal(f.Bytes(), want) {
			t.Errorf("a file of %d bytes reads differently", n)
		}
		f.Release()
	}
}

// What was read is a copy, which does not care about what becomes of the file.
func TestWhatWasReadIsACopy(t *testing.T) {
	testkit.NoLeaks(t)
	for _, n := range []int{0, 1, 4097, 100_000} {
		want := bytes.Repeat([]byte("goruntime"), n/9+1)[:n]
		path := write(t, want)
		f, err := Read(path)
		if err != nil {
			t.Fatal(err)
		}
		if maps := mapsOf(t, path); maps != 0 {
			t.Errorf("the file of %d bytes is mapped %d times", n, maps)
		}
		for _, other := range [][]byte{bytes.Repeat([]byte("x"), n), nil} {
			if err := os.WriteFile(path, other, 0o600); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(f.Bytes(), want) {
				t.Errorf("%d bytes that were read show what was written later", n)
			}
		}
		f.Release()
	}
	for _, path := range []string{filepath.Join(t.TempDir(), "none"), t.TempDir()} {
		if _, err := Read(path); errs.CodeOf(err) != errs.IO || !strings.Contains(err.Error(), path) {
			t.Error(err)
		}
	}
}

func TestEmptyFile(t *testing.T) {
	testkit.NoLeaks(t)
	f := open(t, write(t, nil))
	f.Retain()
	f.Release()
	if len(f.Bytes()) != 0 {
		t.Errorf("%d bytes", len(f.Bytes()))
	}
	f.Release()
}

func TestLastReleaseUnmaps(t *testing.T) {
	testkit.NoLeaks(t)
	path := write(t, []byte("abc"))
	f := open(t, path)
	f.Retain()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	f.Release()
	if string(f.Bytes()) != "abc" || mapsOf(t, path) != 1 {
		t.Errorf("one reference is left, the bytes are %q in %d maps", f.Bytes(), mapsOf(t, path))
	}
	f.Release()
	if n := mapsOf(t, path); n != 0 {
		t.Errorf("%d maps are left", n)
	}
}

func TestOpenRefuses(t *testing.T) {
	testkit.NoLeaks(t)
	dir := t.TempDir()
	for _, c := range []struct{ name, path, says string }{
		{"a missing file", filepath.Join(dir, "none"), "no such file"},
		{"a directory", dir, "is not a regular file"},
	} {
		_, err := Open(c.path)
		if errs.CodeOf(err) != errs.IO || !strings.Contains(err.Error(), c.path) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestReferencesFromManyGoroutines(t *testing.T) {
	testkit.NoLeaks(t)
	path := write(t, []byte("abc"))
	f := open(t, path)
	var wg sync.WaitGroup
	for range 8 {
		f.Retain()
		wg.Go(func() {
			for range 1000 {
				f.Retain()
				if string(f.Bytes()) != "abc" {
					t.Error("the bytes went")
				}
				f.Release()
			}
			f.Release()
		})
	}
	f.Release()
	wg.Wait()
	if n := mapsOf(t, path); n != 0 {
		t.Errorf("%d maps are left", n)
	}
}

func TestOneReleaseTooMany(t *testing.T) {
	f := open(t, write(t, []byte("abc")))
	f.Release()
	defer func() {
		if v := recover(); (v != nil) != invariants.Enabled {
			t.Errorf("invariants %v, recovered %v", invariants.Enabled, v)
		}
	}()
	f.Release()
}
