package arrowio

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/exec"
	"github.com/goruntime/goruntime/goruntime/internal/testkit"
)

func TestReadManifestRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.manifest.json")
	for _, c := range []struct{ text, says string }{
		{``, "EOF"},
		{`{}{}`, "there is more text behind the object"},
		{`[]`, "cannot unmarshal array"},
		{`{"limit": {}}`, `the field "limit" is unknown; the nearest are "limits"`},
		{`{"inputs": {"x": {"fil": 1}}}`, `the field "fil" is unknown; the nearest are "fill"`},
		{`{"inputs": {"x": {"cast": "no"}}}`, "inputs.x.cast is string: true or false expected"},
		{`{"inputs": {"x": {"columns": "a"}}}`, "inputs.x.columns is string: a list expected"},
		{`{"inputs": {"x": []}}`, "inputs.x is array: an object expected"},
		{`{"name": 1}`, "name is number: a string expected"},
		{`{"limits": {"row": 1}}`, `the field "row" is unknown; the nearest are "rows"`},
		{`{"limits": {"rows": 1.5}}`, "limits.rows is number 1.5: a whole number expected"},
		{`{"limits": {"rows": 100000000000000000000}}`, "limits.rows is number 100000000000000000000: a whole number expected"},
		{`{"batching": {"max_rows": "5"}}`, "batching.max_rows is string: a whole number expected"},
		{`{"limits": {"rows": -1}}`, "limits.rows is -1: 0 or more expected"},
		{`{"limits": {"bytes": -1}}`, "limits.bytes is -1"},
		{`{"limits": {"columns": -1}}`, "limits.columns is -1"},
		{`{"limits": {"string_bytes": -1}}`, "limits.string_bytes is -1"},
		{`{"limits": {"nesting": -1}}`, "limits.nesting is -1"},
		{`{"limits": {"concurrency": -1}}`, "limits.concurrency is -1"},
		{`{"limits": {"queue": -1}}`, "limits.queue is -1"},
		{`{"limits": {"in_flight_bytes": -1}}`, "limits.in_flight_bytes is -1"},
		{`{"batching": {"max_rows": -1}}`, "batching.max_rows is -1"},
		{`{"batching": {"max_bytes": -1}}`, "batching.max_bytes is -1"},
		{`{"batching": {"delay_us": -1}}`, "batching.delay_us is -1"},
		{`{"batching": {"delay_us": 3600000001}}`, "at most 3600000000, an hour, expected"},
		{`{"outputs": [{"value": "y"}, {"column": "z"}]}`, "output 1 has no value"},
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if m, err := ReadManifest(path); m != nil || errs.CodeOf(err) != errs.Argument || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s gives %v, %v; %q expected", c.text, m, err, c.says)
		}
	}
	if err := os.WriteFile(path, []byte(`{"limits": {"rows": 0}, "batching": {"delay_us": 3600000000}} `+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadManifest(path); err != nil {
		t.Error(err)
	}
}

// A fill that no column can have is refused before there is a batch.
func TestFillsAreOfTheirColumns(t *testing.T) {
	testkit.NoLeaks(t)
	double, words := open(t, "double"), open(t, "strings")
	whole := &Declared{Inputs: []DeclaredColumn{{"n", "int8"}}}
	for _, c := range []struct {
		s       *exec.Session
		m       Manifest
		message string
	}{
		{double, Manifest{Inputs: map[string]InputRule{"x": {Fill: 1.5}}}, ""},
		{double, Manifest{Inputs: map[string]InputRule{"x": {Fill: "a"}}}, `inputs.x.fill is "a": a value of type f32 expected, as the model has for the input`},
		{double, Manifest{Inputs: map[string]InputRule{"x": {Fill: true}}}, `inputs.x.fill is true: a value of type f32 expected`},
		{double, Manifest{Inputs: map[string]InputRule{"x": {Fill: []any{1.0}}}}, `inputs.x.fill is []interface {}{1}: a value of type f32 expected`},
		{double, Manifest{Inputs: map[string]InputRule{"x": {Fill: true, Cast: true}}}, ""}, // of booleans
		{double, Manifest{Inputs: map[string]InputRule{"x": {Fill: "a", Cast: true}}}, `inputs.x.fill is "a": a value of type f32 expected`},
		{double, Manifest{Inputs: map[string]InputRule{"x": {Columns: []string{"n"}, Fill: 7.0, Cast: true}}, Schema: whole}, ""},
		{double, Manifest{Inputs: map[string]InputRule{"x": {Columns: []string{"n"}, Fill: 1.5, Cast: true}}, Schema: whole}, `inputs.x.fill is 1.5: a value of type i8 expected, as its schema has for the column "n"`},
		{words, Manifest{Inputs: map[string]InputRule{"s": {Fill: "none"}, "t": {Fill: 0.0}}}, `inputs.t.fill is 0: a value of type str expected`},
	} {
		err := c.m.Check(c.s)
		if c.message == "" && err != nil || c.message != "" && (errs.CodeOf(err) != errs.Type || !strings.Contains(err.Error(), "the manifest's "+c.message)) {
			t.Errorf("%+v: %v, want %q", c.m.Inputs, err, c.message)
		}
	}
}

// What a manifest says is compared with its model when it is loaded, not at the first call.
func TestManifestsFitTheirModels(t *testing.T) {
	testkit.NoLeaks(t)
	chain, rows := open(t, "chain"), open(t, "rows")
	for _, c := range []struct {
		s    *exec.Session
		m    Manifest
		code errs.Code
		says string
	}{
		{chain, Manifest{Outputs: []OutputRule{{Value: "a"}, {Value: "b", Column: "c"}}}, errs.OK, ""},
		{chain, Manifest{Outputs: []OutputRule{{Value: "nope"}}}, errs.Name, `the manifest's outputs 0 has the value "nope": `},
		{chain, Manifest{Outputs: []OutputRule{{Value: "a", Column: "q"}, {Value: "b"}, {Value: "a", Column: "q"}}}, errs.Argument, `two outputs are named "q", those of the manifest's outputs 0 and 2`},
		{rows, Manifest{Inputs: map[string]InputRule{"x": {Columns: strings.Split("abcdefg", "")}}}, errs.OK, ""},
		{rows, Manifest{Inputs: map[string]InputRule{"x": {Columns: []string{"a"}}}}, errs.OK, ""}, // of lists
		{rows, Manifest{Inputs: map[string]InputRule{"x": {Columns: []string{"a", "b"}}}}, errs.Shape, "the manifest's inputs.x.columns are 2 columns, a matrix of them: the model has the input as "},
	} {
		err := c.m.Check(c.s)
		if errs.CodeOf(err) != c.code || c.says != "" && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v, want %q", c.m, err, c.says)
		}
	}
}
