package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// StringSplit cuts each string at a delimiter, or at runs of white space, and
// counts the parts; the last dimension is that of the most parts, filled with empty
// strings.
// https://onnx.ai/onnx/operators/onnx__StringSplit.html   Departures: none.
var StringSplit = op.Declare("", "StringSplit", func() op.Def {
	return op.Def{
		Versions: op.Versions{20: ""}, Attrs: op.Attrs(op.Optional("delimiter", op.KindString), op.Optional("maxsplit", op.KindInt)),
		Computes: true,
		Prepare: func(c *op.Context) error {
			s := &splitter{delimiter: c.Attr.Str("delimiter"), most: -1}
			if c.Attr.Has("maxsplit") {
				s.most = c.Attr.Int("maxsplit")
			}
			c.State = s
			return nil
		},
		Run:    func(c *op.Context) error { return c.State.(*splitter).run(c) },
		DTypes: op.Uniform(struct{}{}, tensor.Str),
	}
})

// splitter is the State.
type splitter struct {
	delimiter string
	most      int // splits of a string, negative for all
	spans     []span
	counts    []int
	shape     []int
}

func (s *splitter) run(c *op.Context) error {
	x := c.In(0)
	s.spans, s.counts = s.spans[:0], s.counts[:0]
	most := 0
	for _, text := range tensor.Elems[string](x) {
		before := len(s.spans)
		if s.delimiter == "" {
			s.words(text)
		} else {
			s.parts(text)
		}
		n := len(s.spans) - before
		s.counts = append(s.counts, n)
		most = max(most, n)
	}
	if c.Wants(0) {
		s.shape = append(append(s.shape[:0], x.Shape...), most)
		y, err := c.MakeOutputTensor(0, tensor.Str, s.shape)
		if err != nil {
			return err
		}
		s.write(tensor.Elems[tensor.Text](y), tensor.Elems[tensor.Text](x), most)
	}
	if !c.Wants(1) {
		return nil
	}
	z, err := c.MakeOutputTensor(1, tensor.I64, x.Shape)
	if err != nil {
		return err
	}
	out := tensor.Elems[int64](z)
	for i, n := range s.counts {
		out[i] = int64(n)
	}
	return nil
}

func (s *splitter) write(out, in []tensor.Text, most int) {
	clear(out)
	spans := s.spans
	for i, n := range s.counts {
		for k, p := range spans[:n] {
			out[i*most+k] = part(in[i], p.from, p.to)
		}
		spans = spans[n:]
	}
}

// parts cuts at the delimiter.
func (s *splitter) parts(text string) {
	from := 0
	for left := s.most; left != 0; left-- {
		at := strings.Index(text[from:], s.delimiter)
		if at < 0 {
			break
		}
		s.spans = append(s.spans, span{from, from + at})
		from += at + len(s.delimiter)
	}
	s.spans = append(s.spans, span{from, len(text)})
}

// words cuts at white space. What is left after the last split begins with a word
// and keeps the white space behind it, as in Python.
func (s *splitter) words(text string) {
	at := skip(text, 0, true)
	for left := s.most; at < len(text); left-- {
		if left == 0 {
			s.spans = append(s.spans, span{at, len(text)})
			return
		}
		end := skip(text, at, false)
		s.spans = append(s.spans, span{at, end})
		at = skip(text, end, true)
	}
}

// skip returns the first place from at on that is white space or not.
func skip(text string, at int, space bool) int {
	for at < len(text) {
		c, size := utf8.DecodeRuneInString(text[at:])
		if unicode.IsSpace(c) != space {
			break
		}
		at += size
	}
	return at
}
