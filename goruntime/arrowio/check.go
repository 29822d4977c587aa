package arrowio

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/exec"
	"github.com/goruntime/goruntime/goruntime/internal/nearest"
)

// Check compares a manifest with the model that it lies beside.
//
// Errors: errs.Name for a rule of an input, a declared column and a value that the model has
// not; errs.Argument for a declared type that is none, and answers of one name; errs.Shape for
// columns that are more or fewer than the input has; errs.Type for a fill that no column of
// its input can have.
func (m *Manifest) Check(s *exec.Session) error {
	if err := m.known(s.Inputs()); err != nil {
		return err
	}
	if err := m.returned(s); err != nil {
		return err
	}
	if err := m.declares(s); err != nil {
		return err
	}
	for _, in := range s.Inputs() {
		if err := m.wide(in); err != nil {
			return err
		}
		if err := m.fits(in); err != nil {
			return err
		}
	}
	return nil
}

// known refuses rules for inputs that the model has not.
func (m *Manifest) known(inputs []exec.Info) error {
	names := make([]string, len(inputs))
	for i := range inputs {
		names[i] = inputs[i].Name
	}
	for _, name := range slices.Sorted(maps.Keys(m.Inputs)) {
		if !slices.Contains(names, name) {
			return errs.New(errs.Name, "the manifest has a rule for the input %q; the model has %s", name, strings.Join(names, ", "))
		}
	}
	return nil
}

// returned refuses answers of values that the model has not, and two of one name.
func (m *Manifest) returned(s *exec.Session) error {
	first := map[string]int{}
	for i, o := range m.Outputs {
		name := cmp.Or(o.Column, o.Value)
		if before, ok := first[name]; ok {
			return errs.New(errs.Argument, "two outputs are named %q, those of the manifest's outputs %d and %d: give one another column", name, before, i)
		}
		first[name] = i
		if _, err := s.Target([]string{o.Value}); err != nil {
			return errs.New(errs.CodeOf(err), "the manifest's outputs %d has the value %q: %w", i, o.Value, err)
		}
	}
	return nil
}

// wide refuses several columns for an input that is no matrix of so many.
func (m *Manifest) wide(in exec.Info) error {
	columns := m.Inputs[in.Name].Columns
	if len(columns) < 2 || in.Type == nil || !in.Type.HasShape {
		return nil
	}
	if dims := in.Type.Dims; len(dims) != 2 || dims[1].Known && dims[1].Value != int64(len(columns)) {
		return errs.New(errs.Shape, "the manifest's inputs.%s.columns are %d columns, a matrix of them: the model has the input as %v", in.Name, len(columns), in.Type)
	}
	return nil
}

// explained says what a reader of JSON found wrong as people know it who edit manifests.
func explained(err error) error {
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) && wrong.Field != "" {
		return errs.New(errs.Argument, "%s is %s: %s expected", wrong.Field, wrong.Value, kinds[wrong.Type.Kind()])
	}
	if field, ok := strings.CutPrefix(err.Error(), `json: unknown field "`); ok {
		field = strings.TrimSuffix(field, `"`)
		return errs.New(errs.Argument, "the field %q is unknown; the nearest are %s", field, nearest.Quoted(field, fieldsOf(reflect.TypeFor[Manifest]()), 3))
	}
	return err
}

var kinds = map[reflect.Kind]string{
	reflect.String: "a string", reflect.Bool: "true or false", reflect.Int: "a whole number", reflect.Int64: "a whole number",
	reflect.Slice: "a list", reflect.Map: "an object", reflect.Struct: "an object",
}

// fieldsOf returns the names of the fields of a type and of those within it.
func fieldsOf(t reflect.Type) []string {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	var names []string
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(append(names, name), fieldsOf(f.Type)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
