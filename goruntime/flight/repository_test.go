package flight

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/goruntime/goruntime/goruntime/arrowio"
	"github.com/goruntime/goruntime/goruntime/exec"
	"github.com/goruntime/goruntime/goruntime/internal/testkit"
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/tensor"
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
		{arrowio.Manifest{Name: "n"}, "m.manifest.json is of the model n, version 1, the file is served as m, version 1"},
		{arrowio.Manifest{Name: "m", Version: "2"}, "m.manifest.json is of the model m, version 2, the file is served as m, version 1"},
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

// putTable writes a model of one input, i, whose answer is y [N, 1]: rows of a table of so many
// rows, all alike. The table lies in the file weights beside it where outside is set. Files
// are written over in place, as cp does.
func putTable(t *testing.T, dir string, rows int, value float32, outside bool) {
	t.Helper()
	raw := bytes.Repeat(binary.LittleEndian.AppendUint32(nil, math.Float32bits(value)), rows)
	vector := func(name string, elem tensor.DType, dims ...onnx.Dim) onnx.ValueInfo {
		return onnx.ValueInfo{Name: name, Type: onnx.Type{Kind: onnx.KindTensor, Elem: elem, HasShape: true, Dims: dims}}
	}
	n := onnx.Dim{Param: "N"}
	m := onnx.Model{IRVersion: 10, Opsets: []onnx.OpsetID{{Version: 18}}, Graph: &onnx.Graph{
		Name: "g", Nodes: []onnx.Node{{OpType: "Gather", Inputs: []string{"w", "i"}, Outputs: []string{"y"}}},
		Inputs:  []onnx.ValueInfo{vector("i", tensor.I64, n)},
		Outputs: []onnx.ValueInfo{vector("y", tensor.F32, n, onnx.Dim{Known: true, Value: 1})},
	}}
	w := onnx.New("w", tensor.F32, []int64{int64(rows), 1}, raw)
	if outside {
		over(t, filepath.Join(dir, "weights"), raw)
		w = beside(t, "weights", w)
	}
	m.Graph.Initializers = []onnx.Tensor{*w}
	over(t, filepath.Join(dir, "table.onnx"), m.Marshal())
}

// beside returns a tensor like w whose data is a file.
func beside(t *testing.T, file string, w *onnx.Tensor) *onnx.Tensor {
	t.Helper()
	entry := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), "location")
	entry = protowire.AppendString(protowire.AppendTag(entry, 2, protowire.BytesType), file)
	var b []byte
	for _, d := range w.Dims {
		b = protowire.AppendVarint(protowire.AppendTag(b, 1, protowire.VarintType), uint64(d))
	}
	b = protowire.AppendVarint(protowire.AppendTag(b, 2, protowire.VarintType), uint64(w.DType))
	b = protowire.AppendString(protowire.AppendTag(b, 8, protowire.BytesType), w.Name)
	b = protowire.AppendBytes(protowire.AppendTag(b, 13, protowire.BytesType), entry)
	b = protowire.AppendVarint(protowire.AppendTag(b, 14, protowire.VarintType), 1)
	outside, err := onnx.ParseTensor(b)
	if err != nil {
		t.Fatal(err)
	}
	return outside
}

// over writes a file in place: it stays the file that it is.
func over(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// lookUp scores rows of the table by a model, which may no longer be the repository's.
func lookUp(m *Model, rows ...int64) ([]float32, error) {
	return lookUpFor(context.Background(), m, rows...)
}

func lookUpFor(ctx context.Context, m *Model, rows ...int64) ([]float32, error) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "i", Type: arrow.PrimitiveTypes.Int64}}, nil)
	builder := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer builder.Release()
	builder.Field(0).(*array.Int64Builder).AppendValues(rows, nil)
	b := builder.NewRecordBatch()
	defer b.Release()
	p, err := m.plan(schema)
	if err != nil {
		return nil, err
	}
	c, end := newCaller(ctx)
	defer end()
	out, err := m.score(c, p, b, 0, spending(clock()))
	if err != nil {
		return nil, err
	}
	defer out.Release()
	return bytes2floats(out.Column(0)), nil
}

// What is in use is not what lies in the folder: a file that is written over, made shorter
// too, changes nothing until it is loaded, whole, and for those that began before not even
// then. The weights may lie in a file of their own.
func TestFilesAreWrittenOverWhileTheyServe(t *testing.T) {
	for name, outside := range map[string]bool{"one file": false, "weights outside": true} {
		t.Run(name, func(t *testing.T) { writtenOver(t, outside) })
	}
}

