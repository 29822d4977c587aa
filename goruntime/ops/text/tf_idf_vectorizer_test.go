package text

import (
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// counts is the pool of the specification's node tests: 1-grams 2, 3, 5, 4 and
// 2-grams 5 6, 7 8, 6 7.
func counts(mode string, least, most, skips int, more ...any) []op.Value {
	return optest.Attrs(append([]any{
		"mode", mode, "min_gram_length", least, "max_gram_length", most, "max_skip_count", skips, "ngram_counts",
		[]int{0, 4},
		"ngram_indexes",
		[]int{0, 1, 2, 3, 4, 5, 6},
		"pool_int64s",
		[]int{2, 3, 5, 4, 5, 6, 7, 8, 6, 7},
	}, more...)...)
}

func TestTfIdfVectorizer(t *testing.T) {
	var cases []optest.Case
	for _, d := range []tensor.DType{tensor.I64, tensor.I32} {
		x := optest.Filled(d, optest.Dims(12), 1, 1, 3, 3, 3, 7, 8, 6, 7, 5, 6, 8)
		rows := optest.Filled(d, optest.Dims(2, 6), 1, 1, 3, 3, 3, 7, 8, 6, 7, 5, 6, 8)
		cases = append(cases,
			optest.Case{Name: d.String() + " 2-grams", Attrs: counts("TF", 2, 2, 0), In: optest.In(x), Want: optest.Want(optest.F32(optest.Dims(7), 0, 0, 0, 0, 1, 1, 1))},
			optest.Case{Name: d.String() + " 2-grams with skips", Attrs: counts("TF", 2, 2, 5), In: optest.In(x), Want: optest.Want(optest.F32(optest.Dims(7), 0, 0, 0, 0, 1, 3, 1))},
			optest.Case{Name: d.String() + " 2-grams with any skips", Attrs: counts("TF", 2, 2, math.MaxInt), In: optest.In(optest.Filled(d, optest.Dims(4), 5, 1, 1, 6)), Want: optest.Want(optest.F32(optest.Dims(7), 0, 0, 0, 0, 1, 0, 0))},
			optest.Case{Name: d.String() + " 1- and 2-grams with skips", Attrs: counts("TF", 1, 2, 5), In: optest.In(x), Want: optest.Want(optest.F32(optest.Dims(7), 0, 3, 1, 0, 1, 3, 1))},
			optest.Case{Name: d.String() + " rows", Attrs: counts("TF", 2, 2, 0), In: optest.In(rows), Want: optest.Want(optest.F32(optest.Dims(2, 7), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1))},
			optest.Case{Name: d.String() + " IDF", Attrs: counts("IDF", 1, 2, 0, "weights", []float32{9, 2, 3, 4, 5, 6, 7}), In: optest.In(x), Want: optest.Want(optest.F32(optest.Dims(7), 0, 2, 3, 0, 5, 6, 7))},
			optest.Case{Name: d.String() + " TFIDF", Attrs: counts("TFIDF", 1, 1, 0, "weights", []float32{9, 2, 3, 4, 5, 6, 7}), In: optest.In(x), Want: optest.Want(optest.F32(optest.Dims(7), 0, 6, 3, 0, 0, 0, 0))},
			optest.Case{Name: d.String() + " TFIDF without weights", Attrs: counts("TFIDF", 1, 1, 0), In: optest.In(x), Want: optest.Want(optest.F32(optest.Dims(7), 0, 3, 1, 0, 0, 0, 0))},
			optest.Case{Name: d.String() + " no items", Attrs: counts("TF", 1, 2, 0), In: optest.In(optest.Filled(d, optest.Dims(2, 0))), Want: optest.Want(optest.F32(optest.Dims(2, 7), make([]float32, 14)...))},
			optest.Case{Name: d.String() + " no rows", Attrs: counts("TF", 1, 2, 0), In: optest.In(optest.Filled(d, optest.Dims(0, 2))), Want: optest.Want(optest.F32(optest.Dims(0, 7)))},
		)
	}
	words := optest.Attrs("mode", "TFIDF", "min_gram_length", 1, "max_gram_length", 3, "max_skip_count", 1, "ngram_counts", []int{0, 2, 4}, "ngram_indexes", []int{3, 0, 1, 2},
		"pool_strings", []string{"a", "b", "a", "b", "a", "b", "c"}, "weights", []float32{1, 10, 100, 1000})
	x := optest.In(optest.Ints(1))
	optest.Run(t, TfIdfVectorizer, append(cases,
		// a b c: "a" and "b" once, "a b" once, "a b c" once.
		optest.Case{Name: "strings, weights by n-gram", Attrs: words, In: optest.In(optest.Str(optest.Dims(3), "a", "b", "c")), Want: optest.Want(optest.F32(optest.Dims(4), 10, 100, 1000, 1))},
		// a x b x c: "a b" and "a b c" with one item skipped.
		optest.Case{Name: "strings with skips", Attrs: words, In: optest.In(optest.Str(optest.Dims(1, 5), "a", "x", "b", "x", "c")), Want: optest.Want(optest.F32(optest.Dims(1, 4), 10, 100, 1000, 1))},
		optest.Case{Name: "an unknown mode", Attrs: counts("BM25", 1, 1, 0), In: x, Err: `mode "BM25" is none of TF, IDF, TFIDF`, Code: errs.Argument},
		optest.Case{Name: "lengths", Attrs: counts("TF", 2, 1, 0), In: x, Err: "n-grams of length 2 to 1 with up to 0 items skipped", Code: errs.Model},
		optest.Case{Name: "weights", Attrs: counts("IDF", 1, 1, 0, "weights", []float32{1}), In: x, Err: "1 weights given for 7 ngram_indexes", Code: errs.Model},
		optest.Case{Name: "a pool of another type", Attrs: words, In: x, Err: "7 pool_strings and 0 pool_int64s given for an input of type i64", Code: errs.Model},
		optest.Case{
			Name: "half an n-gram", Attrs: optest.Attrs("mode", "TF", "min_gram_length", 1, "max_gram_length", 2, "max_skip_count", 0, "ngram_counts", []int{0, 1}, "ngram_indexes", []int{0, 1}, "pool_int64s", []int{1, 2}),
			In: x, Err: "the 2-grams take the places 1 to 2 of a pool of 2 items", Code: errs.Model,
		},
		optest.Case{
			Name: "too few indexes", Attrs: optest.Attrs("mode", "TF", "min_gram_length", 1, "max_gram_length", 1, "max_skip_count", 0, "ngram_counts", []int{0}, "ngram_indexes", []int{0}, "pool_int64s", []int{1, 2}),
			In: x, Err: "the pool has more n-grams than the 1 ngram_indexes", Code: errs.Model,
		},
		optest.Case{
			Name: "no coordinate", Attrs: optest.Attrs("mode", "TF", "min_gram_length", 1, "max_gram_length", 1, "max_skip_count", 0, "ngram_counts", []int{0}, "ngram_indexes", []int{math.MaxInt}, "pool_int64s", []int{1}),
			In: x, Err: "ngram_indexes has 9223372036854775807 at position 0", Code: errs.Model,
		},
		optest.Case{Name: "a scalar", Attrs: counts("TF", 1, 1, 0), In: optest.In(optest.I64(nil, 1)), Err: "the input has shape [], [C] or [N, C] expected", Code: errs.Shape},
	))
}
