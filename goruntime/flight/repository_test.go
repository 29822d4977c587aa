package flight

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/goruntime/goruntime/goruntime/arrowio"
	"github.com/goruntime/goruntime/goruntime/exec"
	"github.com/goruntime/goruntime/goruntime/internal/testkit"
)

func TestAModelIsReplacedWhileItServes(t *testing.T) {
	r := start(t, Options{}, nil, "double")
	c := r.connect(nil)
	old := r.talk(context.Background(), c, "double")
	defer old.end()
	if got, err := old.ask("", 3); err != nil || got[0] != 6 {
		t.Fatal(got, err)
	}
	time.Sleep(10 * time.Millisecond) // another time of the file
	r.put("chain", "double")
	if failed := r.repository.Refresh(); len(failed) > 0 {
		t.Fatal(failed)
	}
	fresh := r.talk(context.Background(), c, "double")
	defer fresh.end()
	if got, err := fresh.ask("", 3); err != nil || got[0] != 12 {
		t.Errorf("the new model gives %v, %v, want 12", got, err)
	}
	if got, err := old.ask("", 3); err != nil || got[0] != 6 {
		t.Errorf("the stream that began before gives %v, %v, want 6", got, err)
	}
	if err := os.WriteFile(filepath.Join(r.dir, "double.onnx"), []byte("damaged"), 0o644); err != nil {
		t.Fatal(err)
	}
	if failed := r.repository.Refresh(); len(failed) != 1 {
		t.Errorf("a damaged file gives %v", failed)
	}
	still := r.talk(context.Background(), c, "double")
	defer still.end()
	if got, err := still.ask("", 3); err != nil || got[0] != 12 {
		t.Errorf("after a damaged file: %v, %v, want 12", got, err)
	}
}

func TestManifestsOfOtherModelsAreRefused(t *testing.T) {
	testkit.NoLeaks(t)
	dir := testkit.ModelFolder(t, "../../tests/models/double.onnx", "m.onnx")
	r := NewRepository(dir, exec.Options{})
	defer r.Close()
	for _, c := range []struct {
		m    arrowio.Manifest
		text string
	}{
		{arrowio.Manifest{Checksum: strings.Repeat("0", 64)}, "the manifest says 0000"},
		{arrowio.Manifest{Name: "n"}, "the manifest is of the model n, version 1, the file is served as m, version 1"},
		{arrowio.Manifest{Name: "m", Version: "2"}, "the manifest is of the model m, version 2, the file is served as m, version 1"},
		{arrowio.Manifest{Inputs: map[string]arrowio.InputRule{"x": {Fill: "none"}}}, `m.manifest.json: the manifest's inputs.x.fill is "none": a value of type f32 expected, as the model has for the input`},
		{arrowio.Manifest{Name: "m", Version: "1"}, ""},
	} {
		path := filepath.Join(dir, "m.manifest.json")
		if err := c.m.Write(path); err != nil {
			t.Fatal(err)
		}
		later := time.Now().Add(time.Hour)
		if err := os.Chtimes(path, later, later.Add(time.Duration(len(c.text))*time.Second)); err != nil {
			t.Fatal(err)
		}
		failed := r.Refresh()
		if c.text == "" && len(failed) > 0 || c.text != "" && (len(failed) != 1 || !strings.Contains(failed[0].Error(), c.text)) {
			t.Errorf("failures %v, want %q", failed, c.text)
		}
	}
}
