package schema

import (
	"bufio"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/goruntime/goruntime/goruntime/tensor"
)

func TestTableHasTheWholeStandard(t *testing.T) {
	pairs, operators := map[string]int{}, map[string]map[string]bool{}
	for o := range All() {
		pairs[o.Domain]++
		if operators[o.Domain] == nil {
			operators[o.Domain] = map[string]bool{}
		}
		operators[o.Domain][o.Name] = true
		if len(o.Outputs) == 0 && !o.Deprecated {
			t.Errorf("%s.%s %d has no output", o.Domain, o.Name, o.SinceVersion)
		}
	}
	for _, c := range []struct {
		domain           string
		operators, pairs int
		newest           int64
	}{{"", 203, 629, 28}, {"ai.onnx.ml", 19, 25, 5}, {"ai.onnx.preview", 1, 1, 1}, {"ai.onnx.preview.training", 4, 4, 1}} {
		if pairs[c.domain] != c.pairs || len(operators[c.domain]) != c.operators || len(Names(c.domain)) != c.operators || MaxOpset(c.domain) != c.newest {
			t.Errorf("%q: %d pairs of %d operators, newest opset %d, %+v expected", c.domain, pairs[c.domain], len(operators[c.domain]), MaxOpset(c.domain), c)
		}
	}
	if len(pairs) != 4 || MaxOpset("ai.onnx") != 28 || MaxOpset("com.microsoft") != 0 || Names("com.microsoft") != nil {
		t.Errorf("domains %v", pairs)
	}
}

// Every operator is found by its name, so the order of the lines is the one
// that the search relies on.
func TestLookupFindsEveryPair(t *testing.T) {
	versions := map[[2]string][]int{}
	for o := range All() {
		got, ok := Lookup(o.Domain, o.Name, int64(o.SinceVersion))
		since, deprecated, found := Since(o.Domain, o.Name, int64(o.SinceVersion))
		if !ok || got != o || !found || since != o.SinceVersion || deprecated != o.Deprecated {
			t.Errorf("%s.%s %d: %+v %d %v", o.Domain, o.Name, o.SinceVersion, got, since, deprecated)
		}
		k := [2]string{o.Domain, o.Name}
		versions[k] = append(versions[k], o.SinceVersion)
	}
	for k, want := range versions {
		if got := Versions(k[0], k[1]); !slices.Equal(got, want) || !slices.IsSorted(got) {
			t.Errorf("%v: versions %v, %v expected", k, got, want)
		}
	}
}

func TestLookupTakesTheGreatestVersionNotAbove(t *testing.T) {
	for _, c := range []struct {
		domain, name string
		opset        int64
		since        int
	}{
		{"", "Gather", 1, 1},
		{"", "Gather", 12, 11},
		{"ai.onnx", "Gather", math.MaxInt64, 13},
		{"", "Softmax", 12, 11},
		{"ai.onnx.ml", "TreeEnsembleRegressor", 4, 3},
		{"ai.onnx.ml", "LabelEncoder", 1, 1},
	} {
		o, ok := Lookup(c.domain, c.name, c.opset)
		if !ok || o.SinceVersion != c.since {
			t.Errorf("%s %s at %d: %+v", c.domain, c.name, c.opset, o)
		}
	}
	for _, c := range []struct {
		domain, name string
		opset        int64
	}{
		{"", "LayerNormalization", 16},
		{"com.microsoft", "Gelu", 1},
		{"", "", 28},
		{"", "Gathe", 28},
		{"", "Zzz", 28},
		{"", "A", 28},
		{"ai.onnx.ml", "Gather", 28},
		{"zz", "Gather", 28},
		{"", "Gather", 0},
		{"", "Gather", -1},
		{"", "Gather\t13", 28},
	} {
		if o, ok := Lookup(c.domain, c.name, c.opset); ok {
			t.Errorf("%q %q at %d was found: %+v", c.domain, c.name, c.opset, o)
		}
		if _, _, ok := Since(c.domain, c.name, c.opset); ok {
			t.Errorf("%q %q at %d has a version", c.domain, c.name, c.opset)
		}
	}
}

func TestLookupFromManyGoroutinesGivesOneOp(t *testing.T) {
	var wg sync.WaitGroup
	got := make([]*Op, 16)
	for i := range got {
		wg.Go(func() { got[i], _ = Lookup("", "Gemm", 28) })
	}
	wg.Wait()
	for _, o := range got {
		if o == nil || o != got[0] {
			t.Errorf("%p and %p", o, got[0])
		}
	}
}

