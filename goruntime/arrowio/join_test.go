package arrowio

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/exec"
	"github.com/goruntime/goruntime/goruntime/internal/testkit"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// fed returns the feeds of a batch, which end with the test.
func fed(t *testing.T, s *exec.Session, schema *arrow.Schema, rows ...string) *Feeds {
	t.Helper()
	b := batchOf(t, schema, "["+strings.Join(rows, ",")+"]")
	defer b.Release()
	p, err := Compile(s, schema, nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := p.Feeds(b, s.IO())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Release)
	return f
}

// Rows of numbers are put together where they lie, those of columns not with those that
// are dense, though both have one shape; texts are copied, once.
func TestFeedsAreJoined(t *testing.T) {
	testkit.NoLeaks(t)
	s := open(t, "rows")
	var fields []arrow.Field
	for _, name := range "abcdefg" {
		fields = append(fields, field(string(name), f32))
	}
	row := func(first int) string {
		var cells []string
		for k, name := range "abcdefg" {
			cells = append(cells, fmt.Sprintf(`"%c":%d`, name, first+k))
		}
		return "{" + strings.Join(cells, ",") + "}"
	}
	one, two := fed(t, s, schemaOf(fields...), row(0), row(10)), fed(t, s, schemaOf(fields...), row(20))
	dense := fed(t, s, schemaOf(field("x", arrow.FixedSizeListOf(7, f32))), `{"x":[1,2,3,4,5,6,7]}`)
	if !one.Alike(two) || one.Alike(dense) || dense.Alike(one) {
		t.Errorf("alike: columns and columns %v, columns and rows %v, rows and columns %v", one.Alike(two), one.Alike(dense), dense.Alike(one))
	}
	all, err := Join([]*Feeds{one, two})
	if err != nil {
		t.Fatal(err)
	}
	defer all.Release()
	x := &all.Views[0]
	if len(x.Parts) != 2 || all.Rows != 3 || !x.Shape.Equal(tensor.Shape{3, 7}) {
		t.Fatalf("%d rows %v in the parts %v", all.Rows, x.Shape, x.Parts)
	}
	for i, f := range []*Feeds{one, two} {
		if p := x.Parts[i]; p.First != 2*i || p.End != 2+i || !slices.Equal(p.Columns, f.Views[0].Columns) {
			t.Errorf("part %d is %v, want the columns %v", i, p, f.Views[0].Columns)
		}
	}
	if n := s.IO().Stats().Copies[arena.CopyCoalesce]; n != 0 {
		t.Errorf("%d copies of matrices", n)
	}
}

// What is elementwise reads plain columns and lists of lists where they were received; of
// texts only where they lie is copied.
func TestJoinedFeedsAreRun(t *testing.T) {
	testkit.NoLeaks(t)
	text, tensors := arrow.BinaryTypes.String, arrow.FixedSizeListOf(2, arrow.FixedSizeListOf(2, f32))
	for _, k := range []struct {
		model       string
		columns     []arrow.Field
		first, rest string
		copies      int64
		want        string
	}{
		{"double", []arrow.Field{field("x", f32)}, `{"x":1},{"x":2}`, `{"x":3}`, 0, "[2 4 6]"},
		{"double", []arrow.Field{field("x", tensors)}, `{"x":[[1,2],[3,4]]}`, `{"x":[[5,6],[7,8]]}`, 0, "[2 4 6 8 10 12 14 16]"},
		{"strings", []arrow.Field{field("s", text), field("t", text)}, `{"s":"a","t":"b"},{"s":"c","t":""}`, `{"s":"d","t":"e"}`, 2, "[a c d b  e]"},
	} {
		s := open(t, k.model)
		schema := schemaOf(k.columns...)
		p, err := Compile(s, schema, nil)
		if err != nil {
			t.Fatal(err)
		}
		all, err := Join([]*Feeds{fed(t, s, schema, k.first), fed(t, s, schema, k.rest)})
		if err != nil {
			t.Fatal(err)
		}
		results, err := p.Run(context.Background(), all, 0)
		all.Release()
		if err != nil {
			t.Fatalf("%s: %v", k.model, err)
		}
		got := ""
		if r := &results[0]; r.DType == tensor.Str {
			got = fmt.Sprint(tensor.Elems[string](&r.View))
		} else {
			got = fmt.Sprint(tensor.Elems[float32](&r.View))
		}
		for i := range results {
			results[i].Release()
		}
		if n := s.IO().Stats().Copies[arena.CopyCoalesce]; got != k.want || n != k.copies {
			t.Errorf("%s of %v: %s with %d copies, want %s with %d", k.model, schema, got, n, k.want, k.copies)
		}
	}
}
