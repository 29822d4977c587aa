package arrowio

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
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
