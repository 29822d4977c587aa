package ml

import (
	"slices"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// DictVectorizer turns a map into a row with one place for each word of a
// vocabulary.
// https://onnx.ai/onnx/operators/onnx_aionnxml_DictVectorizer.html   Departures:
// none. Where the specification is silent we do as onnxruntime: the row has shape
// [1, n], and a key that is not in the vocabulary is left out.
var DictVectorizer = op.Declare("ai.onnx.ml", "DictVectorizer", func() op.Def {
	return op.Def{
		Versions: op.Versions{1: ""},
		Attrs:    op.Attrs(op.Ints("int64_vocabulary"), op.Strings("string_vocabulary")),
		Control:  true,
		Computes: true,
		Run:      dictVectorizerRun,
	}
})

func dictVectorizerRun(c *op.Context) error {
	ints, texts := c.Attr.Ints("int64_vocabulary"), c.Attr.Strs("string_vocabulary")
	if (len(ints) > 0) == (len(texts) > 0) {
		return errs.New(errs.Model, "%d words in int64_vocabulary and %d in string_vocabulary: one of them must be set", len(ints), len(texts))
	}
	dtype := tensor.I64
	if len(texts) > 0 {
		dtype = tensor.Str
	}
	keys, vals, err := mapOf(c, dtype)
	if err != nil {
		return err
	}
	move := movers[[2]tensor.DType{vals.DType, vals.DType}]
	if move == nil {
		return errs.New(errs.Type, "the values of the map are %v: f32, f64, i64 or str expected", vals.DType)
	}
	out, err := c.MakeOutputTensor(0, vals.DType, tensor.Shape{1, len(ints) + len(texts)})
	if err != nil {
		return err
	}
	clear(out.Raw())
	for i := range keys.Elements() {
		at := -1
		if dtype == tensor.Str {
			at = slices.Index(texts, tensor.Elems[string](keys)[i])
		} else {
			at = slices.Index(ints, int(tensor.Elems[int64](keys)[i]))
		}
		if at < 0 {
			continue
		}
		if err := move(out, at, vals, i); err != nil {
			return err
		}
	}
	return nil
}
