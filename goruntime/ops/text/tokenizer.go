package text

import (
	"unicode/utf8"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Tokenizer cuts strings into tokens: at separators, which are expressions applied
// one after the other, or into characters where the only separator is empty, or
// into the matches of tokenexp. Rows are filled with pad_value; mark puts characters
// 2 and 3 around the tokens.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.Tokenizer
// Departures: none.
var Tokenizer = op.Declare("com.microsoft", "Tokenizer", func() op.Def {
	return op.Def{
		Versions: op.Versions{1: ""}, Needs: []int{0},
		Attrs: op.Attrs(op.Required("mark", op.KindInt), op.Required("mincharnum", op.KindInt), op.Required("pad_value", op.KindString),
			op.Strings("separators"), op.Optional("tokenexp", op.KindString)),
		Computes: true,
		Prepare: func(c *op.Context) error {
			t, err := newTokenizer(c.Attr)
			c.State = t
			return err
		},
		Run:    func(c *op.Context) error { return c.State.(*tokenizer).run(c) },
		DTypes: op.Uniform(struct{}{}, tensor.Str),
	}
})

// The marks at the start and end of the tokens.
const startMark, endMark = "\x02", "\x03"

// span is a part of a string.
type span struct{ from, to int }

// tokenizer is the State.
type tokenizer struct {
	mark       bool
	least      int // characters of a token
	pad        string
	characters bool
	token      *searcher
	separators []*searcher

	spans, room []span // of all strings, and of one
	counts      []int
	shape       [3]int
}

func newTokenizer(a *op.Values) (*tokenizer, error) {
	t := &tokenizer{mark: a.Bool("mark"), least: a.Int("mincharnum"), pad: a.Str("pad_value")}
	list := a.Strs("separators")
	if len(list) == 0 && a.Str("tokenexp") == "" {
		return nil, errs.New(errs.Model, "neither separators nor tokenexp is given")
	}
	if len(list) == 1 && list[0] == "" {
		if t.least > 1 {
			return nil, errs.New(errs.Model, "mincharnum is %d: tokens of one character have at most 1", t.least)
		}
		t.characters = true
		return t, nil
	}
	for _, s := range list {
		r, err := newSearcher(s)
		if err != nil {
			return nil, err
		}
		t.separators = append(t.separators, r)
	}
	if len(list) > 0 {
		return t, nil
	}
	var err error
	t.token, err = newSearcher(a.Str("tokenexp"))
	return t, err
}

func (t *tokenizer) run(c *op.Context) error {
	x := c.In(0)
	rank := len(x.Shape)
	if rank != 1 && rank != 2 {
		return errs.New(errs.Shape, "the input has shape %v, [C] or [N, C] expected", x.Shape)
	}
	if x.Elements() == 0 { // the output has then no dimension more, as ONNX Runtime has it
		_, err := c.MakeOutputTensor(0, tensor.Str, x.Shape)
		return err
	}
	t.spans, t.counts = t.spans[:0], t.counts[:0]
	most := 0
	for i, s := range tensor.Elems[string](x) {
		if !utf8.ValidString(s) {
			return errs.New(errs.Compute, "the string at position %d is not UTF-8", i)
		}
		before := len(t.spans)
		if err := t.cut(s); err != nil {
			return err
		}
		t.counts = append(t.counts, len(t.spans)-before)
		most = max(most, len(t.spans)-before)
	}
	if t.mark && most > 0 {
		most += 2
	}
	copy(t.shape[:], x.Shape)
	t.shape[rank] = most
	y, err := c.MakeOutputTensor(0, tensor.Str, t.shape[:rank+1])
	if err != nil || most == 0 {
		return err
	}
	return t.write(c, y, x, most)
}

// write fills the rows of the output, each with so many tokens.
func (t *tokenizer) write(c *op.Context, y, x *tensor.View, most int) error {
	fixed, err := c.Text(0, len(startMark)+len(endMark)+len(t.pad))
	if err != nil {
		return err
	}
	copy(fixed, startMark+endMark)
	copy(fixed[2:], t.pad)
	start, end, pad := tensor.TextOf(fixed[:1]), tensor.TextOf(fixed[1:2]), tensor.TextOf(fixed[2:])
	out, spans := tensor.Elems[tensor.Text](y), t.spans
	for i, text := range tensor.Elems[tensor.Text](x) {
		row := out[i*most : (i+1)*most]
		if t.mark {
			row[0] = start
			row = row[1:]
		}
		for k, s := range spans[:t.counts[i]] {
			row[k] = part(text, s.from, s.to)
		}
		row, spans = row[t.counts[i]:], spans[t.counts[i]:]
		if t.mark {
			row[0] = end
			row = row[1:]
		}
		for k := range row {
			row[k] = pad
		}
	}
	return nil
}

// part is a part of a string, in the same memory.
func part(t tensor.Text, from, to int) tensor.Text {
	return tensor.Text{t[0] + uint64(from), uint64(to - from)}
}

// cut appends the tokens of s to spans.
func (t *tokenizer) cut(s string) error {
	switch {
	case t.characters:
		for i, c := range s {
			t.spans = append(t.spans, span{i, i + utf8.RuneLen(c)})
		}
		return nil
	case t.token != nil:
		return t.search(s)
	default:
		return t.separate(s)
	}
}

// search appends the matches of the token expression. After one that is too short
// the search goes on at the next character.
func (t *tokenizer) search(s string) error {
	if err := t.token.in(s); err != nil {
		return err
	}
	for from := 0; from < len(s); {
		start, end := t.token.find(from)
		if start < 0 {
			break
		}
		if end > start && utf8.RuneCountInString(s[start:end]) >= t.least {
			t.spans = append(t.spans, span{start, end})
			from = end
			continue
		}
		_, size := utf8.DecodeRuneInString(s[start:])
		from = start + max(1, size)
	}
	return nil
}

// separate appends what lies between separators: each cuts the parts that those
// before it left.
func (t *tokenizer) separate(s string) error {
	first := len(t.spans)
	if len(s) > 0 {
		t.spans = append(t.spans, span{0, len(s)})
	}
	for _, r := range t.separators {
		t.room = append(t.room[:0], t.spans[first:]...)
		t.spans = t.spans[:first]
		for _, p := range t.room {
			if err := t.split(s[p.from:p.to], p.from, r); err != nil {
				return err
			}
		}
	}
	return nil
}

// split appends the parts of s, which starts at a place of the string. An empty
// match takes the character behind it away.
func (t *tokenizer) split(s string, at int, r *searcher) error {
	if err := r.in(s); err != nil {
		return err
	}
	from := 0
	for from <= len(s) {
		start, end := r.find(from)
		if start < 0 {
			break
		}
		t.keep(s, at, from, start)
		if end == start {
			_, size := utf8.DecodeRuneInString(s[start:])
			end += max(1, size)
		}
		from = end
	}
	if from < len(s) {
		t.keep(s, at, from, len(s))
	}
	return nil
}

func (t *tokenizer) keep(s string, at, from, to int) {
	if to > from && utf8.RuneCountInString(s[from:to]) >= t.least {
		t.spans = append(t.spans, span{at + from, at + to})
	}
}
