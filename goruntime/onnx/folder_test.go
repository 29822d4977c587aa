package onnx

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit"
)

// oneByte is a model with the tensor w, one byte in an external file.
func oneByte(location string) []byte {
	entry := str(13, msg(str(1, "location"), str(2, location)))
	return str(7, str(5, msg(str(8, "w"), num(2, 2), num(1, 1), num(14, 1), entry)))
}

// put writes a file below dir.
func put(t *testing.T, dir, name string, b []byte) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// first opens the model at path and returns the payload of its first tensor.
func first(t *testing.T, path string) (string, error) {
	t.Helper()
	m, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	b, _, err := m.Graph.Initializers[0].Payload()
	return string(b), err
}

func TestExternalDataIsFoundAfterAChangeOfFolder(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "m.onnx", oneByte("d"))
	put(t, dir, "d", []byte("x"))
	t.Chdir(dir)
	m, err := Open("m.onnx")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	v := &m.Graph.Initializers[0]
	if b, _, err := v.Payload(); err != nil || string(b) != "x" {
		t.Errorf("%q %v", b, err)
	}
	m.Close()
	if _, _, err := v.Payload(); errs.CodeOf(err) != errs.Closed || err.Error() != `tensor "w": the model is closed` {
		t.Errorf("after Close: %v", err)
	}
}

// Download caches keep files by their hash and link to them by name.
func TestExternalDataOfALinkedModel(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "blobs/1", oneByte("m.data"))
	put(t, dir, "blobs/2", []byte("x"))
	put(t, dir, "elsewhere/2", []byte("y"))
	snapshot := filepath.Join(dir, "snapshot")
	if err := os.Mkdir(snapshot, 0o755); err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(snapshot, "m.data")
	for name, target := range map[string]string{filepath.Join(snapshot, "m.onnx"): "../blobs/1", data: "../blobs/2"} {
		if err := os.Symlink(target, name); err != nil {
			t.Fatal(err)
		}
	}
	if b, err := first(t, filepath.Join(snapshot, "m.onnx")); err != nil || b != "x" {
		t.Errorf("%q %v", b, err)
	}
	if err := os.Remove(data); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../elsewhere/2", data); err != nil {
		t.Fatal(err)
	}
	if b, err := first(t, filepath.Join(snapshot, "m.onnx")); errs.CodeOf(err) != errs.Model {
		t.Errorf("a link to another folder: %q %v", b, err)
	}
}

func TestExternalFilesAreNamedInErrors(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "model")
	put(t, root, "model2/data", []byte("a folder whose name begins as the model's"))
	put(t, root, "model/data", nil)
	if err := os.Symlink("../model2/data", filepath.Join(dir, "sibling")); err != nil {
		t.Fatal(err)
	}
	for location, want := range map[string]string{
		"../model2/data": `tensor "w": the external file "../model2/data" is not a path inside the model's folder`,
		"sibling":        `tensor "w": the external file "sibling" leaves the model's folder by a link`,
		".":              `tensor "w": the external file "." is not a regular file`,
		"data":           `tensor "w": 1 bytes at byte 0 of the file "data", which has 0 bytes`,
		"missing":        `tensor "w": external file: lstat ` + filepath.Join(dir, "missing"),
	} {
		if _, err := first(t, put(t, dir, "m.onnx", oneByte(location))); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v\n%s expected", err, want)
		}
	}
}

func TestOpenErrorsNameThePath(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(filepath.Join(dir, "none")); errs.CodeOf(err) != errs.IO || !strings.Contains(err.Error(), filepath.Join(dir, "none")) {
		t.Error(err)
	}
	path := put(t, dir, "m.onnx", []byte{0x0a})
	if _, err := Open(path); errs.CodeOf(err) != errs.Model || err.Error() != path+": model at byte 0: broken field: unexpected EOF" {
		t.Error(err)
	}
}

// The model file itself has 3 GB: its graph holds one tensor of raw data, nearly
// all of it a hole.
func TestModelOfThreeGigabytes(t *testing.T) {
	testkit.PlainBuild(t)
	const size = 3 << 30
	varint5 := func(n int) []byte {
		return []byte{byte(n) | 0x80, byte(n>>7) | 0x80, byte(n>>14) | 0x80, byte(n>>21) | 0x80, byte(n >> 28)}
	}
	w := msg(str(8, "w"), num(2, 2), num(1, size), []byte{9<<3 | 2}, varint5(size))
	g := msg([]byte{5<<3 | 2}, varint5(len(w)+size), w)
	head := msg([]byte{7<<3 | 2}, varint5(len(g)+size), g)
	f, err := os.Create(filepath.Join(t.TempDir(), "m.onnx"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // the test reads what was written
	if _, err := f.Write(head); err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte{42}, int64(len(head))+size-1); err != nil {
		t.Skip("the file system has no sparse files: ", err)
	}
	m, err := Open(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	b, inPlace, err := m.Graph.Initializers[0].Payload()
	if err != nil || !inPlace || len(b) != size || b[0] != 0 || b[size-1] != 42 {
		t.Errorf("%d bytes, in place: %v, %v", len(b), inPlace, err)
	}
}
