package text

import (
	"regexp"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// RegexFullMatch tells which strings an expression of RE2's syntax matches from
// their start to their end.
// https://onnx.ai/onnx/operators/onnx__RegexFullMatch.html   Departures: none.
var RegexFullMatch = op.Declare("", "RegexFullMatch", func() op.Def {
	return op.Def{
		Versions: op.Versions{20: ""}, Attrs: op.Attrs(op.Optional("pattern", op.KindString)),
		Shape: func(c *op.Infer) error {
			c.SetOutput(0, tensor.Bool, c.In(0))
			return nil
		},
		Prepare: func(c *op.Context) error {
			pattern := c.Attr.Str("pattern")
			if _, err := newSearcher(pattern); err != nil {
				return err
			}
			r, err := regexp.Compile(`\A(?:` + pattern + `)\z`)
			if err != nil {
				return errs.New(errs.Argument, "the expression %q cannot be compiled: %v", pattern, err)
			}
			c.State = &matching{expression: r}
			return nil
		},
		Run: func(c *op.Context) error {
			m := c.State.(*matching)
			m.out, m.in = tensor.Elems[bool](c.Out(0)), tensor.Elems[string](c.In(0))
			c.For(len(m.in), 64, m)
			return nil
		},
		DTypes: op.Uniform(struct{}{}, tensor.Str),
	}
})

// matching is the State.
type matching struct {
	expression *regexp.Regexp
	out        []bool
	in         []string
}

// Chunk implements op.Task over the strings.
func (m *matching) Chunk(lo, hi int) {
	for i, s := range m.in[lo:hi] {
		m.out[lo+i] = m.expression.MatchString(s)
	}
}
