package text

import (
	"unicode"
	"unicode/utf8"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// StringNormalizer removes stop words and changes the case of the rest, character
// by character as Unicode maps them. Where nothing is left there is one empty
// string.
// https://onnx.ai/onnx/operators/onnx__StringNormalizer.html
// Departures: none. The attribute locale changes nothing.
var StringNormalizer = op.Declare("", "StringNormalizer", func() op.Def {
	return op.Def{
		Versions: op.Versions{10: ""},
		Attrs:    op.Attrs(op.String("case_change_action", "NONE"), op.Int("is_case_sensitive", 0), op.Optional("locale", op.KindString), op.Strings("stopwords")),
		Computes: true,
		Prepare: func(c *op.Context) error {
			n, err := newNormalizer(c.Attr)
			c.State = n
			return err
		},
		Run:    func(c *op.Context) error { return c.State.(*normalizer).run(c) },
		DTypes: op.Uniform(struct{}{}, tensor.Str),
	}
})

// casing maps a character.
type casing func(rune) rune

var casings = map[string]casing{"NONE": nil, "LOWER": unicode.ToLower, "UPPER": unicode.ToUpper}

// normalizer is the State.
type normalizer struct {
	change    casing
	sensitive bool
	stop      map[string]bool // in lower case where case does not count
	kept      []int
	buffer    []byte
	shape     [2]int
}

func newNormalizer(a *op.Values) (*normalizer, error) {
	name := a.Str("case_change_action")
	change, ok := casings[name]
	if !ok {
		return nil, errs.New(errs.Argument, "case_change_action %q is none of NONE, LOWER, UPPER", name)
	}
	n := &normalizer{change: change, sensitive: a.Bool("is_case_sensitive"), stop: map[string]bool{}}
	for _, w := range a.Strs("stopwords") {
		if !n.sensitive {
			w = string(appendCased(nil, w, unicode.ToLower))
		}
		n.stop[w] = true
	}
	return n, nil
}

// appendCased appends s with each character mapped; what is not UTF-8 stays.
func appendCased(dst []byte, s string, change casing) []byte {
	for len(s) > 0 {
		c, size := utf8.DecodeRuneInString(s)
		if c == utf8.RuneError && size <= 1 {
			dst = append(dst, s[0])
		} else {
			dst = utf8.AppendRune(dst, change(c))
		}
		s = s[size:]
	}
	return dst
}

func (n *normalizer) stops(s string) bool {
	if len(n.stop) == 0 {
		return false
	}
	if n.sensitive {
		return n.stop[s]
	}
	n.buffer = appendCased(n.buffer[:0], s, unicode.ToLower)
	return n.stop[string(n.buffer)]
}

func (n *normalizer) run(c *op.Context) error {
	x := c.In(0)
	rank := len(x.Shape)
	if rank != 1 && (rank != 2 || x.Shape[0] != 1) {
		return errs.New(errs.Shape, "the input has shape %v, [C] or [1, C] expected", x.Shape)
	}
	n.kept = n.kept[:0]
	words := tensor.Elems[string](x)
	for i, s := range words {
		if !n.stops(s) {
			n.kept = append(n.kept, i)
		}
	}
	n.shape[0], n.shape[rank-1] = 1, max(1, len(n.kept))
	y, err := c.MakeOutputTensor(0, tensor.Str, n.shape[:rank])
	if err != nil {
		return err
	}
	out := tensor.Elems[tensor.Text](y)
	out[0] = tensor.Text{}
	if n.change == nil {
		from := tensor.Elems[tensor.Text](x)
		for k, i := range n.kept {
			out[k] = from[i]
		}
		return nil
	}
	return n.convert(c, out, words)
}

// convert writes the words that are kept in their new case.
func (n *normalizer) convert(c *op.Context, out []tensor.Text, words []string) error {
	n.buffer = n.buffer[:0]
	for k, i := range n.kept {
		before := len(n.buffer)
		n.buffer = appendCased(n.buffer, words[i], n.change)
		out[k] = tensor.Text{uint64(before), uint64(len(n.buffer) - before)}
	}
	room, err := c.Text(0, len(n.buffer))
	if err != nil {
		return err
	}
	copy(room, n.buffer)
	for k := range n.kept {
		from, size := int(out[k][0]), int(out[k][1])
		out[k] = tensor.TextOf(room[from : from+size])
	}
	return nil
}
