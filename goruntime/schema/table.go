package schema

import (
	_ "embed" // schema.txt
	"iter"
	"strconv"
	"strings"
	"sync"

	"github.com/goruntime/goruntime/goruntime/onnx"
)

//go:embed schema.txt
var text string

// parsed holds the operators that were read, by the position of their line.
var parsed sync.Map // int -> *Op

// table returns the newest opsets and the lines of the operators.
func table() (opsets, lines string) {
	_, rest, _ := strings.Cut(text, "\n")
	opsets, lines, _ = strings.Cut(rest, "\n")
	return opsets, lines
}

// line is the text of one operator version.
type line struct {
	at   int // its position among the lines
	text string
}

// versionsOf yields the versions of an operator, ascending.
func versionsOf(domain, name string) iter.Seq[line] {
	return func(yield func(line) bool) {
		if strings.ContainsAny(domain, "\t\n") || strings.ContainsAny(name, "\t\n") {
			return // would run into other fields
		}
		_, lines := table()
		key := onnx.Domain(domain) + "\t" + name + "\t"
		for at := search(lines, key); strings.HasPrefix(lines[at:], key); {
			l := lineAt(lines, at)
			if !yield(line{at, l}) {
				return
			}
			at += len(l) + 1
		}
	}
}

// search returns the position of the first line that is not below key.
func search(lines, key string) int {
	lo, hi := 0, len(lines) // both at the start of a line
	for lo < hi {
		mid := lo + (hi-lo)/2
		mid = lo + strings.LastIndexByte(lines[lo:mid], '\n') + 1
		l := lineAt(lines, mid)
		if l < key {
			lo = mid + len(l) + 1
		} else {
			hi = mid
		}
	}
	return lo
}

func lineAt(lines string, at int) string {
	return lines[at : at+strings.IndexByte(lines[at:], '\n')]
}

// field returns the i-th field of a line.
func (l line) field(i int) string {
	s := l.text
	for range i {
		s = s[strings.IndexByte(s, '\t')+1:]
	}
	s, _, _ = strings.Cut(s, "\t")
	return s
}

func (l line) since() int { return number(l.field(2)) }

// number reads a number of the table, which the generator wrote.
func number(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

// op returns the operator of a line, reading it the first time.
func (l line) op() *Op {
	if o, ok := parsed.Load(l.at); ok {
		return o.(*Op)
	}
	o, _ := parsed.LoadOrStore(l.at, l.parse())
	return o.(*Op)
}

func (l line) parse() *Op {
	f := strings.Split(l.text, "\t")
	o := &Op{Domain: f[0], Name: f[1], SinceVersion: number(f[2]), Deprecated: f[3] == "1", Function: f[4] == "1"}
	o.Inputs, o.Outputs = params(f[5]), params(f[6])
	for _, p := range list(f[7]) {
		a := Attr{Name: p[0], Type: p[1], Required: p[2] == "1"}
		if len(p) > 3 {
			a.HasDefault, a.Default = true, unescape(p[3])
		}
		o.Attrs = append(o.Attrs, a)
	}
	for _, p := range list(f[8]) {
		o.Constraints = append(o.Constraints, Constraint{Name: p[0], Types: p[1:]})
	}
	return o
}

func params(s string) []Param {
	var all []Param
	for _, p := range list(s) {
		all = append(all, Param{
			Name: p[0], Type: p[1], Optional: p[2] == "o", Variadic: p[2] == "v" || p[2] == "h",
			Heterogeneous: p[2] == "h", Min: number(p[3]),
		})
	}
	return all
}

// list returns the parts of each element of a list.
func list(s string) [][]string {
	if s == "" {
		return nil
	}
	all := make([][]string, 0, strings.Count(s, ";")+1)
	for part := range strings.SplitSeq(s, ";") {
		all = append(all, split(part))
	}
	return all
}

// split cuts s at the commas outside parentheses: "map(int64,float)" is one.
func split(s string) []string {
	all := make([]string, 0, strings.Count(s, ",")+1)
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

// unescape replaces %XX by the character of that code.
func unescape(s string) string {
	before, after, found := strings.Cut(s, "%")
	if !found {
		return s
	}
	code, _ := strconv.ParseUint(after[:2], 16, 8)
	return before + string(rune(code)) + unescape(after[2:])
}
