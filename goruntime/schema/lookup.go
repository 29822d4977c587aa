package schema

import (
	"iter"
	"strings"

	"github.com/goruntime/goruntime/goruntime/onnx"
)

// Lookup returns the schema of an operator that applies to an opset: the one of
// the greatest version that is not above it. "ai.onnx" and "" are one domain.
func Lookup(domain, name string, opset int64) (*Op, bool) {
	l, ok := applying(domain, name, opset)
	if !ok {
		return nil, false
	}
	return l.op(), true
}

// Since returns the version that applies to an opset without reading the rest
// of the schema, and whether it is deprecated.
func Since(domain, name string, opset int64) (since int, deprecated, ok bool) {
	l, ok := applying(domain, name, opset)
	if !ok {
		return 0, false, false
	}
	return l.since(), l.field(3) == "1", true
}

func applying(domain, name string, opset int64) (found line, ok bool) {
	for l := range versionsOf(domain, name) {
		if int64(l.since()) > opset {
			break
		}
		found, ok = l, true
	}
	return found, ok
}

// Versions returns the since_versions of an operator, ascending.
func Versions(domain, name string) []int {
	var all []int
	for l := range versionsOf(domain, name) {
		all = append(all, l.since())
	}
	return all
}

// MaxOpset returns the newest opset of a domain that the table has, 0 for a
// domain that the standard does not define.
func MaxOpset(domain string) int64 {
	opsets, _ := table()
	for part := range strings.SplitSeq(opsets, ",") {
		if d, version, _ := strings.Cut(part, " "); d == onnx.Domain(domain) {
			return int64(number(version))
		}
	}
	return 0
}

// Names returns the operators of a domain in the order of their names.
func Names(domain string) []string {
	var all []string
	for l := range every() {
		if l.field(0) != onnx.Domain(domain) {
			continue
		}
		if name := l.field(1); len(all) == 0 || all[len(all)-1] != name {
			all = append(all, name)
		}
	}
	return all
}

// All returns every version of every operator, ordered by domain, name and
// version.
func All() iter.Seq[*Op] {
	return func(yield func(*Op) bool) {
		for l := range every() {
			if !yield(l.op()) {
				return
			}
		}
	}
}

func every() iter.Seq[line] {
	return func(yield func(line) bool) {
		_, lines := table()
		for at := 0; at < len(lines); {
			l := lineAt(lines, at)
			if !yield(line{at, l}) {
				return
			}
			at += len(l) + 1
		}
	}
}
