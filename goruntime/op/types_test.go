package op

import (
	"strings"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Inputs of one type variable must be alike, those that Also names of a type it
// lists, all others may be anything.
func TestInputsAreOfTheTypesThatTheKernelTakes(t *testing.T) {
	where := &Def{Name: "Where", Also: map[int][]tensor.DType{0: {tensor.Bool}}}
	for _, c := range []struct {
		name    string
		def     *Def
		version int
		in      []tensor.DType // Undefined is an omitted one
		want    string         // "" is no error
	}{
		{"alike", &Def{Name: "Add"}, 14, []tensor.DType{tensor.F32, tensor.F32}, ""},
		{"different", &Def{Name: "Add"}, 14, []tensor.DType{tensor.F32, tensor.F64}, "input 1 is f64, input 0 is f32: they must be alike"},
		{"two variables", &Def{Name: "Gather"}, 13, []tensor.DType{tensor.F32, tensor.I64}, ""},
		{"a list of inputs", &Def{Name: "Concat"}, 13, []tensor.DType{tensor.F32, tensor.F32, tensor.I8}, "input 2 is i8, input 0 is f32"},
		{"an omitted one between", &Def{Name: "Clip"}, 13, []tensor.DType{tensor.F32, tensor.Undefined, tensor.F16}, "input 2 is f16, input 0 is f32"},
		{"a listed type", where, 16, []tensor.DType{tensor.Bool, tensor.F32, tensor.F32}, ""},
		{"a type that is not listed", where, 16, []tensor.DType{tensor.U8, tensor.F32, tensor.F32}, "input 0 is u8, one of [bool] expected"},
		{"unlike beside a listed one", where, 16, []tensor.DType{tensor.Bool, tensor.F32, tensor.I32}, "input 2 is i32, input 1 is f32"},
		{"no official operator", &Def{Name: "Mine", Domain: "test"}, 1, []tensor.DType{tensor.F32, tensor.F64}, ""},
		{"subgraphs", &Def{Name: "Add", Control: true}, 14, []tensor.DType{tensor.F32, tensor.F64}, ""},
	} {
		ctx := Context{Version: c.version, in: make([]*tensor.View, len(c.in))}
		for i, d := range c.in {
			if d != tensor.Undefined {
				ctx.in[i] = &tensor.View{DType: d}
			}
		}
		err := ctx.PickRow(c.def)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || errs.CodeOf(err) != errs.Type):
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
		if c.want == "" && testing.AllocsPerRun(5, func() { err = ctx.PickRow(c.def) }) != 0 {
			t.Errorf("%s: checking anew allocates", c.name)
		}
	}
}
