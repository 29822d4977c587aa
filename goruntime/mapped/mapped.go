// Package mapped holds read-only file maps that are reference counted: weights
// are read where the file lies in the page cache, and the map goes with the
// last of its users. A map shows what others write to its file, and ends the process
// where they make it shorter: files that may be written while they are used are read
// into a map of no file.
package mapped

import (
	"io"
	"os"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/invariants"
	"github.com/goruntime/goruntime/goruntime/own"
)

// File is a file mapped read-only into memory.
//
// Ownership: counted; Open gives the first reference. Bytes are valid while any
// reference is held.
// Concurrency: all methods are safe from any goroutine.
type File struct {
	b     []byte
	refs  atomic.Int64
	watch own.Watch
}

// Open maps the file at path. An empty file gives an empty map.
//
// Errors: errs.IO naming the path.
func Open(path string) (*File, error) {
	return take(path, func(f *os.File, size int) ([]byte, error) {
		return unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_PRIVATE)
	})
}

// Read is Open for a file that may be written while it is used: the bytes are a copy.
//
// Errors: errs.IO naming the path, also where the file became shorter meanwhile.
func Read(path string) (*File, error) { return take(path, copied) }

// copied returns a map of no file with the bytes of one.
func copied(f *os.File, size int) ([]byte, error) {
	b, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, err
	}
	if _, err = io.ReadFull(f, b); err == nil {
		err = unix.Mprotect(b, unix.PROT_READ)
	}
	if err != nil {
		_ = unix.Munmap(b) // fails only for a range that was never mapped
		return nil, err
	}
	return b, nil
}

// take returns a file whose bytes lie where place puts them.
func take(path string, place func(f *os.File, size int) ([]byte, error)) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, errs.New(errs.IO, "%w", err)
	}
	defer f.Close() //nolint:errcheck // a file that was only read
	info, err := f.Stat()
	if err != nil {
		return nil, errs.New(errs.IO, "%w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, errs.New(errs.IO, "%s is not a regular file", path)
	}
	m := &File{}
	m.refs.Store(1)
	if info.Size() > 0 {
		if m.b, err = place(f, int(info.Size())); err != nil {
			return nil, errs.New(errs.IO, "mapping %s (%d bytes): %w", path, info.Size(), err)
		}
	}
	m.watch = own.Over(m, "mapped.File")
	return m, nil
}

// Bytes returns the file's bytes.
//
// Ownership: borrowed until the last Release; never to be written.
func (f *File) Bytes() []byte { return f.b }

// Retain adds a reference. The caller holds one already.
func (f *File) Retain() {
	n := f.refs.Add(1)
	invariants.Check(n > 1, "a mapped file is retained after its last release")
}

// Release drops a reference; the last one unmaps the file.
func (f *File) Release() {
	n := f.refs.Add(-1)
	invariants.Check(n >= 0, "a mapped file is released more often than it was retained")
	if n != 0 {
		return
	}
	f.watch.End()
	if f.b != nil {
		_ = unix.Munmap(f.b) // fails only for a range that was never mapped
		f.b = nil
	}
}
