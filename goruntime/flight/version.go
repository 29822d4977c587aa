package flight

import (
	"cmp"
	"strings"
	"unicode/utf8"
)

// newer reports whether version a comes after b: the numbers in them count as numbers, all
// else as text, so that v10 comes after v9, and 1.10 after 1.9.
func newer(a, b string) bool {
	for a != "" && b != "" {
		var x, y string
		x, a = run(a)
		y, b = run(b)
		if order := compare(x, y); order != 0 {
			return order > 0
		}
	}
	return a != ""
}

// run cuts off the digits that a text begins with, or else what is before the first digit.
func run(s string) (first, rest string) {
	digit := isDigit(s[0])
	n := strings.IndexFunc(s, func(r rune) bool { return (r < utf8.RuneSelf && isDigit(byte(r))) != digit })
	if n < 0 {
		n = len(s)
	}
	return s[:n], s[n:]
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// compare orders runs: numbers of any length by what they count, and before texts.
func compare(x, y string) int {
	if isDigit(x[0]) && isDigit(y[0]) {
		x, y := strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
		return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y))
	}
	return cmp.Compare(x, y)
}
