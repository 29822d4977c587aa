package onnx

import (
	"path/filepath"
	"slices"
	"sync"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/mapped"
)

// files are the maps behind a model: its own and those of its external data,
// which are opened when a tensor in them is first read.
type files struct {
	dir  string // where external data lies, empty where there can be none
	path string // of the model file, empty where it came as bytes
	raw  []byte // what the model was parsed from
	take func(path string) (*mapped.File, error)
	// locations are those of all tensors outside, in the order of the model.
	locations []string

	mu     sync.Mutex // protects all below
	model  *mapped.File
	maps   map[string]*mapped.File // by location
	closed bool
}

// Open maps and reads the model file at path. External data is found beside it.
//
// Ownership: the caller's until Close.
// Errors: errs.IO for the file, errs.Model for what is in it.
func Open(path string) (*Model, error) { return open(path, mapped.Open) }

// Read is Open for files that may be written while the model is used, as those in a
// server's folder: the model has a copy of its own. Fetch copies external data, which else
// happens when a tensor in it is first read.
func Read(path string) (*Model, error) { return open(path, mapped.Read) }

// Fetch opens all files of external data and returns their bytes by location. One that
// cannot be opened is an error when a tensor in it is read.
//
// Ownership: the bytes are borrowed until Close.
func (m *Model) Fetch() map[string][]byte {
	found := map[string][]byte{}
	for _, location := range m.External() {
		if b, err := m.files.open(location); err == nil {
			found[location] = b
		}
	}
	return found
}

func open(path string, take func(path string) (*mapped.File, error)) (*Model, error) {
	f, err := take(path)
	if err != nil {
		return nil, err
	}
	m, err := ParseIn(f.Bytes(), filepath.Dir(path))
	if err != nil {
		f.Release()
		return nil, errs.New(errs.CodeOf(err), "%s: %w", path, err)
	}
	m.files.path, m.files.model, m.files.take = filepath.Join(m.files.dir, filepath.Base(path)), f, take
	return m, nil
}

// External returns where the tensors outside the model lie, each file once: paths from the
// folder of external data, see Source.
func (m *Model) External() []string {
	var list []string
	for _, location := range m.files.locations {
		if m.files.dir != "" && filepath.IsLocal(location) && !slices.Contains(list, location) {
			list = append(list, location)
		}
	}
	return list
}

// Source returns what the model was read from: the path of its file, "" where there is
// none, its bytes, and the folder of its external data, "" where there can be none.
//
// Ownership: the bytes are borrowed until Close.
func (m *Model) Source() (path string, raw []byte, dir string) {
	return m.files.path, m.files.raw, m.files.dir
}

// Close unmaps the files of the model: all that aliases them is invalid after.
// A model that was parsed from bytes has only the files of its external data.
func (m *Model) Close() {
	m.files.mu.Lock()
	defer m.files.mu.Unlock()
	for _, f := range m.files.maps {
		f.Release()
	}
	if m.files.model != nil {
		m.files.model.Release()
	}
	m.files.maps, m.files.model, m.files.raw, m.files.closed = nil, nil, nil, true
}

// open returns the bytes of the external file at location.
func (fs *files) open(location string) ([]byte, error) {
	if fs == nil || fs.dir == "" {
		return nil, errs.New(errs.Model, "the data lies in the file %q, but the model was given as bytes: open it by its path", location)
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if fs.closed {
		return nil, errs.New(errs.Closed, "the model is closed")
	}
	if f := fs.maps[location]; f != nil {
		return f.Bytes(), nil
	}
	path, err := fs.resolve(location)
	if err != nil {
		return nil, err
	}
	take := fs.take
	if take == nil { // of a model that was parsed from bytes
		take = mapped.Open
	}
	f, err := take(path)
	if err != nil {
		return nil, err
	}
	if fs.maps == nil {
		fs.maps = map[string]*mapped.File{}
	}
	fs.maps[location] = f
	return f.Bytes(), nil
}
