package text

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
)

func TestStringNormalizer(t *testing.T) {
	week := optest.Str(optest.Dims(4), "monday", "tuesday", "Monday", "ÉTÉ")
	row := optest.Str(optest.Dims(1, 3), "Ab", "cD", "")
	optest.Run(t, StringNormalizer, []optest.Case{
		{Name: "stop words", Attrs: optest.Attrs("stopwords", []string{"monday"}, "is_case_sensitive", 1), In: optest.In(week), Want: optest.Want(optest.Str(optest.Dims(3), "tuesday", "Monday", "ÉTÉ"))},
		{Name: "stop words of any case", Attrs: optest.Attrs("stopwords", []string{"MONDAY", "été"}), In: optest.In(week), Want: optest.Want(optest.Str(optest.Dims(1), "tuesday"))},
		{Name: "lower", Attrs: optest.Attrs("case_change_action", "LOWER"), In: optest.In(week), Want: optest.Want(optest.Str(optest.Dims(4), "monday", "tuesday", "monday", "été"))},
		{Name: "upper", Attrs: optest.Attrs("case_change_action", "UPPER", "locale", "tr_TR"), In: optest.In(row), Want: optest.Want(optest.Str(optest.Dims(1, 3), "AB", "CD", ""))},
		{Name: "upper without stop words", Attrs: optest.Attrs("case_change_action", "UPPER", "stopwords", []string{"ab"}), In: optest.In(row), Want: optest.Want(optest.Str(optest.Dims(1, 2), "CD", ""))},
		{Name: "nothing to do", In: optest.In(row), Want: optest.Want(row)},
		{Name: "nothing left", Attrs: optest.Attrs("stopwords", []string{"a"}), In: optest.In(optest.Str(optest.Dims(2), "A", "a")), Want: optest.Want(optest.Str(optest.Dims(1), ""))},
		{Name: "nothing left of a row", Attrs: optest.Attrs("stopwords", []string{"a"}, "case_change_action", "LOWER"), In: optest.In(optest.Str(optest.Dims(1, 1), "A")), Want: optest.Want(optest.Str(optest.Dims(1, 1), ""))},
		{Name: "nothing given", In: optest.In(optest.Str(optest.Dims(0))), Want: optest.Want(optest.Str(optest.Dims(1), ""))},
		{Name: "letters that change their length", Attrs: optest.Attrs("case_change_action", "LOWER"), In: optest.In(optest.Str(optest.Dims(2), "Ⱥ", "\xffA")), Want: optest.Want(optest.Str(optest.Dims(2), "ⱥ", "\xffa"))},
		{Name: "two rows", In: optest.In(optest.Str(optest.Dims(2, 1), "a", "b")), Err: "the input has shape [2, 1], [C] or [1, C] expected", Code: errs.Shape},
		{Name: "an unknown action", Attrs: optest.Attrs("case_change_action", "TITLE"), In: optest.In(row), Err: `case_change_action "TITLE" is none of NONE, LOWER, UPPER`, Code: errs.Argument},
	})
}

func TestStringConcat(t *testing.T) {
	optest.Run(t, StringConcat, []optest.Case{
		{Name: "alike", In: optest.In(optest.Str(optest.Dims(2), "a", ""), optest.Str(optest.Dims(2), "b", "ü")), Want: optest.Want(optest.Str(optest.Dims(2), "ab", "ü"))},
		{
			Name: "broadcast", In: optest.In(optest.Str(optest.Dims(2, 1), "a", "b"), optest.Str(optest.Dims(3), "1", "2", "3")),
			Want: optest.Want(optest.Str(optest.Dims(2, 3), "a1", "a2", "a3", "b1", "b2", "b3")),
		},
		{Name: "scalars", In: optest.In(optest.Str(nil, "x"), optest.Str(nil, "y")), Want: optest.Want(optest.Str(nil, "xy"))},
		{Name: "nothing", In: optest.In(optest.Str(optest.Dims(0)), optest.Str(optest.Dims(1), "y")), Want: optest.Want(optest.Str(optest.Dims(0)))},
		{Name: "other shapes", In: optest.In(optest.Str(optest.Dims(2), "a", "b"), optest.Str(optest.Dims(3), "a", "b", "c")), Err: "do not broadcast", Code: errs.Shape},
	})
}

