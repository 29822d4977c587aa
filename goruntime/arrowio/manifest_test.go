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
		{`{"limit": {}}`, `unknown field "limit"`},
		{`{"inputs": {"x": {"fil": 1}}}`, `unknown field "fil"`},
		{`{"inputs": {"x": {"cast": "no"}}}`, "cannot unmarshal string"},
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