func writtenOver(t *testing.T, outside bool) {
	testkit.NoLeaks(t)
	dir := t.TempDir()
	const rows = 1 << 18
	putTable(t, dir, rows, 1, outside)
	r := NewRepository(dir, exec.Options{})
	defer r.Close()
	expect := func(m *Model, want float32) {
		t.Helper()
		if got, err := lookUp(m, 0, 7, 100); err != nil || !same(got, []float32{want, want, want}) {
			t.Fatalf("%v, %v, want %v", got, err, want)
		}
	}
	refresh := func(failures int) *Model {
		t.Helper()
		if failed := r.Refresh(); len(failed) != failures {
			t.Fatalf("failures %v, want %d", failed, failures)
		}
		m, err := r.Get("table", "")
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	old := refresh(0)
	defer old.leave()
	for i, size := range []int{rows, 1000, 2 * rows} { // as long, shorter, longer
		value := float32(2 + i)
		putTable(t, dir, size, value, outside)
		expect(old, 1)
		fresh := refresh(0)
		expect(fresh, value)
		expect(old, 1)
		fresh.leave()
	}
	// A part of a file is no model; the rest of it makes it one.
	path := filepath.Join(dir, map[bool]string{false: "table.onnx", true: "weights"}[outside])
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	over(t, path, whole[:len(whole)/2])
	m := refresh(1)
	expect(m, 4)
	m.leave()
	refresh(0).leave() // which is not told again
	over(t, path, whole)
	m = refresh(0)
	expect(m, 4)
	m.leave()
}

// A model whose weights come after it is loaded when they have come.
func TestWeightsMayComeAfterTheirModel(t *testing.T) {
	testkit.NoLeaks(t)
	dir := t.TempDir()
	putTable(t, dir, 10, 5, true)
	weights := filepath.Join(dir, "weights")
	late, err := os.ReadFile(weights)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(weights); err != nil {
		t.Fatal(err)
	}
	r := NewRepository(dir, exec.Options{})
	defer r.Close()
	for _, want := range []int{1, 0} { // a failure is told once
		if failed := r.Refresh(); len(failed) != want {
			t.Fatalf("without weights: %v", failed)
		}
	}
	if failed := r.Load("table", ""); len(failed) != 1 || !strings.Contains(failed[0].Error(), "weights") {
		t.Errorf("asked for by name: %v", failed)
	}
	over(t, weights, late)
	if failed := r.Refresh(); len(failed) > 0 {
		t.Fatal(failed)
	}
	m, err := r.Get("table", "")
	if err != nil {
		t.Fatal(err)
	}
	defer m.leave()
	if got, err := lookUp(m, 9); err != nil || !same(got, []float32{5}) {
		t.Errorf("%v, %v", got, err)
	}
}

// The manifest's checksums are of the weights outside too: others are not loaded.
func TestWeightsHaveChecksums(t *testing.T) {
	testkit.NoLeaks(t)
	dir := t.TempDir()
	putTable(t, dir, 10, 1, true)
	model, err := onnx.Open(filepath.Join(dir, "table.onnx"))
	if err != nil {
		t.Fatal(err)
	}
	sum, weights := arrowio.Sums(model)
	model.Close()
	if want := fmt.Sprintf("%x", sha256.Sum256(bytes.Repeat([]byte{0, 0, 0x80, 0x3f}, 10))); len(weights) != 1 || weights["weights"] != want {
		t.Fatalf("the weights have the sums %v, want %s", weights, want)
	}
	r := NewRepository(dir, exec.Options{})
	defer r.Close()
	for _, c := range []struct {
		m     arrowio.Manifest
		value float32 // of the weights
		says  string
	}{
		{arrowio.Manifest{Checksum: sum, Weights: weights}, 1, ""},
		{arrowio.Manifest{Checksum: sum, Weights: weights}, 2, `table.manifest.json: the SHA-256 of "weights" is `},
		{arrowio.Manifest{Checksum: sum}, 2, ""},
		{arrowio.Manifest{Weights: map[string]string{"other": sum}}, 2, `the manifest's weights have "other", which is no file of the model's tensors`},
		{arrowio.Manifest{Weights: map[string]string{}}, 2, ""}, // is left out of the file
	} {
		putTable(t, dir, 10, c.value, true)
		if err := c.m.Write(filepath.Join(dir, "table.manifest.json")); err != nil {
			t.Fatal(err)
		}
		failed := r.Refresh()
		if c.says == "" && len(failed) > 0 || c.says != "" && (len(failed) != 1 || !strings.Contains(failed[0].Error(), c.says)) {
			t.Errorf("%+v: %v, want %q", c.m, failed, c.says)
		}
	}
}

// A file that is put in the place of another one is new, also where its time is older than
// that of the one before, or of the manifest.
func TestOlderFilesAreNewToo(t *testing.T) {
	testkit.NoLeaks(t)
	dir := t.TempDir()
	putTable(t, dir, 10, 1, false)
	over(t, filepath.Join(dir, "table.manifest.json"), []byte("{}"))
	r := NewRepository(dir, exec.Options{})
	defer r.Close()
	if failed := r.Refresh(); len(failed) > 0 {
		t.Fatal(failed)
	}
	elsewhere := t.TempDir()
	putTable(t, elsewhere, 10, 2, false)
	from := filepath.Join(elsewhere, "table.onnx")
	old := time.Now().Add(-24 * time.Hour)
	if err := os.Chtimes(from, old, old); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(from, filepath.Join(dir, "table.onnx")); err != nil {
		t.Fatal(err)
	}
	if failed := r.Refresh(); len(failed) > 0 {
		t.Fatal(failed)
	}
	m, err := r.Get("table", "")
	if err != nil {
		t.Fatal(err)
	}
	defer m.leave()
	if got, err := lookUp(m, 3); err != nil || !same(got, []float32{2}) {
		t.Errorf("%v, %v, want the older file's 2", got, err)
	}
}

// While one model is loaded, which may take long, the others are there.
func TestModelsAnswerWhileOthersAreLoaded(t *testing.T) {
	testkit.NoLeaks(t)
	dir := t.TempDir()
	putTable(t, dir, 10, 1, false)
	r := NewRepository(dir, exec.Options{})
	defer r.Close()
	if failed := r.Refresh(); len(failed) > 0 {
		t.Fatal(failed)
	}
	text, err := os.ReadFile(filepath.Join(dir, "table.onnx"))
	if err != nil {
		t.Fatal(err)
	}
	over(t, filepath.Join(dir, "slow.onnx"), text)
	pipe := filepath.Join(dir, "slow.manifest.json") // whose reader waits for a writer
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Skip("the file system has no pipes: ", err)
	}
	loaded := make(chan []error)
	go func() { loaded <- r.Refresh() }()
	var w *os.File
	if !testkit.Settles(func() bool {
		var err error
		w, err = os.OpenFile(pipe, os.O_WRONLY|unix.O_NONBLOCK, 0) // opens when it is read
		return err == nil
	}) {
		t.Fatal("the manifest is not read")
	}
	m, err := r.Get("table", "")
	if err != nil {
		t.Fatal(err)
	}
	m.leave()
	for _, m := range r.All() {
		m.leave()
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if failed := <-loaded; len(failed) != 1 { // nothing is no manifest
		t.Error(failed)
	}
}

// A model that lies at two places is the first one, and stays it: the other is told of once.
func TestAModelThatIsThereTwice(t *testing.T) {
	testkit.NoLeaks(t)
	dir := t.TempDir()
	putTable(t, dir, 10, 1, false)
	for _, sub := range []string{"table/1", "table/..data", ".old/1"} { // hidden folders hold no models
		folder := filepath.Join(dir, sub)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		putTable(t, folder, 10, 2, false)
		if err := os.Rename(filepath.Join(folder, "table.onnx"), filepath.Join(folder, "model.onnx")); err != nil {
			t.Fatal(err)
		}
	}
	r := NewRepository(dir, exec.Options{})
	defer r.Close()
	failed := r.Refresh()
	if len(failed) != 1 || !strings.Contains(failed[0].Error(), "table/1/model.onnx: the model table, version 1, is "+dir+"/table.onnx already: give one of them") {
		t.Fatal(failed)
	}
	first, err := r.Get("table", "")
	if err != nil {
		t.Fatal(err)
	}
	defer first.leave()
	for range 3 {
		if failed := r.Refresh(); len(failed) > 0 {
			t.Error(failed)
		}
		all := r.All()
		if len(all) != 1 || all[0] != first {
			t.Errorf("%d models, or another one, after one more look", len(all))
		}
		for _, m := range all {
			m.leave()
		}
	}
	if err := os.Remove(filepath.Join(dir, "table.onnx")); err != nil {
		t.Fatal(err)
	}
	if failed := r.Refresh(); len(failed) > 0 {
		t.Error(failed)
	}
	m, err := r.Get("table", "")
	if err != nil {
		t.Fatal(err)
	}
	defer m.leave()
	if got, err := lookUp(m, 3); err != nil || !same(got, []float32{2}) {
		t.Errorf("the one that is left gives %v, %v", got, err)
	}
}