// The expected values are those of Python's str.split.
func TestStringSplit(t *testing.T) {
	two := optest.Dims(2)
	optest.Run(t, StringSplit, []optest.Case{
		{Name: "a delimiter", Attrs: optest.Attrs("delimiter", "."), In: optest.In(optest.Str(two, "abc.com", "def.net.")), Want: optest.Want(optest.Str(optest.Dims(2, 3), "abc", "com", "", "def", "net", ""), optest.Ints(2, 3))},
		{Name: "white space", In: optest.In(optest.Str(two, " a  b\tc\u00a0", "  ")), Want: optest.Want(optest.Str(optest.Dims(2, 3), "a", "b", "c", "", "", ""), optest.Ints(3, 0))},
		{Name: "white space by an empty delimiter", Attrs: optest.Attrs("delimiter", ""), In: optest.In(optest.Str(two, "a b", "c")), Want: optest.Want(optest.Str(optest.Dims(2, 2), "a", "b", "c", ""), optest.Ints(2, 1))},
		{Name: "a limit", Attrs: optest.Attrs("delimiter", "-", "maxsplit", 1), In: optest.In(optest.Str(two, "a-b-c", "d")), Want: optest.Want(optest.Str(optest.Dims(2, 2), "a", "b-c", "d", ""), optest.Ints(2, 1))},
		{Name: "a limit of words", Attrs: optest.Attrs("maxsplit", 1), In: optest.In(optest.Str(two, "  a  b c ", "d ")), Want: optest.Want(optest.Str(optest.Dims(2, 2), "a", "b c ", "d", ""), optest.Ints(2, 1))},
		{Name: "no split", Attrs: optest.Attrs("delimiter", ",", "maxsplit", 0), In: optest.In(optest.Str(optest.Dims(1), "a,b")), Want: optest.Want(optest.Str(optest.Dims(1, 1), "a,b"), optest.Ints(1))},
		{Name: "a long delimiter", Attrs: optest.Attrs("delimiter", "::"), In: optest.In(optest.Str(nil, "a::b:c::")), Want: optest.Want(optest.Str(optest.Dims(3), "a", "b:c", ""), optest.I64(nil, 3))},
		{Name: "empty strings", Attrs: optest.Attrs("delimiter", ","), In: optest.In(optest.Str(two, "", ",")), Want: optest.Want(optest.Str(optest.Dims(2, 2), "", "", "", ""), optest.Ints(1, 2))},
		{Name: "no strings", In: optest.In(optest.Str(optest.Dims(2, 0))), Want: optest.Want(optest.Str(optest.Dims(2, 0, 0)), optest.I64(optest.Dims(2, 0)))},
		{Name: "counts alone", In: optest.In(optest.Str(two, "a b", "c")), Want: optest.Want(nil, optest.Ints(2, 1))},
	})
}

func TestRegexFullMatch(t *testing.T) {
	names := optest.Str(optest.Dims(2, 2), "www.google.com", "www.facebook.com", "www.bbc.co.uk", "")
	optest.Run(t, RegexFullMatch, []optest.Case{
		{Name: "a pattern", Attrs: optest.Attrs("pattern", `www\.[\w.-]+\.\bcom\b`), In: optest.In(names), Want: optest.Want(optest.Bool(optest.Dims(2, 2), true, true, false, false))},
		{Name: "alternatives", Attrs: optest.Attrs("pattern", "a|ab"), In: optest.In(optest.Str(optest.Dims(3), "ab", "a", "abc")), Want: optest.Want(optest.Bool(optest.Dims(3), true, true, false))},
		{Name: "a line's end is none of the string", Attrs: optest.Attrs("pattern", "(?m)a$"), In: optest.In(optest.Str(optest.Dims(2), "a\nb", "a")), Want: optest.Want(optest.Bool(optest.Dims(2), false, true))},
		{Name: "no pattern", In: optest.In(optest.Str(optest.Dims(2), "", "a")), Want: optest.Want(optest.Bool(optest.Dims(2), true, false))},
		{Name: "no strings", In: optest.In(optest.Str(optest.Dims(0))), Want: optest.Want(optest.Bool(optest.Dims(0)))},
		{Name: "no expression", Attrs: optest.Attrs("pattern", "a)|(b"), In: optest.In(names), Err: `the expression "a)|(b" is not of RE2's syntax`, Code: errs.Argument},
	})
}
