package arrowio

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/exec"
	"github.com/goruntime/goruntime/goruntime/internal/testkit"
	_ "github.com/goruntime/goruntime/goruntime/ops" // all operators
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// open opens a small model of the tests.
func open(t *testing.T, name string) *exec.Session {
	t.Helper()
	s, err := exec.Open("../../tests/models/"+name+".onnx", exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// batchOf reads a batch of JSON rows.
func batchOf(t *testing.T, schema *arrow.Schema, rows string) arrow.RecordBatch {
	t.Helper()
	b, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(rows))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func schemaOf(fields ...arrow.Field) *arrow.Schema { return arrow.NewSchema(fields, nil) }

func field(name string, t arrow.DataType) arrow.Field {
	return arrow.Field{Name: name, Type: t, Nullable: true}
}

var f32 = arrow.PrimitiveTypes.Float32

// scored compiles a plan, scores one batch and returns the answer and the copies.
func scored(t *testing.T, s *exec.Session, b arrow.RecordBatch, m *Manifest) (arrow.RecordBatch, [arena.NumCopyReasons]int64, error) {
	t.Helper()
	p, err := Compile(s, b.Schema(), m)
	if err != nil {
		return nil, [arena.NumCopyReasons]int64{}, err
	}
	before := s.IO().Stats().Copies
	out, err := p.Score(context.Background(), b)
	after := s.IO().Stats().Copies
	for i := range after {
		after[i] -= before[i]
	}
	return out, after, err
}

func TestScore(t *testing.T) {
	casts := &Manifest{Inputs: map[string]InputRule{"x": {Cast: true}}}
	for _, c := range []struct {
		name   string
		model  string
		schema *arrow.Schema
		rows   string
		slice  int64 // the batch from this row on
		m      *Manifest
		want   string // the answer as JSON
		copies map[arena.CopyReason]int64
	}{
		{"numbers are lent", "double", schemaOf(field("x", f32)), `[{"x":1},{"x":2.5}]`, 0, nil, `[{"y":2},{"y":5}]`, nil},
		{"so is a slice", "double", schemaOf(field("x", f32)), `[{"x":9},{"x":1},{"x":2.5}]`, 1, nil, `[{"y":2},{"y":5}]`, nil},
		{"no rows", "double", schemaOf(field("x", f32)), `[]`, 0, nil, `[]`, nil},
		{"no lists", "fixed", schemaOf(field("x", arrow.ListOf(f32))), `[]`, 0, nil, `[]`, nil},
		{
			"fixed-size lists are lent", "double", schemaOf(field("x", arrow.FixedSizeListOf(2, f32))),
			`[{"x":[1,2]},{"x":[3,4]}]`, 1, nil, `[{"y":[6,8]}]`, nil,
		},
		{
			"nested ones too", "double", schemaOf(field("x", arrow.FixedSizeListOf(1, arrow.FixedSizeListOf(2, f32)))),
			`[{"x":[[1,2]]},{"x":[[3,4]]}]`, 0, nil, `[{"y":[[2,4]]},{"y":[[6,8]]}]`, nil,
		},
		{
			"lists of one length are lent", "double", schemaOf(field("x", arrow.ListOf(f32))),
			`[{"x":[9,9]},{"x":[1,2]},{"x":[3,4]}]`, 1, nil, `[{"y":[2,4]},{"y":[6,8]}]`, nil,
		},
		{
			"large lists of one length are lent", "double", schemaOf(field("x", arrow.LargeListOf(f32))),
			`[{"x":[1,2]},{"x":[3,4]}]`, 0, nil, `[{"y":[2,4]},{"y":[6,8]}]`, nil,
		},
		{
			"columns become a matrix", "fixed", schemaOf(field("a", f32), field("b", f32), field("c", f32)),
			`[{"a":1,"b":-2,"c":3},{"a":-1,"b":2,"c":-3}]`, 0, nil, `[{"y":[1,0,3]},{"y":[0,2,0]}]`,
			map[arena.CopyReason]int64{arena.CopyInterleave: 1},
		},
		{
			"the manifest orders columns", "fixed", schemaOf(field("a", f32), field("b", f32), field("c", f32)),
			`[{"a":1,"b":2,"c":3}]`, 0, &Manifest{Inputs: map[string]InputRule{"x": {Columns: []string{"c", "a", "b"}}}},
			`[{"y":[3,1,2]}]`,
			map[arena.CopyReason]int64{arena.CopyInterleave: 1},
		},
		{
			"nulls are filled", "double", schemaOf(field("x", f32)), `[{"x":1},{"x":null}]`, 0,
			&Manifest{Inputs: map[string]InputRule{"x": {Fill: 7.0}}}, `[{"y":2},{"y":14}]`,
			map[arena.CopyReason]int64{arena.CopyNulls: 1},
		},
		{
			"nulls of a slice are filled", "double", schemaOf(field("x", f32)), `[{"x":1},{"x":null},{"x":3}]`, 1,
			&Manifest{Inputs: map[string]InputRule{"x": {Fill: 7.0}}}, `[{"y":14},{"y":6}]`,
			map[arena.CopyReason]int64{arena.CopyNulls: 1},
		},
		{
			"nulls in lists are filled", "double", schemaOf(field("x", arrow.FixedSizeListOf(2, f32))), `[{"x":[1,null]},{"x":[null,4]}]`, 0,
			&Manifest{Inputs: map[string]InputRule{"x": {Fill: 7.0}}}, `[{"y":[2,14]},{"y":[14,8]}]`,
			map[arena.CopyReason]int64{arena.CopyNulls: 1},
		},
		{
			"and null lists, of a slice", "double", schemaOf(field("x", arrow.FixedSizeListOf(2, f32))), `[{"x":null},{"x":[1,2]},{"x":null},{"x":[null,4]}]`, 1,
			&Manifest{Inputs: map[string]InputRule{"x": {Fill: 7.0}}}, `[{"y":[2,4]},{"y":[14,14]},{"y":[14,8]}]`,
			map[arena.CopyReason]int64{arena.CopyNulls: 1},
		},
		{
			"at each level, before they are converted", "double", schemaOf(field("x", arrow.FixedSizeListOf(2, arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Int8)))),
			`[{"x":[[1,null],null]},{"x":null},{"x":[[3,4],[5,6]]}]`, 0,
			&Manifest{Inputs: map[string]InputRule{"x": {Fill: 7.0, Cast: true}}}, `[{"y":[[2,14],[14,14]]},{"y":[[14,14],[14,14]]},{"y":[[6,8],[10,12]]}]`,
			map[arena.CopyReason]int64{arena.CopyNulls: 1, arena.CopyConversion: 1},
		},
		{
			"nulls in lists of one length too", "double", schemaOf(field("x", arrow.ListOf(f32))), `[{"x":[0,0]},{"x":[1,null]}]`, 1,
			&Manifest{Inputs: map[string]InputRule{"x": {Fill: 7.0}}}, `[{"y":[2,14]}]`,
			map[arena.CopyReason]int64{arena.CopyNulls: 1},
		},
		{
			"booleans in lists", "not", schemaOf(field("x", arrow.FixedSizeListOf(2, arrow.FixedWidthTypes.Boolean))), `[{"x":[true,null]},{"x":null}]`, 0,
			&Manifest{Inputs: map[string]InputRule{"x": {Fill: true}}}, `[{"y":[false,false]},{"y":[false,false]}]`,
			map[arena.CopyReason]int64{arena.CopyNulls: 1, arena.CopyBits: 2}, // in, and out
		},
		{
			"nulls among strings are filled, of a slice too", "strings", schemaOf(field("s", arrow.BinaryTypes.String), field("t", arrow.BinaryTypes.StringView)),
			`[{"s":"a","t":"b"},{"s":null,"t":"c"},{"s":"d","t":null}]`, 1,
			&Manifest{Inputs: map[string]InputRule{"s": {Fill: "S"}, "t": {Fill: "T"}}, Outputs: []OutputRule{{Value: "s"}, {Value: "t"}}},
			`[{"s":"S","t":"c"},{"s":"d","t":"T"}]`,
			map[arena.CopyReason]int64{arena.CopyAlias: 2, arena.CopyConversion: 4},
		},
		{"booleans are numbers where casts are allowed", "double", schemaOf(field("x", arrow.FixedWidthTypes.Boolean)), `[{"x":true},{"x":false}]`, 0, casts, `[{"y":2},{"y":0}]`, map[arena.CopyReason]int64{arena.CopyBits: 1, arena.CopyConversion: 1}},
		{"half numbers too", "double", schemaOf(field("x", arrow.FixedWidthTypes.Float16)), `[{"x":1.5}]`, 0, casts, `[{"y":3}]`, map[arena.CopyReason]int64{arena.CopyConversion: 1}},
		{"casts are made where allowed", "double", schemaOf(field("x", arrow.PrimitiveTypes.Int16)), `[{"x":3}]`, 0, casts, `[{"y":6}]`, map[arena.CopyReason]int64{arena.CopyConversion: 1}},
		{
			"strings", "strings", schemaOf(field("s", arrow.BinaryTypes.String), field("t", arrow.BinaryTypes.LargeString)),
			`[{"s":"a","t":"ß"},{"s":"","t":"long"}]`, 0, &Manifest{Outputs: []OutputRule{{Value: "s", Column: "same"}}},
			`[{"same":"a"},{"same":""}]`,
			map[arena.CopyReason]int64{arena.CopyAlias: 1, arena.CopyConversion: 2}, // into the arena, and into the answer
		},
		{
			"booleans are unpacked, and packed again", "not", schemaOf(field("x", arrow.FixedSizeListOf(3, arrow.FixedWidthTypes.Boolean))),
			`[{"x":[true,true,true]},{"x":[true,false,true]},{"x":[false,false,false]},{"x":[true,true,false]}]`, 1, nil,
			`[{"y":[false,true,false]},{"y":[true,true,true]},{"y":[false,false,true]}]`,
			map[arena.CopyReason]int64{arena.CopyBits: 2},
		},
		{
			"inner values under other names", "chain", schemaOf(field("x", f32)), `[{"x":-1},{"x":3}]`, 0,
			&Manifest{Outputs: []OutputRule{{Value: "b", Column: "squared"}, {Value: "a"}}}, `[{"squared":0,"a":0},{"squared":9,"a":3}]`, nil,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			testkit.NoLeaks(t)
			b := batchOf(t, c.schema, c.rows).NewSlice(c.slice, int64(strings.Count(c.rows, "},{")+min(1, strings.Count(c.rows, "{"))))
			out, copies, err := scored(t, open(t, c.model), b, c.m)
			if err != nil {
				t.Fatal(err)
			}
			defer out.Release()
			got, err := out.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			want := batchOf(t, out.Schema(), c.want)
			if !array.RecordEqual(out, want) {
				t.Errorf("got %s, want %s", got, c.want)
			}
			for why, n := range copies {
				if n != c.copies[arena.CopyReason(why)] {
					t.Errorf("%d copies because of %v, %d expected", n, arena.CopyReason(why), c.copies[arena.CopyReason(why)])
				}
			}
		})
	}
}

