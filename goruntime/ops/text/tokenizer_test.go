package text

import (
	"regexp"
	"strings"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/op"
)

// tokens are attributes of a node; of equal names the first counts.
func tokens(more ...any) []op.Value {
	return optest.Attrs(append(more, "mark", 0, "mincharnum", 1, "pad_value", "#")...)
}

// What comes out was computed by ONNX Runtime 1.32.
func TestTokenizer(t *testing.T) {
	one := func(words ...string) []string { return words }
	for _, c := range []struct {
		name   string
		attrs  []op.Value
		in     []string
		tokens int
		want   []string
	}{
		{"characters", tokens("separators", one("")), one("ab c", "d"), 4, one("a", "b", " ", "c", "d", "#", "#", "#")},
		{"characters of several bytes", tokens("separators", one("")), one("üA", "漢"), 2, one("ü", "A", "漢", "#")},
		{"a separator", tokens("separators", one(" ")), one("a b  c", "d"), 3, one("a", "b", "c", "d", "#", "#")},
		{"separators are expressions", tokens("separators", one(" ", ",|;")), one("a b,c;d", "d"), 4, one("a", "b", "c", "d", "d", "#", "#", "#")},
		{"a separator in another", tokens("separators", one("X", "XX")), one("aXXbXc", "X"), 3, one("a", "b", "c", "#", "#", "#")},
		{"short tokens", tokens("separators", one(" "), "mincharnum", 2), one("abc de f", "ghi"), 2, one("abc", "de", "ghi", "#")},
		{"a separator that matches nothing", tokens("separators", one("x*")), one("abc", "d"), 0, nil},
		{"a separator at the start", tokens("separators", one("^a")), one("ab ab"), 1, one("b ab")},
		{"an empty match takes a character", tokens("separators", one("^")), one("a\n^b"), 1, one("\n^b")},
		{"tokens", tokens("tokenexp", "[a-z]+"), one("abc de f", "1"), 3, one("abc", "de", "f", "#", "#", "#")},
		{"tokens that are too short", tokens("tokenexp", "[a-z]+", "mincharnum", 2), one("abc de f"), 2, one("abc", "de")},
		{"the search goes on within a token", tokens("tokenexp", "ab|bcd", "mincharnum", 3), one("abcd abc"), 1, one("bcd")},
		{"empty tokens", tokens("tokenexp", "x*"), one("abxd abc"), 1, one("x")},
		{"what stands before counts", tokens("tokenexp", `\b\w`), one("abcd abc"), 2, one("a", "a")},
		{"words are of ASCII", tokens("tokenexp", `\w+`), one("über Ähre"), 2, one("ber", "hre")},
		{"any character", tokens("tokenexp", "."), one("üb"), 2, one("ü", "b")},
		{"separators win", tokens("tokenexp", "a", "separators", one(" ")), one("a b"), 2, one("a", "b")},
	} {
		shape := optest.Dims(len(c.in))
		optest.Run(t, Tokenizer, []optest.Case{
			{Name: c.name, Attrs: c.attrs, In: optest.In(optest.Str(shape, c.in...)), Want: optest.Want(optest.Str(optest.Dims(len(c.in), c.tokens), c.want...))},
			{Name: c.name + " in a row", Attrs: c.attrs, In: optest.In(optest.Str(optest.Dims(1, len(c.in)), c.in...)), Want: optest.Want(optest.Str(optest.Dims(1, len(c.in), c.tokens), c.want...))},
		})
	}
	marked := tokens("separators", one(" "), "mark", 1)
	x := optest.In(optest.Str(optest.Dims(1), "a"))
	optest.Run(t, Tokenizer, []optest.Case{
		{Name: "marks", Attrs: marked, In: optest.In(optest.Str(optest.Dims(2), "a b", "")), Want: optest.Want(optest.Str(optest.Dims(2, 4), "\x02", "a", "b", "\x03", "\x02", "\x03", "#", "#"))},
		{Name: "no tokens, no marks", Attrs: marked, In: optest.In(optest.Str(optest.Dims(2), " ", "")), Want: optest.Want(optest.Str(optest.Dims(2, 0)))},
		{Name: "no strings", Attrs: marked, In: optest.In(optest.Str(optest.Dims(2, 0))), Want: optest.Want(optest.Str(optest.Dims(2, 0)))},
		{Name: "a scalar", Attrs: marked, In: optest.In(optest.Str(nil, "a")), Err: "the input has shape [], [C] or [N, C] expected", Code: errs.Shape},
		{Name: "not UTF-8", Attrs: marked, In: optest.In(optest.Str(optest.Dims(2), "a", "\xff")), Err: "the string at position 1 is not UTF-8", Code: errs.Compute},
		{Name: "no way to cut", Attrs: tokens(), In: x, Err: "neither separators nor tokenexp is given", Code: errs.Model},
		{Name: "no expression", Attrs: tokens("tokenexp", "("), In: x, Err: `the expression "(" is not of RE2's syntax`, Code: errs.Argument},
		{Name: "no separator", Attrs: tokens("separators", one("a", "(")), In: x, Err: `the expression "(" is not of RE2's syntax`, Code: errs.Argument},
		{
			Name: "too long for the expression", Attrs: tokens("tokenexp", "(?:x{1000}y)+"), In: optest.In(optest.Str(optest.Dims(1), strings.Repeat("x", 1<<21))),
			Err: "a string of 2097152 bytes is too long for an expression of", Code: errs.Compute,
		},
		{Name: "long characters", Attrs: tokens("separators", one(""), "mincharnum", 2), In: x, Err: "mincharnum is 2: tokens of one character have at most 1", Code: errs.Model},
	})
}

