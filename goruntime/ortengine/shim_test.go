//go:build ort && cgo

package ortengine_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What shim.h repeats of onnxruntime_go's C layer is what that declares.
func TestTheShimDeclaresWhatTheBindingsDefine(t *testing.T) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/yalue/onnxruntime_go").Output()
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "onnxruntime_wrapper.h"))
	if err != nil {
		t.Fatal(err)
	}
	ours, err := os.ReadFile("shim.h")
	if err != nil {
		t.Fatal(err)
	}
	prototype := regexp.MustCompile(`(?m)^(?:OrtStatus \*|void |const char \*)[A-Z]\w*\([^;{}]*\);`)
	spaces := regexp.MustCompile(`\s+`)
	tidy := func(s string) string { return spaces.ReplaceAllString(s, " ") }
	list := prototype.FindAllString(string(ours), -1)
	if len(list) < 30 {
		t.Fatalf("%d prototypes found", len(list))
	}
	all := map[string]bool{}
	for _, p := range prototype.FindAllString(string(theirs), -1) {
		all[tidy(p)] = true
	}
	for _, p := range list {
		if !all[tidy(p)] {
			t.Errorf("the bindings do not declare %s", tidy(p))
		}
	}
}
