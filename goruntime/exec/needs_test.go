package exec

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit"
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/schema"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// unlisted are the operators that the standard has no schema of: they say themselves which
// inputs they cannot do without.
func unlisted(t *testing.T) []*op.Def {
	var list []*op.Def
	for _, d := range op.All() {
		for v := range d.Versions {
			if _, ok := schema.Lookup(d.Domain, d.Name, int64(v)); !ok {
				list = append(list, d)
				break
			}
		}
	}
	if len(list) < 30 {
		t.Fatalf("%d operators without a schema were found", len(list))
	}
	return list
}

// needing is a model of one node of d, whose inputs of these numbers are given.
func needing(t *testing.T, d *op.Def, dtype tensor.DType, numbers []int) *modelBuilder {
	b := newModel(t)
	b.m.Opsets = []onnx.OpsetID{{Version: 1}, {Domain: "com.microsoft", Version: 1}}
	var in []string
	for _, i := range numbers {
		for len(in) <= i {
			in = append(in, "")
		}
		in[i] = fmt.Sprint("x", i)
		b.input(in[i], dtype)
	}
	var attrs []onnx.Attr
	for _, a := range d.Attrs {
		switch {
		case a.Kind == op.KindInt && a.Needed:
			attrs = append(attrs, intAttr(a.Name, 1))
		case a.Kind == op.KindInts && a.Needed:
			attrs = append(attrs, intsAttr(a.Name, 1))
		case a.Kind == op.KindString && a.Needed:
			attrs = append(attrs, onnx.Attr{Name: a.Name, Type: onnx.AttrString, S: []byte("#")})
		}
	}
	b.m.Graph.Nodes = append(b.m.Graph.Nodes, onnx.Node{OpType: d.Name, Domain: d.Domain, Inputs: in, Outputs: []string{"y"}, Attrs: attrs})
	b.outputs("y")
	return b
}

func TestOperatorsWithoutSchemaNameAnInputThatIsMissing(t *testing.T) {
	for _, d := range unlisted(t) {
		if len(d.Needs) == 0 {
			t.Errorf("%s.%s needs no input", d.Domain, d.Name)
		}
		for k, missing := range d.Needs {
			_, err := New(&needing(t, d, tensor.F32, slices.Delete(slices.Clone(d.Needs), k, k+1)).m, Options{})
			if want := fmt.Sprintf("the input number %d is required and missing", missing); errs.CodeOf(err) != errs.Model || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v, something with %q expected", d.Name, err, want)
			}
		}
	}
}

// With what they need and nothing more they run or refuse, whatever the shapes.
func TestOperatorsWithoutSchemaDoWithWhatTheyNeed(t *testing.T) {
	testkit.NoLeaks(t)
	for _, d := range unlisted(t) {
		for _, dtype := range []tensor.DType{tensor.F32, tensor.U8, tensor.I32} {
			for _, shape := range []tensor.Shape{{}, {0}, {1}, {2}, {1, 2}, {2, 1}, {1, 0, 1}, {1, 2, 1}, {1, 1, 1, 1}} {
				s, err := New(&needing(t, d, dtype, d.Needs).m, Options{})
				if err != nil {
					if errs.CodeOf(err) == errs.Internal {
						t.Errorf("%s: %v", d.Name, err)
					}
					continue
				}
				in := make([]tensor.View, len(d.Needs))
				for i := range in {
					in[i] = tensor.View{DType: dtype, Shape: shape}
					raw := make([]uint64, 1+in[i].Bytes()/8)
					in[i].Data = f32(tensor.Shape{0}).Data
					if v, err := tensor.ViewOf(tensor.U64, tensor.Shape{len(raw)}, raw); err == nil {
						in[i].Data = v.Data
					}
				}
				c := &Call{In: in, Out: make([]Result, 1)}
				func() {
					defer func() {
						if v := recover(); v != nil {
							t.Errorf("%s of %v%v: %v", d.Name, dtype, shape, v)
						}
					}()
					if err = s.Run(c); err == nil {
						release(c.Out)
					} else if errs.CodeOf(err) == errs.Internal {
						t.Errorf("%s of %v%v: %v", d.Name, dtype, shape, err)
					}
				}()
				s.Close()
			}
		}
	}
}