// The matches in a string are those of package regexp.
func TestSearcherFindsWhatRegexpDoes(t *testing.T) {
	texts := []string{"", "a", "abab", "aaab", "über  grün\nab", "foo.bar@baz_1", strings.Repeat("ab", 50) + "c", "x\n\ny"}
	for _, pattern := range []string{
		"a", "ab|a", "a|ab", "a*", "a+?", "(a|b)*c", "(?:a*)*b", `\w+`, `\b\w`, `\B`, "^a", "b$", "(?m)^.", "(?s)..", ".", "[^a]+", `\p{L}+`, "(?i)AB", "x{2,3}|a{2}", "", `\z`, "(a*)+$",
	} {
		r, err := newSearcher(pattern)
		if err != nil {
			t.Fatal(err)
		}
		re := regexp.MustCompile(pattern)
		for _, s := range texts {
			if err := r.in(s); err != nil {
				t.Fatal(err)
			}
			from := 0
			for _, m := range re.FindAllStringIndex(s, -1) {
				start, end := r.find(from)
				if start == m[0] && end == from && start == end && from > 0 { // package regexp takes no empty match behind another
					start, end = r.find(from)
				}
				for start >= 0 && start < m[0] && start == end {
					start, end = r.find(start + 1)
				}
				if start != m[0] || end != m[1] {
					t.Fatalf("%q in %q from %d: found [%d, %d], want %v", pattern, s, from, start, end, m)
				}
				if from = end; start == end {
					from++
				}
			}
		}
	}
}

func TestSearchesTakeLinearTimeAndNoMemory(t *testing.T) {
	r, err := newSearcher("(a*)*b|c")
	if err != nil {
		t.Fatal(err)
	}
	s := strings.Repeat("a", 5000) + strings.Repeat("c", 5000)
	search := func() {
		if err := r.in(s); err != nil {
			t.Error(err)
		}
		n := 0
		for from := 0; ; n++ {
			_, end := r.find(from)
			if end < 0 {
				break
			}
			from = end
		}
		if n != 5000 {
			t.Errorf("%d matches, want 5000", n)
		}
	}
	search()
	if n := testing.AllocsPerRun(2, search); n != 0 {
		t.Errorf("searching again allocates %v times", n)
	}
}
