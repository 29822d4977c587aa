package exec

import (
	"fmt"
	"strings"

	"github.com/goruntime/goruntime/goruntime/plan"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Prepare makes the program for inputs of these types and shapes, in the order of
// Session.Inputs, ahead of the first run, and returns how it was planned: the
// order of the steps, where each value lives and dies, what is written in place.
//
// Errors: as Session.Run has them before it runs; errs.Unsupported on another engine
// than the runtime's own.
func (s *Session) Prepare(t *Target, in []tensor.View) (*Explanation, error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.leave()
	if _, err := s.own("how a run is planned was asked for"); err != nil {
		return nil, err
	}
	if t == nil {
		t = s.outputs
	}
	u := t.runner.(*unit)
	f, err := u.acquireChecked(in, u.m.noFusion, s.resources(&Call{}))
	if err != nil {
		return nil, err
	}
	defer f.prog.done(f)
	return f.prog.explain(), nil
}

// Explanation is a program as it can be looked at.
type Explanation struct {
	Steps  []PlannedStep  `json:"steps"`
	Values []PlannedValue `json:"values"` // inputs, constants and what steps make
	Slab   int            `json:"slab"`   // bytes that a run takes for what is planned
	Peak   int            `json:"peak"`   // bytes of the slab that are live at once, at most
}

// PlannedStep is one step.
type PlannedStep struct {
	Node      string   `json:"node"`
	OpType    string   `json:"op_type"`
	Domain    string   `json:"domain"`
	Version   int      `json:"version"`
	Inputs    []string `json:"inputs"`
	Outputs   []string `json:"outputs"`
	Kind      string   `json:"kind"`      // kernel, view, dynamic (shapes are known in the run only) or copy
	InPlaceOf string   `json:"in_place"`  // the input that output 0 overwrites, or empty
	Workspace int      `json:"workspace"` // bytes of scratch
	At        int      `json:"workspace_offset"`
	Fused     []string `json:"fused"` // the operators that the step stands for, where it is more than one
	Frees     []string `json:"frees"` // the values that die in the step
}

// PlannedValue is one value.
type PlannedValue struct {
	Name   string       `json:"name"`
	DType  tensor.DType `json:"dtype"`
	Shape  tensor.Shape `json:"shape"` // null where it is known in the run only
	Bytes  int          `json:"bytes"` // -1 where unknown
	Role   string       `json:"role"`  // borrowed, execution or io; constant for what is known before, columns for what is read where its columns lie
	Offset int          `json:"offset"`
	Made   int          `json:"made"` // the step that makes it, -1 for none
	Last   int          `json:"last"` // the last step that reads it, -1 for none; the number of steps for what leaves
}

func (p *program) explain() *Explanation {
	e := &Explanation{Slab: p.plan.Slab, Peak: p.plan.Peak}
	made, last := make([]int, len(p.vals)), make([]int, len(p.vals))
	for v := range made {
		made[v], last[v] = -1, -1
	}
	for i := range p.steps {
		e.Steps = append(e.Steps, p.explainStep(i))
		for _, v := range p.steps[i].in {
			if v != plan.None {
				last[v] = i
			}
		}
		for _, v := range p.steps[i].out {
			if v != plan.None {
				made[v] = i
			}
		}
	}
	for _, v := range p.outputs {
		last[v] = len(p.steps)
	}
	for v := range p.vals {
		if last[v] >= 0 || made[v] >= 0 || p.vals[v].feed >= 0 {
			e.Values = append(e.Values, p.explainValue(v, made[v], last[v]))
		}
		if made[v] >= 0 && last[v] >= 0 && last[v] < len(p.steps) {
			s := &e.Steps[last[v]]
			s.Frees = append(s.Frees, p.vals[v].name)
		}
	}
	return e
}

func (p *program) explainStep(i int) PlannedStep {
	st := &p.steps[i]
	s := PlannedStep{
		Node: st.node.Name, OpType: st.node.OpType, Domain: st.node.Domain, Version: st.node.Version,
		Inputs: p.namesOf(st.in), Outputs: p.namesOf(st.out), Kind: "kernel", At: p.plan.Workspace[i],
	}
	switch {
	case st.node.Def == aliasCopy || st.node.Def == gathered:
		s.Kind = "copy"
	case st.rename || st.node.Def == joined || p.plan.Idle[i]:
		s.Kind = "view"
	case !st.static:
		s.Kind = "dynamic"
	}
	if k := p.plan.InPlace[i]; k != plan.None {
		s.InPlaceOf = p.vals[st.in[k]].name
	}
	s.Workspace = p.work[i]
	if st.tail != nil {
		s.Fused = st.tail.nodes
	}
	return s
}

func (p *program) namesOf(list []int) []string {
	names := make([]string, len(list))
	for i, v := range list {
		if v != plan.None {
			names[i] = p.vals[v].name
		}
	}
	return names
}

func (p *program) explainValue(v, made, last int) PlannedValue {
	pv, b := &p.vals[v], &p.plan.Buffers[p.plan.Of[v]]
	out := PlannedValue{Name: pv.name, Role: b.Role.String(), Bytes: plan.Unsized, Offset: b.Offset, Made: made, Last: last}
	if out.Offset != plan.None {
		out.Offset += p.plan.At[v]
	}
	if pv.shaped {
		out.DType, out.Shape, out.Bytes = pv.view.DType, pv.view.Shape, pv.view.Bytes()
	}
	switch {
	case pv.known:
		out.Role = "constant"
	case pv.view.Columns != nil:
		out.Role = "columns"
	case pv.view.Parts != nil:
		out.Role = "parts"
	}
	return out
}

// String returns the plan as text: a line for each value that is there before,
// one for each step.
func (e *Explanation) String() string {
	var b strings.Builder
	noun := "steps"
	if len(e.Steps) == 1 {
		noun = "step"
	}
	fmt.Fprintf(&b, "%d %s, slab of %d bytes, at most %d of them live\n", len(e.Steps), noun, e.Slab, e.Peak)
	by := map[string]*PlannedValue{}
	for i := range e.Values {
		v := &e.Values[i]
		by[v.Name] = v
		if v.Made < 0 {
			fmt.Fprintf(&b, "     %s\n", v)
		}
	}
	for i := range e.Steps {
		s := &e.Steps[i]
		name := s.OpType
		if len(s.Fused) > 0 {
			name = strings.Join(s.Fused, "+")
		}
		fmt.Fprintf(&b, "%4d %s(%s)", i, name, strings.Join(s.Inputs, ", "))
		for k, name := range s.Outputs {
			if v := by[name]; v != nil {
				fmt.Fprintf(&b, "%s %s", [...]string{" ->", ","}[min(k, 1)], v)
			}
		}
		if s.InPlaceOf != "" {
			fmt.Fprintf(&b, "; in place of %s", s.InPlaceOf)
		}
		if s.Kind != "kernel" {
			fmt.Fprintf(&b, "; %s", s.Kind)
		}
		if s.Workspace > 0 {
			fmt.Fprintf(&b, "; workspace of %d bytes at %d", s.Workspace, s.At)
		}
		if len(s.Frees) > 0 {
			fmt.Fprintf(&b, "; last use of %s", strings.Join(s.Frees, ", "))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// String returns name, type and place: "a f32[4, 3] execution+64".
func (v *PlannedValue) String() string {
	text := v.Name
	switch {
	case v.Bytes >= 0:
		text += fmt.Sprintf(" %v%v", v.DType, v.Shape)
	case v.DType != tensor.Undefined:
		text += fmt.Sprintf(" %v", v.DType)
	}
	if text += " " + v.Role; v.Role == plan.Execution.String() && v.Offset >= 0 {
		text += fmt.Sprintf("+%d", v.Offset)
	}
	return text
}
