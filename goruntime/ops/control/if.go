// Package control holds the operators that run subgraphs: If and its kin.
package control

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// If runs one of two subgraphs, by the value of its condition.
// https://onnx.ai/onnx/operators/onnx__If.html   Departures: none.
//
// The branches may give outputs of different ranks: only the one taken counts.
// Where the condition is known before the run, exec puts the branch's nodes in
// the place of the If.
var If = op.Declare("", "If", func() op.Def {
	return op.Def{
		Versions: op.Versions{
			1: "", 11: "branches may differ in shape", 13: "sequences", 16: "optionals",
			19: "float8", 21: "4-bit types", 23: "float4e2m1", 24: "float8e8m0", 25: "2-bit types",
		},
		Attrs:    op.Attrs(op.Graph("then_branch"), op.Graph("else_branch")),
		Control:  true,
		Computes: true,
		Taken:    ifTaken,
		Run:      ifRun,
		Also:     map[int][]tensor.DType{0: {tensor.Bool}},
	}
})

func ifTaken(cond *tensor.View) (string, error) {
	if cond.DType != tensor.Bool || cond.Elements() != 1 {
		return "", errs.New(errs.Shape, "the condition is %v, a bool tensor with one element expected", cond)
	}
	if tensor.Elems[bool](cond)[0] {
		return "then_branch", nil
	}
	return "else_branch", nil
}

func ifRun(c *op.Context) error {
	branch, err := ifTaken(c.In(0))
	if err != nil {
		return err
	}
	return c.Branch(branch)
}
