package ops

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/schema"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

var update = flag.Bool("update", false, "rewrite testdata/coverage.golden")

// schemas returns the official schemas that def declares to run, by version.
func schemas(t *testing.T, def *op.Def) []*schema.Op {
	t.Helper()
	var list []*schema.Op
	official := schema.Versions(def.Domain, def.Name)
	if !hasSchema(def) {
		return nil
	}
	for _, v := range slices.Sorted(maps.Keys(def.Versions)) {
		if !slices.Contains(official, v) {
			t.Errorf("%s declares version %d, which is none of the schema's %v", def.Name, v, official)
			continue
		}
		s, _ := schema.Lookup(def.Domain, def.Name, int64(v))
		list = append(list, s)
	}
	return list
}

// hasSchema reports whether the standard describes the operator: it does not
// those of com.microsoft, nor what ONNX Runtime puts into the default domain.
func hasSchema(def *op.Def) bool {
	early := def.Name == "LayerNormalization" && def.First() == 1
	return def.Domain != "com.microsoft" && def.Name != "SimplifiedLayerNormalization" && !early
}

// kinds are the schema's names of attribute types.
var kinds = map[string]op.AttrKind{
	"int": op.KindInt, "float": op.KindFloat, "string": op.KindString, "tensor": op.KindTensor, "graph": op.KindGraph,
	"ints": op.KindInts, "floats": op.KindFloats, "strings": op.KindStrings, "tensors": op.KindTensors,
	"type_proto": op.KindType, "sparse_tensor": op.KindSparse,
}

// Each attribute of a schema is declared with its kind, necessity and default,
// and none is declared that no version has.
func TestAttributesAgreeWithSchema(t *testing.T) {
	for _, def := range op.All() {
		if !hasSchema(def) {
			continue
		}
		known := map[string]bool{}
		for _, s := range schemas(t, def) {
			for _, want := range s.Attrs {
				known[want.Name] = true
				i := slices.IndexFunc(def.Attrs, func(a op.Attr) bool { return a.Name == want.Name })
				if i < 0 {
					t.Errorf("%s %d: attribute %q of the schema is not declared", s.Name, s.SinceVersion, want.Name)
					continue
				}
				compare(t, s, want, def.Attrs[i])
			}
		}
		for _, a := range def.Attrs {
			if !known[a.Name] {
				t.Errorf("%s: no version of %v has the attribute %q", def.Name, slices.Sorted(maps.Keys(def.Versions)), a.Name)
			}
		}
	}
}

func compare(t *testing.T, s *schema.Op, want schema.Attr, got op.Attr) {
	t.Helper()
	at := fmt.Sprintf("%s %d: attribute %q", s.Name, s.SinceVersion, want.Name)
	if kinds[want.Type] != got.Kind {
		t.Errorf("%s is declared with kind %d, the schema says %s", at, got.Kind, want.Type)
	}
	if want.Required != got.Needed {
		t.Errorf("%s is declared with Needed %v, the schema says %v", at, got.Needed, want.Required)
	}
	if want.Default == "" {
		return // what a Def puts there is its reading of the text
	}
	if f, ok := got.Default.(float32); ok {
		if w, err := strconv.ParseFloat(want.Default, 32); err != nil || float32(w) != f {
			t.Errorf("%s is declared with default %v, the schema says %s", at, f, want.Default)
		}
		return
	}
	if text := fmt.Sprint(got.Default); text != want.Default {
		t.Errorf("%s is declared with default %s, the schema says %s", at, text, want.Default)
	}
}

// Each further input that a Def lists types for exists, and no listed type is
// one that no version allows.
func TestFurtherInputsAgreeWithSchema(t *testing.T) {
	for _, def := range op.All() {
		if !hasSchema(def) {
			continue
		}
		allowed := map[int][]tensor.DType{}
		for _, s := range schemas(t, def) {
			for i, p := range s.Inputs {
				allowed[i] = append(allowed[i], dtypes(s, p)...)
			}
		}
		for i, list := range def.Also {
			for _, d := range list {
				if !slices.Contains(allowed[i], d) {
					t.Errorf("%s lists %v for input %d, which no version allows", def.Name, d, i)
				}
			}
			for _, d := range allowed[i] {
				if !slices.Contains(list, d) {
					t.Errorf("%s does not list %v for input %d, which the schema allows", def.Name, d, i)
				}
			}
		}
	}
}

// dtypes returns the element types of the tensors that a parameter may be.
func dtypes(s *schema.Op, p schema.Param) (list []tensor.DType) {
	for _, name := range s.Types(p) {
		inner, ok := strings.CutPrefix(name, "tensor(")
		if d := tensor.ParseONNX(strings.TrimSuffix(inner, ")")); ok && d != tensor.Undefined {
			list = append(list, d)
		}
	}
	return list
}

// key returns the parameter whose type picks the kernel.
func key(def *op.Def, s *schema.Op) schema.Param {
	if def.Key == op.KeyOutput {
		return s.Outputs[0]
	}
	return s.Inputs[min(def.Key, len(s.Inputs)-1)]
}

// TestCoverage compares what of the standard runs with testdata/coverage.golden,
// so that a review shows what grew or shrank. Run with -update to rewrite it.
func TestCoverage(t *testing.T) {
	var b strings.Builder
	b.WriteString("# operator | versions | rows | element types that the schema allows and no row computes | schema versions that none declares\n")
	for _, def := range op.All() {
		var lacks []string
		for d := tensor.F32; d < tensor.NumDTypes; d++ {
			if def.DTypes.Empty() || def.DTypes.Row(d) != nil {
				continue
			}
			if slices.ContainsFunc(schemas(t, def), func(s *schema.Op) bool { return slices.Contains(dtypes(s, key(def, s)), d) }) {
				lacks = append(lacks, d.String())
			}
		}
		rows := "all"
		if !def.DTypes.Empty() {
			rows = join(def.DTypes.Types())
		}
		fmt.Fprintf(&b, "%s | %s | %s | %s | %s\n", strings.TrimPrefix(def.Domain+"."+def.Name, "."), join(slices.Sorted(maps.Keys(def.Versions))), rows, orDash(join(lacks)), orDash(join(undeclared(def))))
	}
	const path = "testdata/coverage.golden"
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	golden, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := b.String(); got != string(golden) {
		t.Errorf("the coverage differs from %s (go test ./ops -update rewrites it):\n%s", path, difference(string(golden), got))
	}
}

// undeclared returns the schema versions of def's operator that no Def runs.
func undeclared(def *op.Def) (list []int) {
	for _, v := range schema.Versions(def.Domain, def.Name) {
		if op.Find(def.Domain, def.Name, v) == nil {
			list = append(list, v)
		}
	}
	return list
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func join[T any](list []T) string { return strings.Trim(fmt.Sprint(list), "[]") }

// difference returns the lines that only one text has.
func difference(old, now string) string {
	a, b := strings.Split(old, "\n"), strings.Split(now, "\n")
	var s strings.Builder
	for _, l := range a {
		if !slices.Contains(b, l) {
			s.WriteString("- " + l + "\n")
		}
	}
	for _, l := range b {
		if !slices.Contains(a, l) {
			s.WriteString("+ " + l + "\n")
		}
	}
	return s.String()
}
