package arrowio

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/exec"
	"github.com/goruntime/goruntime/goruntime/internal/nearest"
	"github.com/goruntime/goruntime/goruntime/onnx"
)

// Declared are the Arrow types of columns by a manifest: what batches bring and what
// answers have. A column that is not declared is as the model has it.
type Declared struct {
	Inputs  []DeclaredColumn `json:"inputs,omitempty"`
	Outputs []DeclaredColumn `json:"outputs,omitempty"`
}

// DeclaredColumn is a column with its type as Arrow writes it: float32, utf8,
// fixed_size_list<float32>[3], list<int64>.
type DeclaredColumn struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// named are the types without parameters, by name.
var named = func() map[string]arrow.DataType {
	all := map[string]arrow.DataType{}
	for _, t := range arrowTypes {
		all[t.String()] = t
	}
	for _, t := range []arrow.DataType{arrow.BinaryTypes.String, arrow.BinaryTypes.StringView} {
		all[t.String()] = t
	}
	return all
}()

// typeOfText reads a type.
//
// Errors: errs.Argument, with the names that are known.
func typeOfText(text string) (arrow.DataType, error) {
	if t := named[text]; t != nil {
		return t, nil
	}
	outer, rest, nested := strings.Cut(text, "<")
	end := strings.LastIndex(rest, ">")
	if nested && end > 0 {
		inner, err := typeOfText(rest[:end])
		if err != nil {
			return nil, err
		}
		switch tail := rest[end+1:]; {
		case outer == "list" && tail == "":
			return arrow.ListOf(inner), nil
		case outer == "large_list" && tail == "":
			return arrow.LargeListOf(inner), nil
		case outer == "fixed_size_list" && strings.HasPrefix(tail, "[") && strings.HasSuffix(tail, "]"):
			if k, err := strconv.ParseInt(tail[1:len(tail)-1], 10, 32); err == nil && k > 0 {
				return arrow.FixedSizeListOf(int32(k), inner), nil
			}
		}
	}
	known := append(slices.Sorted(maps.Keys(named)), "list<TYPE>", "large_list<TYPE>", "fixed_size_list<TYPE>[LENGTH]")
	return nil, errs.New(errs.Argument, "the type %q is none of %s", text, strings.Join(known, ", "))
}

// textOfType writes a type as typeOfText reads it.
func textOfType(t arrow.DataType) string {
	return strings.NewReplacer("item: ", "", ", nullable", "").Replace(t.String())
}

// alike reports whether columns of both types are the same to a model: of one element
// type, lists as deep, and where both have lists of fixed sizes of the same ones.
func alike(a, b arrow.DataType) bool {
	da, axes := elementOf(a)
	if db, others := elementOf(b); da != db || axes != others {
		return false
	}
	for ; axes > 0; axes-- {
		x, xFixed := a.(*arrow.FixedSizeListType)
		y, yFixed := b.(*arrow.FixedSizeListType)
		if xFixed && yFixed && x.Len() != y.Len() {
			return false
		}
		a, b = elemOf(a), elemOf(b)
	}
	return true
}

// elemOf returns the type of the values of a list.
func elemOf(t arrow.DataType) arrow.DataType {
	if ext, ok := t.(arrow.ExtensionType); ok {
		t = ext.StorageType()
	}
	return t.(arrow.ListLikeType).Elem()
}

// declares compares the schema of a manifest with what the model has.
func (m *Manifest) declares(s *exec.Session) error {
	if m.Schema == nil {
		return nil
	}
	var feeding []string
	for _, in := range s.Inputs() {
		feeding = append(append(feeding, in.Name), m.Inputs[in.Name].Columns...)
	}
	answers, _ := Answers(s, m)
	for what, side := range map[string]struct {
		list  []DeclaredColumn
		there []string
	}{"feeds no input": {m.Schema.Inputs, feeding}, "no answer has": {m.Schema.Outputs, answers}} {
		for _, c := range side.list {
			if !slices.Contains(side.there, c.Name) {
				return errs.New(errs.Name, "the manifest's schema has the column %q, which %s; the nearest are %s", c.Name, what, nearest.Quoted(c.Name, side.there, 3))
			}
			if _, err := typeOfText(c.Type); err != nil {
				return errs.New(errs.CodeOf(err), "the manifest's schema, column %q: %w", c.Name, err)
			}
		}
	}
	return nil
}

// Declare returns what a model says of its columns: of inputs and outputs whose rows have
// a shape that it knows; nil where there are none.
func Declare(s *exec.Session) *Declared {
	d := &Declared{Inputs: columnsOf(s.Inputs()), Outputs: columnsOf(s.Outputs())}
	if len(d.Inputs)+len(d.Outputs) == 0 {
		return nil
	}
	return d
}

func columnsOf(list []exec.Info) []DeclaredColumn {
	var columns []DeclaredColumn
	for _, info := range list {
		f, ok := FieldOf(info)
		if !ok || len(info.Type.Dims) == 0 || slices.ContainsFunc(info.Type.Dims[1:], func(d onnx.Dim) bool { return !d.Known }) {
			continue
		}
		columns = append(columns, DeclaredColumn{f.Name, textOfType(bare(f.Type))})
	}
	return columns
}

// bare returns the type of the numbers where each row is a list of one.
func bare(t arrow.DataType) arrow.DataType {
	if list, ok := t.(*arrow.FixedSizeListType); ok && list.Len() == 1 {
		if _, axes := elementOf(t); axes == 1 {
			return list.Elem()
		}
	}
	return t
}

// declared returns the type of a column, nil where it is not declared.
func declared(list []DeclaredColumn, name string) arrow.DataType {
	for _, c := range list {
		if c.Name == name {
			t, err := typeOfText(c.Type)
			if err != nil {
				return nil // Check refuses it
			}
			return t
		}
	}
	return nil
}

// asDeclared compares the columns that feed an input with what the manifest says of them.
func (p *Plan) asDeclared(in *input) error {
	if p.manifest.Schema == nil || in.cast {
		return nil
	}
	for _, c := range in.columns {
		f := p.schema.Field(c)
		if want := declared(p.manifest.Schema.Inputs, f.Name); want != nil && !alike(want, f.Type) {
			return errs.New(errs.Type, "the column %q is %s, the manifest says %s: cast it, or mend the manifest", f.Name, textOfType(f.Type), textOfType(want)).WithInput(in.name)
		}
	}
	return nil
}

// answersAsDeclared compares the schema of answers with what the manifest says of them.
func (p *Plan) answersAsDeclared(schema *arrow.Schema) error {
	if p.manifest.Schema == nil {
		return nil
	}
	for _, f := range schema.Fields() {
		if want := declared(p.manifest.Schema.Outputs, f.Name); want != nil && !alike(want, f.Type) {
			return errs.New(errs.Shape, "the output %q is %s, the manifest says %s: mend one of them", f.Name, textOfType(f.Type), textOfType(want))
		}
	}
	return nil
}
