package optest

import (
	"fmt"
	"slices"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Case is one named test of an operator.
type Case struct {
	Name    string
	Version int        // the since_version; 0 is the greatest of the Def
	Opset   int        // 0 is Version
	Attrs   []op.Value // see Attrs
	In      []*tensor.View
	// Want are the outputs; nil is one that the node does not name, a View
	// without Data one whose dtype and shape alone are compared.
	Want []*tensor.View
	// Tol is how far floating-point outputs may lie from Want, relative to
	// max(1, |want|). 0 is bit for bit, any NaN being equal to any other.
	Tol float64

	// Err is a part of the message that the operator must fail with, Code its
	// code where not OK. Want then only says how many outputs the node has, one
	// where it is nil.
	Err  string
	Code errs.Code
}

// Attrs builds the attributes of a node from names and values in turn:
// Attrs("axis", 1, "mode", "edge", "pads", []int{1, 0}).
func Attrs(pairs ...any) []op.Value {
	var list []op.Value
	for i := 0; i+1 < len(pairs); i += 2 {
		v := op.Value{Name: pairs[i].(string), V: pairs[i+1]}
		switch x := v.V.(type) {
		case int:
			v.Kind = op.KindInt
		case float64:
			v.Kind, v.V = op.KindFloat, float32(x)
		case float32:
			v.Kind = op.KindFloat
		case string:
			v.Kind = op.KindString
		case []int:
			v.Kind = op.KindInts
		case []float32:
			v.Kind = op.KindFloats
		case []string:
			v.Kind = op.KindStrings
		case *tensor.View:
			v.Kind = op.KindTensor
		case []*tensor.View:
			v.Kind = op.KindTensors
		default:
			//lint:allow panic a test is written wrong
			panic(fmt.Sprintf("optest.Attrs: %T is no attribute", x))
		}
		list = append(list, v)
	}
	return list
}

// In lists inputs; nil is an omitted one.
func In(list ...*tensor.View) []*tensor.View { return list }

// Want lists outputs; nil is one that the node does not name.
func Want(list ...*tensor.View) []*tensor.View { return list }

func (c *Case) version(def *op.Def) int {
	if c.Version != 0 {
		return c.Version
	}
	all := make([]int, 0, len(def.Versions))
	for v := range def.Versions {
		all = append(all, v)
	}
	return slices.Max(all)
}

func (c *Case) outputs() int { return max(1, len(c.Want)) }
