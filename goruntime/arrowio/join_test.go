package arrowio

import (
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

// Rows of matrices are put together where they lie, those of columns not with those that
// are dense, though both have one shape; all else is copied, once.
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
	d := open(t, "double")
	first, second := fed(t, d, schemaOf(field("x", f32)), `{"x":1},{"x":2}`), fed(t, d, schemaOf(field("x", f32)), `{"x":3}`)
	both, err := Join([]*Feeds{first, second})
	if err != nil {
		t.Fatal(err)
	}
	defer both.Release()
	if got := tensor.Elems[float32](&both.Views[0]); !slices.Equal(got, []float32{1, 2, 3}) {
		t.Errorf("joined as %v", got)
	}
	if n := s.IO().Stats().Copies[arena.CopyCoalesce]; n != 0 {
		t.Errorf("%d copies of matrices", n)
	}
	if n := d.IO().Stats().Copies[arena.CopyCoalesce]; n != 1 {
		t.Errorf("%d copies of a column, want one for all requests", n)
	}
}
