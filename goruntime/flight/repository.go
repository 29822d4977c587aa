package flight

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/goruntime/goruntime/goruntime/arrowio"
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/exec"
)

// Repository holds the models of a folder: NAME/VERSION/model.onnx, NAME/model.onnx,
// or NAME.onnx, each with its manifest beside it (model.manifest.json,
// NAME.manifest.json).
//
// Concurrency: all methods are safe from any goroutine.
type Repository struct {
	dir     string
	options exec.Options
	metrics *metrics
	crew    *crew

	mu       sync.Mutex // protects all below; held while a model is loaded
	models   map[name]*Model
	failed   map[name]found // files that could not be loaded, not tried again until they change
	unloaded map[name]found // what Unload let go of, not loaded until it changes
}

// name is a model's name and version.
type name struct{ model, version string }

// found is a model file of the folder.
type found struct {
	name
	path     string
	manifest string // empty where there is none
	changed  int64  // when either was written
}

// NewRepository returns an empty repository over a folder, or over one model file.
func NewRepository(dir string, o exec.Options) *Repository {
	return &Repository{dir: dir, options: o, models: map[name]*Model{}, failed: map[name]found{}, unloaded: map[name]found{}, metrics: newMetrics(), crew: newCrew(o.Threads)}
}

// Refresh loads what is new or changed in the folder, and lets go of what is gone.
// Streams that began with a model keep it until they end. A model that cannot be
// loaded leaves its earlier form in place and is tried again when it changes; new
// failures are returned.
func (r *Repository) Refresh() []error {
	list, err := scan(r.dir)
	if err != nil {
		return []error{err}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var failed []error
	seen := map[name]bool{}
	for _, f := range list {
		seen[f.name] = true
		if old := r.models[f.name]; old != nil && old.file == f || r.failed[f.name] == f || r.unloaded[f.name] == f {
			continue
		}
		delete(r.failed, f.name)
		delete(r.unloaded, f.name)
		if err := r.load(f); err != nil {
			r.failed[f.name] = f
			failed = append(failed, errs.New(errs.CodeOf(err), "%s: %w", f.path, err))
		}
	}
	for n, m := range r.models {
		if !seen[n] {
			delete(r.models, n)
			m.leave()
		}
	}
	maps.DeleteFunc(r.unloaded, func(n name, _ found) bool { return !seen[n] })
	return failed
}

// load opens a model and puts it in the place of an earlier one. The lock is held.
func (r *Repository) load(f found) error {
	m, err := openModel(f, r.options, r.metrics, r.crew)
	if err != nil {
		return err
	}
	if old := r.models[f.name]; old != nil {
		old.leave()
	}
	r.models[f.name] = m
	return nil
}

// Load loads what Unload let go of, of that name and version, each of any where it is
// empty, and what is new or changed.
func (r *Repository) Load(model, version string) []error {
	r.mu.Lock()
	maps.DeleteFunc(r.unloaded, func(n name, _ found) bool {
		return (model == "" || n.model == model) && (version == "" || n.version == version)
	})
	r.mu.Unlock()
	return r.Refresh()
}

// Unload lets go of a model until its file changes, or Load.
//
// Errors: errs.Name where there is none of that name.
func (r *Repository) Unload(model, version string) error {
	m, err := r.Get(model, version)
	if err != nil {
		return err
	}
	defer m.leave()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.models[m.file.name] == m {
		delete(r.models, m.file.name)
		r.unloaded[m.file.name] = m.file
		m.leave()
	}
	return nil
}

// Get returns a model; an empty version is the newest. leave ends its use.
//
// Errors: errs.Name, with what is there.
func (r *Repository) Get(model, version string) (*Model, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var best *Model
	var known []string
	for n, m := range r.models {
		known = append(known, n.model+"/"+n.version)
		if n.model == model && (n.version == version || version == "") && (best == nil || newer(n.version, best.file.version)) {
			best = m
		}
	}
	if best == nil {
		slices.Sort(known)
		return nil, errs.New(errs.Name, "no model %q version %q is loaded; there are %s", model, version, strings.Join(known, ", "))
	}
	best.enter()
	return best, nil
}

// All returns the loaded models in the order of name and version; leave ends the use
// of each.
func (r *Repository) All() []*Model {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make([]*Model, 0, len(r.models))
	for _, m := range r.models {
		m.enter()
		list = append(list, m)
	}
	slices.SortFunc(list, func(a, b *Model) int {
		return cmp.Or(cmp.Compare(a.file.model, b.file.model), cmp.Compare(a.file.version, b.file.version))
	})
	return list
}

// Close lets go of all models.
func (r *Repository) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for n, m := range r.models {
		delete(r.models, n)
		m.leave()
	}
}

// newer compares versions: as numbers where both are, else as text.
func newer(a, b string) bool {
	x, errA := strconv.Atoi(a)
	y, errB := strconv.Atoi(b)
	if errA == nil && errB == nil {
		return x > y
	}
	return a > b
}

// scan lists the model files of a folder, or one file.
func scan(dir string) ([]found, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, errs.New(errs.IO, "%w", err)
	}
	if !info.IsDir() {
		return []found{at(dir, strings.TrimSuffix(filepath.Base(dir), ".onnx"), "1")}, nil
	}
	var list []found
	for _, pattern := range []string{"*.onnx", "*/model.onnx", "*/*/model.onnx"} {
		paths, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return nil, errs.New(errs.IO, "%w", err)
		}
		for _, p := range paths {
			rel, _ := filepath.Rel(dir, p)
			parts := strings.Split(filepath.ToSlash(rel), "/")
			switch len(parts) {
			case 1:
				list = append(list, at(p, strings.TrimSuffix(parts[0], ".onnx"), "1"))
			case 2:
				list = append(list, at(p, parts[0], "1"))
			default:
				list = append(list, at(p, parts[0], parts[1]))
			}
		}
	}
	return list, nil
}

// at describes a model file.
func at(path, model, version string) found {
	f := found{name: name{model, version}, path: path}
	manifest := strings.TrimSuffix(path, ".onnx") + ".manifest.json"
	if info, err := os.Stat(path); err == nil {
		f.changed = info.ModTime().UnixNano()
	}
	if info, err := os.Stat(manifest); err == nil {
		f.manifest = manifest
		f.changed = max(f.changed, info.ModTime().UnixNano())
	}
	return f
}

// verify compares a file with the name, the version and the checksum of its manifest.
func verify(f found, m *arrowio.Manifest) error {
	if said := (name{cmp.Or(m.Name, f.model), cmp.Or(m.Version, f.version)}); said != f.name {
		return errs.New(errs.Model, "the manifest is of the model %s, version %s, the file is served as %s, version %s: put it at NAME/VERSION/model.onnx", said.model, said.version, f.model, f.version)
	}
	if m.Checksum == "" {
		return nil
	}
	file, err := os.Open(f.path)
	if err != nil {
		return errs.New(errs.IO, "%w", err)
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return errs.New(errs.IO, "%w", err)
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != m.Checksum {
		return errs.New(errs.Model, "its SHA-256 is %s, the manifest says %s", got, m.Checksum)
	}
	return nil
}
