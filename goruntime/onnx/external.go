package onnx

import (
	"os"
	"path/filepath"
	"strconv"

	"github.com/goruntime/goruntime/goruntime/errs"
)

// external says where a tensor's data lies outside the model
// (TensorProto.external_data).
type external struct {
	location string
	offset   int64
	length   int64 // -1 where it is not stated
	files    *files
}

func (d *decoder) externalData(m span, t *Tensor) *fault {
	var list []KeyValue
	if err := d.keyValue(m, &list); err != nil {
		return err
	}
	if t.external == nil {
		t.external = &external{length: -1, files: d.files}
	}
	kv := list[0]
	switch kv.Key {
	case "location":
		t.external.location = kv.Value
		d.files.locations = append(d.files.locations, kv.Value)
		return nil
	case "offset":
		return number(m, kv, &t.external.offset)
	case "length":
		return number(m, kv, &t.external.length)
	default:
		return nil // a checksum, or what later versions add
	}
}

func number(m span, kv KeyValue, v *int64) *fault {
	n, err := strconv.ParseInt(kv.Value, 10, 64)
	if err != nil || n < 0 {
		return faultAt(m.lo, "%s is %q, a number of bytes expected", kv.Key, kv.Value)
	}
	*v = n
	return nil
}

// read returns the data of the tensor name, which takes n bytes.
func (e *external) read(name string, n int64) ([]byte, error) {
	if e == nil || e.location == "" {
		return nil, errs.New(errs.Model, "tensor %q lies outside the model, but the model does not say in which file", name)
	}
	if e.length >= 0 && e.length != n {
		return nil, errs.New(errs.Model, "tensor %q has %d bytes in the file %q, its shape takes %d", name, e.length, e.location, n)
	}
	b, err := e.files.open(e.location)
	if err != nil {
		return nil, errs.New(errs.CodeOf(err), "tensor %q: %w", name, err)
	}
	if size := int64(len(b)); e.offset > size || n > size-e.offset {
		return nil, errs.New(errs.Model, "tensor %q: %d bytes at byte %d of the file %q, which has %d bytes", name, n, e.offset, e.location, size)
	}
	return b[e.offset : e.offset+n : e.offset+n], nil
}

// resolve returns the path of an external file. It must lie in the folder of
// the model, also after links are followed: a model must not read other files.
// The model may itself be a link, as in download caches: then the folder that
// it leads to is as good.
func (fs *files) resolve(location string) (string, error) {
	if !filepath.IsLocal(location) {
		return "", errs.New(errs.Model, "the external file %q is not a path inside the model's folder", location)
	}
	path, err := filepath.EvalSymlinks(filepath.Join(fs.dir, location))
	if err != nil {
		return "", errs.New(errs.IO, "external file: %w", err)
	}
	if !fs.inside(path) {
		return "", errs.New(errs.Model, "the external file %q leaves the model's folder by a link", location)
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", errs.New(errs.IO, "external file: %w", err)
	}
	if !info.Mode().IsRegular() { // to open a pipe would wait for a writer
		return "", errs.New(errs.Model, "the external file %q is not a regular file", location)
	}
	return path, nil
}

// inside reports whether a path without links lies in a folder of the model.
func (fs *files) inside(path string) bool {
	folders := []string{fs.dir}
	if target, err := filepath.EvalSymlinks(fs.path); err == nil && fs.path != "" {
		folders = append(folders, filepath.Dir(target))
	}
	for _, dir := range folders {
		dir, err := filepath.EvalSymlinks(dir)
		if err != nil {
			continue
		}
		if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}
