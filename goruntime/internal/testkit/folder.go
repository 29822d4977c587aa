package testkit

import (
	"os"
	"path/filepath"
	"testing"
)

// ModelFolder returns a folder of the test's own with a copy of a model in it, under a name.
func ModelFolder(t testing.TB, model, name string) string {
	t.Helper()
	dir := t.TempDir()
	text, err := os.ReadFile(model)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}
