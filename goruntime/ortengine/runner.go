//go:build ort && cgo

package ortengine

// #include "shim.h"
import "C"

import (
	"slices"
	"strings"
	"sync"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/exec"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// keep is how many signatures a runner keeps, the most recently used.
const keep = 8

// runner computes some outputs of a model.
type runner struct {
	l     *model
	which []int // the outputs, by number

	mu    sync.Mutex   // protects all below and the free lists of the signatures
	known []*signature // the most recently used first
}

// signature is what is known for inputs of certain types and shapes.
type signature struct {
	in   []tensor.View
	outs []tensor.View // Undefined where only the run knows
	free []*frame
	busy int  // frames in use
	gone bool // no longer kept: the last frame that comes back is freed too
}

func (s *signature) matches(in []tensor.View) bool {
	for i := range in {
		if s.in[i].DType != in[i].DType || !s.in[i].Shape.Equal(in[i].Shape) {
			return false
		}
	}
	return true
}

// Run implements exec.Runner.
func (r *runner) Run(c *exec.Call, on exec.Resources) error {
	if c.Trace != nil {
		return errs.New(errs.Unsupported, "a trace was asked for, and ONNX Runtime shows no nodes: run on goruntime's own engine for one")
	}
	if c.Threads != 0 && c.Threads != r.l.threads {
		return errs.New(errs.Unsupported, "%d threads for one run: ONNX Runtime fixes their number, here %d, when the model is opened", c.Threads, r.l.threads)
	}
	f, err := r.acquire(c)
	if err != nil {
		return err
	}
	err = f.run(c, on)
	switch {
	case wrongShape(err) && c.Lent != nil:
		err = errs.New(errs.Shape, "the memory given for an output has not its shape: %w", err)
	case wrongShape(err):
		// The declaration was wrong. What the library makes by itself has the right shape.
		r.loosen(f)
		err = f.run(c, on)
	}
	r.release(f)
	return err
}

// wrongShapes is how the library says it, by version.
var wrongShapes = []string{"OrtValue provided for output", "OrtValue shape verification failed"}

// wrongShape reports whether an output has another shape than the memory for it.
func wrongShape(err error) bool {
	return err != nil && slices.ContainsFunc(wrongShapes, func(text string) bool { return strings.Contains(err.Error(), text) })
}

// acquire returns a frame for the inputs of a call.
func (r *runner) acquire(c *exec.Call) (*frame, error) {
	if f := r.find(c.In); f != nil {
		return f, nil
	}
	for i := range c.In {
		if err := r.l.inputs[i].Check(&c.In[i]); err != nil {
			return nil, err
		}
		if d := c.In[i].DType; d != tensor.Undefined && d != tensor.Other && numberOf(d) == 0 {
			return nil, errs.New(errs.Unsupported, "an input of %v, which ONNX Runtime does not have", d).WithInput(r.l.inputs[i].Name)
		}
	}
	s := &signature{in: make([]tensor.View, len(c.In)), outs: make([]tensor.View, len(r.which)), busy: 1}
	for i, v := range c.In {
		s.in[i] = tensor.View{DType: v.DType, Shape: v.Shape.Clone()}
	}
	all := r.l.outputsFor(s.in)
	for k, i := range r.which {
		s.outs[k] = all[i]
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known = append([]*signature{s}, r.known...)
	if len(r.known) > keep {
		r.known[keep].retire()
		r.known = r.known[:keep]
	}
	return newFrame(r, s), nil
}

// find returns a frame of a signature that is known.
func (r *runner) find(in []tensor.View) *frame {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, s := range r.known {
		if !s.matches(in) {
			continue
		}
		if i > 0 {
			copy(r.known[1:i+1], r.known[:i])
			r.known[0] = s
		}
		s.busy++
		if n := len(s.free); n > 0 {
			f := s.free[n-1]
			s.free = s.free[:n-1]
			if f.loose != s.loose() {
				f.bindOutputs()
			}
			return f
		}
		return newFrame(r, s)
	}
	return nil
}

// release ends the use of a frame, which serves the next run.
func (r *runner) release(f *frame) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f.of.busy--
	if f.of.gone {
		f.close()
		return
	}
	f.of.free = append(f.of.free, f)
}

// loosen makes the library allocate the outputs of a signature from now on.
func (r *runner) loosen(f *frame) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f.of.outs = make([]tensor.View, len(f.of.outs))
	f.bindOutputs()
}

// loose reports whether the signature has been loosened.
func (s *signature) loose() bool {
	return !slices.ContainsFunc(s.outs, func(v tensor.View) bool { return v.DType != tensor.Undefined })
}

// retire frees the frames of a signature that is no longer kept.
func (s *signature) retire() {
	s.gone = true
	for _, f := range s.free {
		f.close()
	}
	s.free = nil
}

// Close implements exec.Runner.
func (r *runner) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.known {
		s.retire()
	}
	r.known = nil
}