func TestDictionariesOfStringsAreViews(t *testing.T) {
	testkit.NoLeaks(t)
	b := array.NewDictionaryBuilder(memory.DefaultAllocator, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}).(*array.BinaryDictionaryBuilder)
	defer b.Release()
	for _, w := range []string{"x", "a", "b", "a"} {
		if err := b.AppendString(w); err != nil {
			t.Fatal(err)
		}
	}
	d := b.NewArray()
	defer d.Release()
	batch := array.NewRecordBatch(schemaOf(field("s", d.DataType()), field("t", d.DataType())), []arrow.Array{d, d}, 4).NewSlice(1, 4)
	defer batch.Release()
	out, _, err := scored(t, open(t, "strings"), batch, &Manifest{Outputs: []OutputRule{{Value: "t"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer out.Release()
	var got []string
	for i := range 3 {
		got = append(got, out.Column(0).ValueStr(i))
	}
	if !slices.Equal(got, []string{"a", "b", "a"}) {
		t.Errorf("got %v", got)
	}
}

// Strings are views of their bytes: a batch of many costs as many allocations as one of few.
func TestStringsCostNoAllocationEach(t *testing.T) {
	testkit.NoLeaks(t)
	s := open(t, "strings")
	for _, kind := range []arrow.DataType{arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.StringView} {
		schema := schemaOf(field("s", kind), field("t", kind))
		p, err := Compile(s, schema, nil)
		if err != nil {
			t.Fatal(err)
		}
		var costs []float64
		for _, n := range []int{10, 1000} {
			b := batchOf(t, schema, "["+strings.Repeat(`{"s":"short","t":"one that is longer than a view has room for"},`, n-1)+`{"s":"","t":"ß"}]`)
			f, err := p.Feeds(b, s.IO())
			if err != nil {
				t.Fatal(err)
			}
			if words := tensor.Elems[string](&f.Views[0]); f.Rows != n || words[0] != "short" || words[n-1] != "" {
				t.Errorf("%v: %d rows from %q to %q", kind, f.Rows, words[0], words[n-1])
			}
			f.Release()
			costs = append(costs, testing.AllocsPerRun(20, func() {
				f, err := p.Feeds(b, s.IO())
				if err != nil {
					t.Fatal(err)
				}
				f.Release()
			}))
			b.Release()
		}
		if costs[1] > costs[0] {
			t.Errorf("%v: %v allocations for 10 rows, %v for 1000", kind, costs[0], costs[1])
		}
	}
}

func TestWhatIsRefused(t *testing.T) {
	for _, c := range []struct {
		name, model string
		schema      *arrow.Schema
		rows        string
		m           *Manifest
		code        errs.Code
		message     string
	}{
		{"nulls without a fill", "double", schemaOf(field("x", f32)), `[{"x":1},{"x":null}]`, nil, errs.Argument, `the column "x": row 1 is null`},
		{"a fill of another type", "double", schemaOf(field("x", f32)), `[{"x":null}]`, &Manifest{Inputs: map[string]InputRule{"x": {Fill: "a"}}}, errs.Type, `the manifest's inputs.x.fill is "a": a value of type f32 expected, as the model has for the input`},
		{"a fraction for whole numbers, without a null", "double", schemaOf(field("x", arrow.PrimitiveTypes.Int16)), `[{"x":1}]`, &Manifest{Inputs: map[string]InputRule{"x": {Cast: true, Fill: 1.5}}}, errs.Type, "the fill 1.5 (float64) is no i16"},
		{"a fill that is too large", "double", schemaOf(field("x", arrow.PrimitiveTypes.Uint8)), `[{"x":1}]`, &Manifest{Inputs: map[string]InputRule{"x": {Cast: true, Fill: 256}}}, errs.Type, "the fill 256 (int) is no u8"},
		{"a number for strings", "strings", schemaOf(field("s", arrow.BinaryTypes.String), field("t", arrow.BinaryTypes.String)), `[]`, &Manifest{Inputs: map[string]InputRule{"s": {Fill: 1.0}}}, errs.Type, "the manifest's inputs.s.fill is 1: a value of type str expected"},
		{"another type", "double", schemaOf(field("x", arrow.PrimitiveTypes.Float64)), `[{"x":1}]`, nil, errs.Type, `the column "x" is f64, f32 expected`},
		{"no column", "sum", schemaOf(field("x", f32)), `[{"x":1}]`, nil, errs.Name, "no columns for the inputs y"},
		{"no such column", "double", schemaOf(field("x", f32)), `[{"x":1}]`, &Manifest{Inputs: map[string]InputRule{"x": {Columns: []string{"z"}}}}, errs.Name, `0 columns are named "z"`},
		{"a rule for no input", "double", schemaOf(field("x", f32)), `[]`, &Manifest{Inputs: map[string]InputRule{"X": {Fill: 1}}}, errs.Name, `the manifest has a rule for the input "X"; the model has x`},
		{"two input columns of one name", "double", schemaOf(field("x", f32), field("z", f32), field("x", f32)), `[]`, nil, errs.Argument, `the columns 0 and 2 are both named "x"`},
		{"two columns of one name for the one input", "fixed", schemaOf(field("a", f32), field("a", f32), field("b", f32)), `[]`, nil, errs.Argument, `the columns 0 and 1 are both named "a"`},
		{"a type without a tensor", "double", schemaOf(field("x", arrow.FixedWidthTypes.Date32)), `[]`, nil, errs.Type, "which no tensor can hold"},
		{"lists of different lengths", "double", schemaOf(field("x", arrow.ListOf(f32))), `[{"x":[1]},{"x":[1,2]}]`, nil, errs.Argument, "the lists have different lengths"},
		{"a null list", "double", schemaOf(field("x", arrow.FixedSizeListOf(2, arrow.FixedSizeListOf(2, f32)))), `[{"x":[[1,2],[3,4]]},{"x":[[1,2],null]}]`, nil, errs.Argument, `the column "x": a list of row 1 is or has a null: a manifest may give a fill`},
		{"a null in a list", "double", schemaOf(field("x", arrow.FixedSizeListOf(3, f32))), `[{"x":[1,2,3]},{"x":[1,2,3]},{"x":[1,2,null]}]`, nil, errs.Argument, `the column "x": a list of row 2 is or has a null: a manifest may give a fill`},
		{"a null list without values", "double", schemaOf(field("x", arrow.ListOf(f32))), `[{"x":[1]},{"x":null}]`, &Manifest{Inputs: map[string]InputRule{"x": {Fill: 1.0}}}, errs.Argument, `the column "x": a list of row 1 is null and has no values: a fill can stand for those of a fixed_size_list`},
		{"a fill of another type than the lists'", "double", schemaOf(field("x", arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Int8))), `[]`, &Manifest{Inputs: map[string]InputRule{"x": {Fill: 1.5, Cast: true}}}, errs.Type, "the fill 1.5 (float64) is no i8"},
		{"too many rows", "double", schemaOf(field("x", f32)), `[{"x":1},{"x":2}]`, &Manifest{Limits: Limits{Rows: 1}}, errs.Argument, "2 rows given, at most 1 allowed"},
		{"too many bytes", "double", schemaOf(field("x", f32)), `[{"x":1},{"x":2}]`, &Manifest{Limits: Limits{Bytes: 4}}, errs.Argument, "bytes given, at most 4 allowed"},
		{"too many columns", "double", schemaOf(field("x", f32), field("z", f32)), `[{"x":1,"z":2}]`, &Manifest{Limits: Limits{Columns: 1}}, errs.Argument, "2 columns given, at most 1 allowed"},
		{"lists that are too deep", "double", schemaOf(field("x", arrow.FixedSizeListOf(1, arrow.FixedSizeListOf(1, f32)))), `[{"x":[[1]]}]`, &Manifest{Limits: Limits{Nesting: 1}}, errs.Argument, `the column "x" has lists 2 deep, at most 1 allowed`},
		{"too many bytes of strings", "strings", schemaOf(field("s", arrow.BinaryTypes.String), field("t", arrow.BinaryTypes.LargeString)), `[{"s":"abc","t":"de"}]`, &Manifest{Limits: Limits{StringBytes: 4}}, errs.Argument, "5 bytes of strings given, at most 4 allowed"},
		{"an output that is no column", "narrow", schemaOf(field("x", f32)), `[{"x":1},{"x":2}]`, nil, errs.Shape, `the output "y": shape [] for 2 rows`},
		{"maps", "classifier", schemaOf(field("a", f32), field("b", f32)), `[{"a":1,"b":2}]`, nil, errs.Unsupported, `the output "by_label": a seq is no column: a manifest may name ["probabilities"], which it is made of`},
		{"two columns of one name", "chain", schemaOf(field("x", f32)), `[]`, &Manifest{Outputs: []OutputRule{{Value: "a"}, {Value: "b", Column: "a"}}}, errs.Argument, `two outputs are named "a"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			testkit.NoLeaks(t)
			s := open(t, c.model)
			_, _, err := scored(t, s, batchOf(t, c.schema, c.rows), c.m)
			if err == nil || !strings.Contains(err.Error(), c.message) {
				t.Fatalf("error %v, want one with %q", err, c.message)
			}
			if errs.CodeOf(err) != c.code {
				t.Errorf("code %v, want %v", errs.CodeOf(err), c.code)
			}
			if n := s.IO().Stats().LiveBlocks; n != 0 {
				t.Errorf("%d blocks are live", n)
			}
		})
	}
}

// The metadata of a tensor column must fit its lists: no row gets values of another.
func TestShapesOfTensorsFitTheirLists(t *testing.T) {
	testkit.NoLeaks(t)
	s := open(t, "double")
	for told, says := range map[string]string{
		`{"shape": [2, 3]}`:                        "",
		`{"shape": [2, 3], "permutation": [0, 1]}`: "",
		`{"shape": [2, 2]}`:                        `the column "x" is fixed_size_list<item: float32, nullable>[6], its metadata say tensors of shape [2 2]: a fixed_size_list of as many values expected`,
		`{"shape": [7]}`:                           "tensors of shape [7]",
		`{"shape": [-2, -3]}`:                      "tensors of shape [-2 -3]",
		`{"shape": [0, 3]}`:                        "tensors of shape [0 3]",
		`{"shape": [9223372036854775807, 3]}`:      "tensors of shape",
		`{"shape": [4294967296, 4294967296, 6]}`:   "tensors of shape",
		`{}`:                                       "tensors of shape []",
		`nonsense`:                                 "the metadata of a fixed_shape_tensor",
		`{"shape": [2, 3], "permutation": [1, 0]}`: "is not in the order of its memory",
	} {
		metadata := arrow.NewMetadata([]string{"ARROW:extension:name", "ARROW:extension:metadata"}, []string{"arrow.fixed_shape_tensor", told})
		f := field("x", arrow.FixedSizeListOf(6, f32))
		f.Metadata = metadata
		b := batchOf(t, schemaOf(f), `[{"x":[1,2,3,4,5,6]},{"x":[7,8,9,10,11,12]}]`)
		out, _, err := scored(t, s, b, nil)
		b.Release()
		if says != "" {
			if err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%s: %v, want %q", told, err, says)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", told, err)
			continue
		}
		if got := fmt.Sprint(out.Column(0)); got != "[[[2 4 6] [8 10 12]] [[14 16 18] [20 22 24]]]" {
			t.Errorf("%s: %s", told, got)
		}
		out.Release()
	}
}

// Batches whose buffers contradict their lengths are refused before anything is lent.
func TestDamagedBatchesAreRefused(t *testing.T) {
	testkit.NoLeaks(t)
	s := open(t, "double")
	short := memory.NewBufferBytes(make([]byte, 8))
	for name, data := range map[string]*array.Data{
		"too few values":   array.NewData(f32, 100, []*memory.Buffer{nil, short}, nil, 0, 0),
		"a wild offset":    array.NewData(f32, 1, []*memory.Buffer{nil, short}, nil, 0, 1<<20),
		"a short list":     array.NewData(arrow.FixedSizeListOf(50, f32), 2, []*memory.Buffer{nil}, []arrow.ArrayData{array.NewData(f32, 2, []*memory.Buffer{nil, short}, nil, 0, 0)}, 0, 0),
		"wild list bounds": array.NewData(arrow.ListOf(f32), 1, []*memory.Buffer{nil, memory.NewBufferBytes([]byte{0, 0, 0, 0, 255, 255, 255, 127})}, []arrow.ArrayData{array.NewData(f32, 2, []*memory.Buffer{nil, short}, nil, 0, 0)}, 0, 0),
	} {
		err := func() (err error) {
			defer func() {
				if v := recover(); v != nil { // arrow-go itself may refuse to make such an array
					err = errors.New("refused")
				}
			}()
			a := array.MakeFromData(data)
			b := array.NewRecordBatch(schemaOf(field("x", data.DataType())), []arrow.Array{a}, int64(data.Len()))
			_, _, err = scored(t, s, b, nil)
			return err
		}()
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestTheAnswerOutlivesEverything(t *testing.T) {
	testkit.NoLeaks(t)
	s, err := exec.Open("../../tests/models/double.onnx", exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b := batchOf(t, schemaOf(field("x", f32)), `[{"x":1},{"x":2},{"x":3}]`)
	out, _, err := scored(t, s, b, nil)
	if err != nil {
		t.Fatal(err)
	}
	b.Release()
	io := s.IO()
	s.Close()
	last := out.NewSlice(2, 3)
	out.Release()
	if got := last.Column(0).(*array.Float32).Value(0); got != 6 {
		t.Errorf("got %v, want 6", got)
	}
	if n := io.Stats().LiveBlocks; n != 1 {
		t.Errorf("%d blocks are live, 1 expected", n)
	}
	last.Release()
	if n := io.Stats().LiveBlocks; n != 0 {
		t.Errorf("%d blocks are live after the last slice", n)
	}
}

func TestCanceledAndTimedOut(t *testing.T) {
	testkit.NoLeaks(t)
	s := open(t, "slow")
	row := "[" + strings.Repeat("1,", 255) + "1]"
	b := batchOf(t, schemaOf(field("v0", arrow.FixedSizeListOf(256, f32))), "["+strings.Repeat(`{"v0":`+row+`},`, 199)+`{"v0":`+row+`}]`)
	p, err := Compile(s, b.Schema(), nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 1)
	defer cancel()
	<-ctx.Done()
	if _, err := p.Score(ctx, b); errs.CodeOf(err) != errs.Canceled {
		t.Errorf("an ended context gives %v", err)
	}
	ctx, cancel = context.WithCancel(context.Background())
	started := make(chan struct{})
	go func() { close(started); cancel() }()
	<-started
	if _, err := p.Score(ctx, b); err != nil && errs.CodeOf(err) != errs.Canceled {
		t.Errorf("a canceled run gives %v", err)
	}
	if n := s.IO().Stats().LiveBlocks + s.Execution().Stats().LiveBlocks; n != 0 {
		t.Errorf("%d blocks are live", n)
	}
}

func TestManifestsRoundTripAndNameWhatIsWrong(t *testing.T) {
	path := t.TempDir() + "/m.json"
	m := &Manifest{Name: "a", Inputs: map[string]InputRule{"x": {Columns: []string{"c"}, Fill: 1.5, Cast: true}}, Limits: Limits{Rows: 3}}
	if err := m.Write(path); err != nil {
		t.Fatal(err)
	}
	back, err := ReadManifest(path)
	if err != nil || back.Inputs["x"].Fill != 1.5 || back.Limits.Rows != 3 || !back.Inputs["x"].Cast {
		t.Errorf("read back %+v, %v", back, err)
	}
	if _, err := ReadManifest(t.TempDir() + "/none"); errs.CodeOf(err) != errs.IO {
		t.Errorf("a missing file gives %v", err)
	}
}

// A product reads columns where they lie; what must be converted is, all at once.
func TestColumnsAreReadInPlace(t *testing.T) {
	testkit.NoLeaks(t)
	s := open(t, "rows")
	var lists, columns []string
	fields, others := []arrow.Field{}, []arrow.Field{}
	for k, name := range "abcdefg" {
		fields = append(fields, field(string(name), f32))
		others = append(others, field(string(name), []arrow.DataType{f32, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Float64}[k%3]))
	}
	for r := range 30 {
		var list, cells []string
		for k, name := range "abcdefg" {
			list = append(list, fmt.Sprint(r*k-20))
			cells = append(cells, fmt.Sprintf(`"%c":%d`, name, r*k-20))
		}
		lists, columns = append(lists, `{"x":[`+strings.Join(list, ",")+"]}"), append(columns, "{"+strings.Join(cells, ",")+"}")
	}
	score := func(schema *arrow.Schema, rows []string, m *Manifest) (string, [arena.NumCopyReasons]int64) {
		b := batchOf(t, schema, "["+strings.Join(rows, ",")+"]")
		defer b.Release()
		out, copies, err := scored(t, s, b, m)
		if err != nil {
			t.Fatal(err)
		}
		defer out.Release()
		text, err := out.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		return string(text), copies
	}
	want, _ := score(schemaOf(field("x", arrow.FixedSizeListOf(7, f32))), lists, nil)
	got, copies := score(schemaOf(fields...), columns, nil)
	if got != want || copies != [arena.NumCopyReasons]int64{} {
		t.Errorf("columns give %s with the copies %v, lists give %s", got, copies, want)
	}
	got, copies = score(schemaOf(others...), columns, &Manifest{Inputs: map[string]InputRule{"x": {Cast: true, Columns: strings.Split("abcdefg", "")}}})
	if got != want || copies != [arena.NumCopyReasons]int64{arena.CopyConversion: 1} {
		t.Errorf("columns of other types give %s with the copies %v, lists give %s", got, copies, want)
	}
}
