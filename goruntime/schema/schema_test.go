package schema

import (
	"slices"
	"testing"
)

func TestTableHasTheWholeStandard(t *testing.T) {
	pairs, operators := 0, map[string]bool{}
	for o := range All() {
		pairs++
		operators[o.Domain+"."+o.Name] = true
		if len(o.Outputs) == 0 && !o.Deprecated {
			t.Errorf("%s.%s %d has no output", o.Domain, o.Name, o.SinceVersion)
		}
	}
	if pairs != 659 || len(operators) != 227 {
		t.Errorf("%d pairs of %d operators, 659 of 227 expected", pairs, len(operators))
	}
}

func TestLookupTakesTheGreatestVersionNotAbove(t *testing.T) {
	for _, c := range []struct {
		domain, name string
		opset        int64
		since        int
	}{
		{"", "Gather", 1, 1},
		{"", "Gather", 12, 11},
		{"ai.onnx", "Gather", 28, 13},
		{"", "Softmax", 12, 11},
		{"ai.onnx.ml", "TreeEnsembleRegressor", 4, 3},
		{"ai.onnx.ml", "LabelEncoder", 1, 1},
	} {
		o, ok := Lookup(c.domain, c.name, c.opset)
		if !ok || o.SinceVersion != c.since {
			t.Errorf("%s %s at %d: %+v", c.domain, c.name, c.opset, o)
		}
	}
	if _, ok := Lookup("", "LayerNormalization", 16); ok {
		t.Error("LayerNormalization exists from 17")
	}
	if _, ok := Lookup("com.microsoft", "Gelu", 1); ok {
		t.Error("an unofficial operator was found")
	}
}

func TestSchemaParts(t *testing.T) {
	o, _ := Lookup("", "Gather", 13)
	if len(o.Inputs) != 2 || o.Inputs[1].Type != "Tind" || !slices.Equal(o.Types(o.Inputs[1]), []string{"tensor(int32)", "tensor(int64)"}) {
		t.Errorf("inputs %+v", o.Inputs)
	}
	if len(o.Attrs) != 1 || o.Attrs[0] != (Attr{Name: "axis", Type: "int", Default: "0"}) {
		t.Errorf("attributes %+v", o.Attrs)
	}
	z, _ := Lookup("ai.onnx.ml", "ZipMap", 1)
	if got := z.Types(z.Outputs[0]); !slices.Equal(got, []string{"seq(map(int64,float))", "seq(map(string,float))"}) {
		t.Errorf("ZipMap gives %q", got)
	}
	c, _ := Lookup("", "Concat", 13)
	if !c.Inputs[0].Variadic || c.Inputs[0].Min != 1 {
		t.Errorf("Concat takes %+v", c.Inputs)
	}
}
