package control

import (
	"strings"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// branches is a runtime that notes which subgraph an operator runs.
type branches struct {
	op.Runtime
	took []string
	err  error
}

// Branch implements op.Runtime.
func (b *branches) Branch(_ *op.Context, attr string) error {
	b.took = append(b.took, attr)
	return b.err
}

func runIf(rt *branches, cond *tensor.View) error {
	var c op.Context
	c.Bind(op.Bind{Runtime: rt, In: []*tensor.View{cond}, Constant: []bool{false}})
	return If.Def().Run(&c)
}

func TestIfRunsOneBranch(t *testing.T) {
	for _, c := range []struct {
		name string
		cond *tensor.View
		want string
	}{
		{"true", optest.Bool(nil, true), "then_branch"},
		{"false", optest.Bool(nil, false), "else_branch"},
		{"one element", optest.Bool(optest.Dims(1), true), "then_branch"},
		{"one element of rank 3", optest.Bool(optest.Dims(1, 1, 1), false), "else_branch"},
	} {
		rt := &branches{}
		if err := runIf(rt, c.cond); err != nil || len(rt.took) != 1 || rt.took[0] != c.want {
			t.Errorf("%s: ran %q (error %v), want %s", c.name, rt.took, err, c.want)
		}
		if attr, err := If.Def().Taken(c.cond); err != nil || attr != c.want {
			t.Errorf("%s: Taken gives %q (error %v), want %s", c.name, attr, err, c.want)
		}
	}
	rt := &branches{err: errs.New(errs.Compute, "the branch fails")}
	if err := runIf(rt, optest.Bool(nil, true)); errs.CodeOf(err) != errs.Compute {
		t.Errorf("the error of the branch is lost: %v", err)
	}
}

func TestIfRefusesOtherConditions(t *testing.T) {
	for _, c := range []struct {
		cond *tensor.View
		want string
	}{
		{optest.Bool(optest.Dims(2), true, true), "the condition is bool[2], a bool tensor with one element expected"},
		{optest.Bool(optest.Dims(0)), "the condition is bool[0]"},
		{optest.U8(nil, 1), "the condition is u8[]"},
	} {
		rt := &branches{}
		err := runIf(rt, c.cond)
		if err == nil || !strings.Contains(err.Error(), c.want) || errs.CodeOf(err) != errs.Shape || len(rt.took) != 0 {
			t.Errorf("%v: error %v, ran %q, want %q", c.cond, err, rt.took, c.want)
		}
	}
}