func TestCountsAreThoseOfTheOnnxPackage(t *testing.T) {
	f, err := os.Open("testdata/arity.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // a file that was only read
	lines := 0
	for s := bufio.NewScanner(f); s.Scan(); lines++ {
		p := strings.Split(s.Text(), "\t")
		var n [5]int
		for i := range n {
			if n[i], err = strconv.Atoi(p[i+2]); err != nil {
				t.Fatal(err)
			}
			if n[i] == math.MaxInt32 {
				n[i] = unlimited
			}
		}
		o, ok := Lookup(p[0], p[1], int64(n[0]))
		if !ok {
			t.Errorf("%q was not found", p)
			continue
		}
		minIn, maxIn := count(o.Inputs)
		minOut, maxOut := count(o.Outputs)
		if got := [5]int{o.SinceVersion, minIn, maxIn, minOut, maxOut}; got != n {
			t.Errorf("%s.%s: %v, %v expected", p[0], p[1], got, n)
		}
	}
	if lines != 659 {
		t.Errorf("%d lines, 659 expected", lines)
	}
}

func TestSchemaParts(t *testing.T) {
	o, _ := Lookup("", "Gather", 13)
	if len(o.Inputs) != 2 || o.Inputs[1].Type != "Tind" || !slices.Equal(o.Types(o.Inputs[1]), []string{"tensor(int32)", "tensor(int64)"}) {
		t.Errorf("inputs %+v", o.Inputs)
	}
	if got := o.DTypes(o.Inputs[1]); !slices.Equal(got, []tensor.DType{tensor.I32, tensor.I64}) {
		t.Errorf("element types %v", got)
	}
	if len(o.Attrs) != 1 || o.Attrs[0] != (Attr{Name: "axis", Type: "int", HasDefault: true, Default: "0"}) {
		t.Errorf("attributes %+v", o.Attrs)
	}
	z, _ := Lookup("ai.onnx.ml", "ZipMap", 1)
	if got := z.Types(z.Outputs[0]); !slices.Equal(got, []string{"seq(map(int64,float))", "seq(map(string,float))"}) || z.DTypes(z.Outputs[0]) != nil {
		t.Errorf("ZipMap gives %q", got)
	}
	c, _ := Lookup("", "Concat", 13)
	if !c.Inputs[0].Variadic || c.Inputs[0].Heterogeneous || c.Inputs[0].Min != 1 {
		t.Errorf("Concat takes %+v", c.Inputs)
	}
	if p, ok := c.Input(7); !ok || p.Name != "inputs" {
		t.Errorf("input 7 of Concat: %+v %v", p, ok)
	}
	if _, ok := o.Input(2); ok {
		t.Error("Gather has a third input")
	}
	loop, _ := Lookup("", "Loop", 28)
	if !loop.Outputs[0].Variadic || !loop.Outputs[0].Heterogeneous || !loop.Inputs[0].Optional {
		t.Errorf("Loop: %+v %+v", loop.Inputs, loop.Outputs)
	}
	gelu, _ := Lookup("", "Gelu", 20)
	if !gelu.Function || o.Function {
		t.Error("Gelu has a body, Gather has none")
	}
	if u, _ := Lookup("", "Upsample", 10); !u.Deprecated {
		t.Error("Upsample is deprecated since 10")
	}
}

func TestDefaults(t *testing.T) {
	for _, c := range []struct {
		op, attr string
		opset    int64
		want     Attr
	}{
		{"Conv", "auto_pad", 11, Attr{Type: "string", HasDefault: true, Default: "NOTSET"}},
		{"LeakyRelu", "alpha", 16, Attr{Type: "float", HasDefault: true, Default: "0.00999999978"}},
		{"MeanVarianceNormalization", "axes", 13, Attr{Type: "ints", HasDefault: true, Default: "[0 2 3]"}},
		{"RNN", "activations", 22, Attr{Type: "strings", HasDefault: true, Default: "[Tanh Tanh]"}},
		{"Cast", "to", 13, Attr{Type: "int", Required: true}},
		{"Conv", "dilations", 11, Attr{Type: "ints"}},
		{"If", "then_branch", 13, Attr{Type: "graph", Required: true}},
	} {
		o, ok := Lookup("", c.op, c.opset)
		if !ok {
			t.Fatal(c.op)
		}
		c.want.Name = c.attr
		if got, ok := o.Attr(c.attr); !ok || got != c.want {
			t.Errorf("%s: %+v, %+v expected", c.op, got, c.want)
		}
	}
	if got := unescape("a%2Cb%28%25c%29%"[:15]); got != "a,b(%c)" {
		t.Errorf("%q", got)
	}
}

func BenchmarkLookup(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := Lookup("", "MatMul", 17); !ok {
			b.Fatal("not found")
		}
	}
}
