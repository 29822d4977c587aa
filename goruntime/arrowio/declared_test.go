package arrowio

import (
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit"
)

func TestTypesAreReadAndWritten(t *testing.T) {
	for _, text := range []string{
		"bool", "float16", "float64", "uint8", "utf8", "large_utf8", "string_view", "list<int64>", "large_list<float32>",
		"fixed_size_list<float32>[3]", "fixed_size_list<list<int8>>[2]", "list<fixed_size_list<float32>[7]>",
	} {
		got, err := typeOfText(text)
		if err != nil || textOfType(got) != text {
			t.Errorf("%s is read as %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "float", "list<>", "list<float32", "fixed_size_list<float32>", "fixed_size_list<float32>[0]", "fixed_size_list<float32>[x]", "list<float32>[3]", "set<int8>", "date32"} {
		if got, err := typeOfText(text); errs.CodeOf(err) != errs.Argument || !strings.Contains(err.Error(), "is none of bool, ") {
			t.Errorf("%q is read as %v, %v", text, got, err)
		}
	}
}

// What a model declares of itself refuses nothing that it takes.
func TestDeclarations(t *testing.T) {
	testkit.NoLeaks(t)
	s := open(t, "rows")
	own := Declare(s)
	if len(own.Inputs) != 1 || own.Inputs[0] != (DeclaredColumn{"x", "fixed_size_list<float32>[7]"}) {
		t.Fatalf("the model declares %+v", own)
	}
	row := "[" + strings.Repeat("1,", 6) + "1]"
	lists := `[{"x":` + row + `}]`
	fixed, loose := schemaOf(field("x", arrow.FixedSizeListOf(7, f32))), schemaOf(field("x", arrow.ListOf(f32)))
	for _, c := range []struct {
		name    string
		schema  *arrow.Schema
		m       *Declared
		code    errs.Code
		message string
	}{
		{"as the model says", fixed, own, errs.OK, ""},
		{"lists of one length", loose, own, errs.OK, ""},
		{"lists of another length", fixed, &Declared{Inputs: []DeclaredColumn{{"x", "fixed_size_list<float32>[8]"}}}, errs.Type, `the column "x" is fixed_size_list<float32>[7], the manifest says fixed_size_list<float32>[8]`},
		{"numbers for lists", fixed, &Declared{Inputs: []DeclaredColumn{{"x", "float32"}}}, errs.Type, "the manifest says float32"},
		{"another column", fixed, &Declared{Inputs: []DeclaredColumn{{"X", "float32"}}}, errs.Name, `the manifest's schema has the column "X", which feeds no input; the nearest are "x"`},
		{"another answer", fixed, &Declared{Outputs: []DeclaredColumn{{"z", "float32"}}}, errs.Name, `the column "z", which no answer has; the nearest are "y"`},
		{"no type", fixed, &Declared{Inputs: []DeclaredColumn{{"x", "float"}}}, errs.Argument, `the manifest's schema, column "x": the type "float" is none of`},
		{"an answer of another type", fixed, &Declared{Outputs: []DeclaredColumn{{"y", "int64"}}}, errs.Shape, `the output "y" is `},
	} {
		b := batchOf(t, c.schema, lists)
		out, _, err := scored(t, s, b, &Manifest{Schema: c.m})
		if c.message == "" && err != nil || c.message != "" && (errs.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.message)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.message)
		}
		if out != nil {
			out.Release()
		}
		b.Release()
	}
	if n := s.IO().Stats().LiveBlocks; n != 0 {
		t.Errorf("%d blocks are live", n)
	}
	chosen := &Manifest{Schema: &Declared{Inputs: []DeclaredColumn{{"x", "list<float32>"}}}}
	if f := Fields(s, chosen); len(f) != 1 || f[0].Type.ID() != arrow.LIST {
		t.Errorf("the declared columns are %v", f)
	}
}
