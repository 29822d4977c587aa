//go:build ort && cgo

package ortengine

// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"slices"
	"strings"
	"sync"
	"unsafe"

	ort "github.com/yalue/onnxruntime_go"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/exec"
	"github.com/goruntime/goruntime/goruntime/internal/nearest"
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/pool"
)

// model is a model that the library has loaded.
type model struct {
	m       *onnx.Model
	session *C.OrtSession
	threads int
	loops   bool // how long a run takes does not follow from the shapes

	inputs, outputs []exec.Info
	inNames         []*C.char
	outNames        []*C.char

	rules  sync.Once
	shapes *exec.Shapes // nil where the model has operators without rules
}

func load(path string, m *onnx.Model, o *exec.Options) (exec.Loaded, error) {
	if err := enter(path); err != nil {
		return nil, err
	}
	l := &model{m: m, threads: o.Threads}
	_, l.loops = m.Extent()
	if l.threads <= 0 || l.threads > pool.Width() {
		l.threads = pool.Width()
	}
	if err := l.open(); err != nil {
		return nil, err
	}
	for i := range m.Graph.Inputs {
		l.inputs = append(l.inputs, infoOf(m, &m.Graph.Inputs[i]))
		l.inNames = append(l.inNames, C.CString(m.Graph.Inputs[i].Name))
	}
	for i := range m.Graph.Outputs {
		l.outputs = append(l.outputs, infoOf(m, &m.Graph.Outputs[i]))
		l.outNames = append(l.outNames, C.CString(m.Graph.Outputs[i].Name))
	}
	return l, nil
}

// open makes the library's session. It copies what it needs of a model in memory.
func (l *model) open() error {
	path, raw, dir := l.m.Source()
	var file, folder *C.char
	if path != "" {
		file = C.CString(path)
		defer C.free(unsafe.Pointer(file))
	} else if dir != "" {
		folder = C.CString(dir)
		defer C.free(unsafe.Pointer(folder))
	}
	err := failed(C.gr_ort_open(file, cBytes(raw), C.size_t(len(raw)), folder, C.int(l.threads), &l.session), errs.Model)
	if err != nil && unimplemented(err) {
		err = errs.New(errs.Unsupported, "%w", err)
	}
	return err
}

// lacks is how the library says it.
var lacks = []string{"not a registered function/op", "No Op registered for", "Could not find an implementation", "Failed to find kernel"}

// unimplemented reports whether the library has no kernel, or no schema, for an operator.
func unimplemented(err error) bool {
	return slices.ContainsFunc(lacks, func(text string) bool { return strings.Contains(err.Error(), text) })
}

func infoOf(m *onnx.Model, v *onnx.ValueInfo) exec.Info {
	i := exec.Info{Name: v.Name, Type: &v.Type}
	i.Optional = slices.ContainsFunc(m.Graph.Initializers, func(t onnx.Tensor) bool { return t.Name == v.Name })
	return i
}

// Engine implements exec.Loaded.
func (l *model) Engine() string { return "ONNX Runtime " + ort.GetVersion() }

// Inputs implements exec.Loaded.
func (l *model) Inputs() []exec.Info { return l.inputs }

// Outputs implements exec.Loaded.
func (l *model) Outputs() []exec.Info { return l.outputs }

// Runner implements exec.Loaded, for outputs only.
func (l *model) Runner(names []string) (exec.Runner, error) {
	r := &runner{l: l, which: make([]int, len(names))}
	for k, name := range names {
		i := slices.IndexFunc(l.outputs, func(o exec.Info) bool { return o.Name == name })
		if i < 0 {
			return nil, l.noOutput(name)
		}
		r.which[k] = i
	}
	return r, nil
}

// noOutput says why a value cannot be asked for.
func (l *model) noOutput(name string) error {
	var known []string
	for _, o := range l.outputs {
		known = append(known, o.Name)
	}
	inner := slices.ContainsFunc(l.inputs, func(i exec.Info) bool { return i.Name == name }) ||
		slices.ContainsFunc(l.m.Graph.Nodes, func(n onnx.Node) bool { return slices.Contains(n.Outputs, name) })
	if inner {
		return errs.New(errs.Unsupported, "the value is no output of the model, and ONNX Runtime shows outputs only (%s): inner values are seen on goruntime's own engine",
			strings.Join(known, ", ")).WithInput(name)
	}
	return errs.New(errs.Name, "no output of this name; the nearest are %s", nearest.Quoted(name, known, 3)).WithInput(name)
}

// Close implements exec.Loaded. Values that the library made outlive it.
func (l *model) Close() {
	C.ReleaseOrtSession(l.session)
	for _, name := range slices.Concat(l.inNames, l.outNames) {
		C.free(unsafe.Pointer(name))
	}
	if l.shapes != nil {
		l.shapes.Close()
	}
}
