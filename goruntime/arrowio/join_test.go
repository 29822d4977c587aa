package arrowio

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

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

// Rows of columns are put together column by column, and not with rows that are dense,
// though both have one shape.
func TestColumnsJoinColumns(t *testing.T) {
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
	for k := range 7 {
		want := []float32{float32(k), float32(10 + k), float32(20 + k)}
		if got := tensor.Column[float32](&all.Views[0], k); !slices.Equal(got, want) {
			t.Errorf("column %d is %v, want %v", k, got, want)
		}
	}
}
