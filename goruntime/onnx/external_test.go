package onnx_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit"
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// outside adds external data to a tensor; an empty value is left out.
func outside(w *wire, location, offset, length string) *wire {
	for _, kv := range [][2]string{{"location", location}, {"offset", offset}, {"length", length}} {
		if kv[1] != "" {
			w.bytes(13, *(&wire{}).text(1, kv[0]).text(2, kv[1]))
		}
	}
	return w.int(14, 1)
}

// modelOf is a ModelProto with these initializers.
func modelOf(tensors ...*wire) []byte {
	g := (&wire{}).text(2, "g")
	for _, t := range tensors {
		g.bytes(5, *t)
	}
	return *(&wire{}).int(1, 10).bytes(7, *g)
}

// folder writes files and returns their folder, which lies in another one with
// the file secret.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	top := t.TempDir()
	dir := filepath.Join(top, "model")
	if err := os.MkdirAll(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(top, "secret"), "12345678")
	for name, text := range files {
		write(t, filepath.Join(dir, name), text)
	}
	return dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// payload opens a model of one tensor in dir and reads it.
func payload(t *testing.T, dir string, x *wire) ([]byte, error) {
	t.Helper()
	path := filepath.Join(dir, "m.onnx")
	write(t, path, string(modelOf(x)))
	m, err := onnx.Open(path)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	b, _, err := m.Graph.Initializers[0].Payload()
	return bytes.Clone(b), err
}

func TestExternalData(t *testing.T) {
	dir := folder(t, map[string]string{"w.bin": "abcdefgh", "sub/w.bin": "ijklmnop"})
	for _, c := range []struct {
		name                     string
		location, offset, length string
		want                     string
	}{
		{"a whole file", "w.bin", "", "", "abcd"},
		{"a part", "w.bin", "2", "4", "cdef"},
		{"the end", "w.bin", "4", "4", "efgh"},
		{"no length", "w.bin", "3", "", "defg"},
		{"a file in a folder", "sub/w.bin", "", "", "ijkl"},
		{"a path with dots that stays inside", "sub/../w.bin", "", "", "abcd"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, err := payload(t, dir, outside(header(tensor.U8, 4), c.location, c.offset, c.length))
			if err != nil || string(b) != c.want {
				t.Errorf("%q, %v; %q expected", b, err, c.want)
			}
		})
	}
}

func TestExternalDataThatIsRefused(t *testing.T) {
	dir := folder(t, map[string]string{"w.bin": "abcdefgh"})
	for name, target := range map[string]string{"link": "../secret", "absolute": filepath.Join(dir, "..", "secret"), "up": ".."} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name                     string
		location, offset, length string
		code                     errs.Code
	}{
		{"a path up", "../secret", "", "", errs.Model},
		{"a path down and up", "sub/../../secret", "", "", errs.Model},
		{"an absolute path", filepath.Join(dir, "w.bin"), "", "", errs.Model},
		{"a link out", "link", "", "", errs.Model},
		{"an absolute link out", "absolute", "", "", errs.Model},
		{"a link to the folder above", "up/secret", "", "", errs.Model},
		{"a pipe", "pipe", "", "", errs.Model},
		{"a folder", "sub", "", "", errs.Model},
		{"no location", "", "0", "4", errs.Model},
		{"a file that is not there", "none.bin", "", "", errs.IO},
		{"an offset past the end", "w.bin", "9", "", errs.Model},
		{"a length past the end", "w.bin", "6", "4", errs.Model},
		{"a negative offset", "w.bin", "-1", "", errs.Model},
		{"an offset that overflows", "w.bin", strconv.FormatInt(1<<62, 10), "4", errs.Model},
		{"an offset that is no number", "w.bin", "two", "", errs.Model},
		{"an offset too large for a number", "w.bin", "99999999999999999999", "", errs.Model},
		{"a length that the shape does not take", "w.bin", "0", "5", errs.Model},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, err := payload(t, dir, outside(header(tensor.U8, 4), c.location, c.offset, c.length))
			if errs.CodeOf(err) != c.code {
				t.Errorf("%q, %v; %v expected", b, err, c.code)
			}
			if err != nil && strings.Contains(err.Error(), "1234") {
				t.Error("the message shows what the file holds")
			}
		})
	}
}

func TestExternalDataOfAModelGivenAsBytes(t *testing.T) {
	b := modelOf(outside(header(tensor.U8, 4), "w.bin", "", ""))
	m, err := onnx.Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := m.Graph.Initializers[0].Payload(); errs.CodeOf(err) != errs.Model {
		t.Errorf("without a folder: %v", err)
	}
	dir := folder(t, map[string]string{"w.bin": "abcd"})
	if m, err = onnx.ParseIn(b, dir); err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if got, _, err := m.Graph.Initializers[0].Payload(); err != nil || string(got) != "abcd" {
		t.Errorf("with one: %q, %v", got, err)
	}
}

// A file of 3 GB, nearly all of it a hole: it is mapped, not read.
func TestExternalFileOfThreeGigabytes(t *testing.T) {
	testkit.PlainBuild(t)
	const size, mark = 3 << 30, "the end of the file!"
	dir := folder(t, nil)
	f, err := os.Create(filepath.Join(dir, "big.bin"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(size); err != nil {
		t.Skip("the file system has no sparse files: ", err)
	}
	if _, err := f.WriteAt([]byte(mark), size-int64(len(mark))); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "m.onnx")
	all := outside(header(tensor.U8, 3, 1<<30), "big.bin", "", "")
	end := outside(header(tensor.U8, uint64(len(mark))), "big.bin", strconv.Itoa(size-len(mark)), strconv.Itoa(len(mark)))
	write(t, path, string(modelOf(all, end)))
	before := testkit.Resident(t)
	m, err := onnx.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	whole, inPlace, err := m.Graph.Initializers[0].Payload()
	if err != nil || !inPlace || len(whole) != size {
		t.Fatalf("%d bytes, in place: %v, %v", len(whole), inPlace, err)
	}
	tail, _, err := m.Graph.Initializers[1].Payload()
	if err != nil || string(tail) != mark || string(whole[size-len(mark):]) != mark {
		t.Errorf("the end reads %q, %v", tail, err)
	}
	if grown := testkit.Resident(t) - before; grown > 64<<20 {
		t.Errorf("%d bytes became resident: the file is read as a whole", grown)
	}
}
