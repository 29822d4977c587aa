package onnx

import (
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/mapped"
)

// files are the maps behind a model: its own and those of its external data.
type files struct {
	dir string // of the model file, empty where it came as bytes

	mu   sync.Mutex // protects maps
	maps map[string]*mapped.File
}

// Open maps and reads the model file at path. External data is found beside it.
//
// Ownership: the caller's until Close.
// Errors: errs.IO for the file, errs.Model for what is in it.
func Open(path string) (*Model, error) {
	f, err := mapped.Open(path)
	if err != nil {
		return nil, err
	}
	m, err := Parse(f.Bytes())
	if err != nil {
		f.Release()
		return nil, in(err, "%s", path)
	}
	m.files.dir = filepath.Dir(path)
	m.files.maps = map[string]*mapped.File{"": f}
	return m, nil
}

// ParseIn is Parse for a model whose external data lies in dir.
func ParseIn(b []byte, dir string) (*Model, error) {
	m, err := Parse(b)
	if err == nil {
		m.files.dir = dir
	}
	return m, err
}

// Close unmaps the files of the model: all that aliases them is invalid after.
func (m *Model) Close() {
	m.files.mu.Lock()
	defer m.files.mu.Unlock()
	for _, f := range m.files.maps {
		f.Release()
	}
	m.files.maps = nil
}

// external returns the bytes of an external tensor: length n at offset in the
// file that location names, relative to the model's folder.
func (fs *files) external(location string, offset, n int64) ([]byte, error) {
	if fs == nil || fs.dir == "" {
		return nil, errs.New(errs.Model, "the data lies in the file %q, but the model was given as bytes: open it by its path", location)
	}
	f, err := fs.open(location)
	if err != nil {
		return nil, err
	}
	size := int64(len(f.Bytes()))
	if offset < 0 || n < 0 || offset > size || n > size-offset {
		return nil, errs.New(errs.Model, "bytes %d to %d are outside the external file %q of %d bytes", offset, offset+n, location, size)
	}
	return f.Bytes()[offset : offset+n : offset+n], nil
}

func (fs *files) open(location string) (*mapped.File, error) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if f := fs.maps[location]; f != nil && location != "" {
		return f, nil
	}
	path, err := fs.resolve(location)
	if err != nil {
		return nil, err
	}
	f, err := mapped.Open(path)
	if err != nil {
		return nil, err
	}
	if fs.maps == nil {
		fs.maps = map[string]*mapped.File{}
	}
	fs.maps[location] = f
	return f, nil
}

// resolve returns the path of an external file, which must lie in the model's
// folder also after links are followed: a model must not read other files.
func (fs *files) resolve(location string) (string, error) {
	if location == "" || filepath.IsAbs(location) || !filepath.IsLocal(location) {
		return "", errs.New(errs.Model, "the external file %q is not a path inside the model's folder", location)
	}
	dir, err := filepath.EvalSymlinks(fs.dir)
	if err != nil {
		return "", errs.New(errs.IO, "%w", err)
	}
	path, err := filepath.EvalSymlinks(filepath.Join(dir, location))
	if err != nil {
		return "", errs.New(errs.IO, "external data: %w", err)
	}
	if !strings.HasPrefix(path, strings.TrimSuffix(dir, string(os.PathSeparator))+string(os.PathSeparator)) {
		return "", errs.New(errs.Model, "the external file %q leaves the model's folder by a link", location)
	}
	return path, nil
}
