package flight

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/goruntime/goruntime/goruntime/arrowio"
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/exec"
	"github.com/goruntime/goruntime/goruntime/onnx"
)

// Repository holds the models of a folder: NAME/VERSION/model.onnx, NAME/model.onnx,
// or NAME.onnx, each with its manifest beside it (model.manifest.json,
// NAME.manifest.json). Files may be written over while their models serve.
//
// Concurrency: all methods are safe from any goroutine; models are there while others
// are loaded.
type Repository struct {
	dir     string
	options exec.Options
	metrics *metrics
	crew    *crew

	loading  sync.Mutex       // protects failed and twice; held while models are loaded, before mu
	failed   map[name]failure // files that could not be loaded
	twice    map[string]bool  // paths of models that are elsewhere too
	mu       sync.Mutex       // protects all below
	models   map[name]*Model
	unloaded map[name]found // what Unload let go of, not loaded until it changes
}

// name is a model's name and version.
type name struct{ model, version string }

// found is a model file of the folder.
type found struct {
	name
	path            string
	manifest        string // empty where there is none
	written, edited stamp  // the model and the manifest
}

// failure is a file that could not be loaded, which is not tried again until it changes, or
// something in its folder: what it lacks may come after it.
type failure struct {
	file   found
	folder string
}

// NewRepository returns an empty repository over a folder, or over one model file.
func NewRepository(dir string, o exec.Options) *Repository {
	return &Repository{dir: dir, options: o, models: map[name]*Model{}, failed: map[name]failure{}, unloaded: map[name]found{}, metrics: newMetrics(), crew: newCrew(o.Threads)}
}

// Refresh loads what is new or changed in the folder, and lets go of what is gone.
// Streams that began with a model keep it until they end. A model that cannot be
// loaded leaves its earlier form in place and is tried again when it changes; new
// failures are returned.
func (r *Repository) Refresh() []error {
	r.loading.Lock()
	defer r.loading.Unlock()
	list, err := scan(r.dir)
	if err != nil {
		return []error{err}
	}
	var failed []error
	seen := map[name]string{}
	twice := map[string]bool{}
	for _, f := range list {
		if first, ok := seen[f.name]; ok {
			if twice[f.path] = true; !r.twice[f.path] {
				failed = append(failed, errs.New(errs.Model, "%s: the model %s, version %s, is %s already: give one of them another name or version", f.path, f.model, f.version, first))
			}
			continue
		}
		seen[f.name] = f.path
		if !r.due(f) {
			continue
		}
		delete(r.failed, f.name)
		folder := folderOf(f.path)
		if err := r.load(f); err != nil {
			r.failed[f.name] = failure{f, folder}
			failed = append(failed, errs.New(errs.CodeOf(err), "%s: %w", f.path, err))
		}
	}
	r.twice = twice
	maps.DeleteFunc(r.failed, func(n name, _ failure) bool { return seen[n] == "" })
	r.mu.Lock()
	defer r.mu.Unlock()
	for n, m := range r.models {
		if seen[n] == "" {
			delete(r.models, n)
			m.leave()
		}
	}
	maps.DeleteFunc(r.unloaded, func(n name, _ found) bool { return seen[n] == "" })
	return failed
}

// due reports whether a file is to be loaded. Loading is locked.
func (r *Repository) due(f found) bool {
	if before, ok := r.failed[f.name]; ok && before == (failure{f, folderOf(f.path)}) {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if old := r.models[f.name]; old != nil && old.file == f && !old.stale() {
		return false
	}
	return r.unloaded[f.name] != f
}

// load opens a model and puts it in the place of an earlier one. Loading is locked.
func (r *Repository) load(f found) error {
	m, err := openModel(f, r.options, r.metrics, r.crew)
	if err != nil {
		return err
	}
	if now := at(f.path, f.model, f.version); now != f || m.stale() {
		m.leave()
		return errs.New(errs.IO, "it was written while it was read: it is loaded when that has ended")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.unloaded, f.name)
	if old := r.models[f.name]; old != nil {
		old.leave()
	}
	r.models[f.name] = m
	return nil
}

// Load loads what Unload let go of, or what could not be loaded, of that name and version,
// each of any where it is empty, and what is new or changed.
func (r *Repository) Load(model, version string) []error {
	asked := func(n name) bool {
		return (model == "" || n.model == model) && (version == "" || n.version == version)
	}
	r.loading.Lock()
	maps.DeleteFunc(r.failed, func(n name, _ failure) bool { return asked(n) })
	r.mu.Lock()
	maps.DeleteFunc(r.unloaded, func(n name, _ found) bool { return asked(n) })
	r.mu.Unlock()
	r.loading.Unlock()
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
		asked := fmt.Sprintf("no model %q", model)
		if version != "" {
			asked += fmt.Sprintf(" of version %q", version)
		}
		return nil, errs.New(errs.Name, "%s is loaded; there are %s", asked, cmp.Or(strings.Join(known, ", "), "none"))
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
			if slices.ContainsFunc(parts, func(part string) bool { return strings.HasPrefix(part, ".") }) {
				continue // hidden: a copy that is being made, the folders behind a mount's links
			}
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
	f := found{name: name{model, version}, path: path, written: stampOf(path)}
	manifest := strings.TrimSuffix(path, ".onnx") + ".manifest.json"
	if f.edited = stampOf(manifest); f.edited != (stamp{}) {
		f.manifest = manifest
	}
	return f
}

// verify compares a model with the name, the version and the checksums of its manifest.
func verify(f found, model *onnx.Model, m *arrowio.Manifest) error {
	if said := (name{cmp.Or(m.Name, f.model), cmp.Or(m.Version, f.version)}); said != f.name {
		return errs.New(errs.Model, "the manifest %s is of the model %s, version %s, the file is served as %s, version %s: put it at NAME/VERSION/model.onnx", f.manifest, said.model, said.version, f.model, f.version)
	}
	if err := m.Verify(model); err != nil {
		return errs.New(errs.CodeOf(err), "%s: %w", f.manifest, err)
	}
	return nil
}
