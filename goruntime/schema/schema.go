// Package schema is the official operator table: which versions each operator
// has, its inputs, outputs, attributes and the types they may have, as the
// onnx package defines them. It says what the standard is, not what runs here.
//
// The table is text that is linked in and read on the first look-up, one line
// at a time: nothing is done when the program starts.
package schema

import (
	_ "embed" // schema.txt
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:generate python internal/gen/schemagen/schemagen.py schema.txt

//go:embed schema.txt
var table string

// Op is one version of an operator.
type Op struct {
	Domain       string // "" is ai.onnx
	Name         string
	SinceVersion int
	Deprecated   bool
	Function     bool // the standard defines it by a function body
	Inputs       []Param
	Outputs      []Param
	Attrs        []Attr
	Constraints  []Constraint
}

// Param is a formal input or output.
type Param struct {
	Name     string
	Type     string // the name of a constraint, or a type such as "tensor(bool)"
	Optional bool
	Variadic bool
	Min      int // of a variadic one
}

// Attr is an attribute of an operator.
type Attr struct {
	Name     string
	Type     string // int, floats, graph, ...
	Required bool
	Default  string // as text, "" where there is none
}

// Constraint is a type variable and what it may stand for.
type Constraint struct {
	Name  string
	Types []string
}

// index holds the lines of each operator, by ascending version.
var index = sync.OnceValue(func() map[string][]string {
	m := make(map[string][]string, 256)
	for line := range strings.Lines(table) {
		if line[0] == '#' {
			continue
		}
		name := strings.IndexByte(line, '\t')
		end := name + 1 + strings.IndexByte(line[name+1:], '\t')
		m[line[:end]] = append(m[line[:end]], strings.TrimSuffix(line, "\n"))
	}
	return m
})

func lines(domain, name string) []string {
	if domain == "ai.onnx" {
		domain = ""
	}
	return index()[domain+"\t"+name]
}

// Lookup returns the schema of an operator that applies to an opset: the one of
// the greatest version that is not above it.
func Lookup(domain, name string, opset int64) (*Op, bool) {
	list := lines(domain, name)
	for i := len(list) - 1; i >= 0; i-- {
		if v := version(list[i]); int64(v) <= opset {
			return parse(list[i]), true
		}
	}
	return nil, false
}

// Since returns the version that applies to an opset without reading the rest
// of the schema, and whether it is deprecated.
func Since(domain, name string, opset int) (since int, deprecated, ok bool) {
	list := lines(domain, name)
	for i := len(list) - 1; i >= 0; i-- {
		if v := version(list[i]); v <= opset {
			return v, strings.Split(list[i], "\t")[3] == "1", true
		}
	}
	return 0, false, false
}

// Versions returns the since_versions of an operator, ascending.
func Versions(domain, name string) []int {
	var all []int
	for _, l := range lines(domain, name) {
		all = append(all, version(l))
	}
	return all
}

// Names returns the operators of a domain in the order of their names.
func Names(domain string) []string {
	var all []string
	for k := range index() {
		if d, name, _ := strings.Cut(k, "\t"); d == domain {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

// All returns every version of every operator, ordered by domain, name and
// version.
func All() iter.Seq[*Op] {
	return func(yield func(*Op) bool) {
		for line := range strings.Lines(table) {
			if line[0] != '#' && !yield(parse(strings.TrimSuffix(line, "\n"))) {
				return
			}
		}
	}
}

func version(line string) int {
	n, _ := strconv.Atoi(strings.SplitN(line, "\t", 4)[2])
	return n
}

func parse(line string) *Op {
	f := strings.Split(line, "\t")
	o := &Op{Domain: f[0], Name: f[1], SinceVersion: version(line), Deprecated: f[3] == "1", Function: f[4] == "1"}
	o.Inputs, o.Outputs = params(f[5]), params(f[6])
	for _, p := range list(f[7]) {
		o.Attrs = append(o.Attrs, Attr{Name: p[0], Type: p[1], Required: p[2] == "1", Default: p[3]})
	}
	for _, p := range list(f[8]) {
		o.Constraints = append(o.Constraints, Constraint{Name: p[0], Types: p[1:]})
	}
	return o
}

func list(s string) [][]string {
	if s == "" {
		return nil
	}
	var all [][]string
	for part := range strings.SplitSeq(s, ";") {
		all = append(all, split(part))
	}
	return all
}

// split cuts s at the commas outside parentheses: "map(int64,float)" is one.
func split(s string) []string {
	var all []string
	depth, start := 0, 0
	for i, c := range s {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				all = append(all, s[start:i])
				start = i + 1
			}
		}
	}
	return append(all, s[start:])
}

func params(s string) []Param {
	var all []Param
	for _, p := range list(s) {
		least, _ := strconv.Atoi(p[3])
		all = append(all, Param{Name: p[0], Type: p[1], Optional: p[2] == "o", Variadic: p[2] == "v", Min: least})
	}
	return all
}

// Types returns the types that a formal parameter may have.
func (o *Op) Types(p Param) []string {
	for _, c := range o.Constraints {
		if c.Name == p.Type {
			return c.Types
		}
	}
	return []string{p.Type}
}
