package ml

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// CategoryMapper maps strings to whole numbers or whole numbers to strings by two
// lists.
// https://onnx.ai/onnx/operators/onnx_aionnxml_CategoryMapper.html
// Departures: none.
var CategoryMapper = op.Declare(Domain, "CategoryMapper", func() op.Def {
	return op.Def{
		Versions: op.Versions{1: ""},
		Attrs:    op.Attrs(op.Ints("cats_int64s"), op.Strings("cats_strings"), op.Int("default_int64", -1), op.String("default_string", "_Unused")),
		Shape: func(c *op.Infer) error {
			c.SetOutput(0, otherKind[c.DType(0)], c.In(0))
			return nil
		},
		Prepare: func(c *op.Context) error {
			ints, strings := int64s(c.Attr.Ints("cats_int64s")), c.Attr.Strs("cats_strings")
			if len(ints) != len(strings) {
				return errs.New(errs.Model, "%d cats_int64s and %d cats_strings given: they must be as many", len(ints), len(strings))
			}
			return op.Row[namesMapper](c)(c, ints, strings)
		},
		Run:    runMapping,
		DTypes: op.ByType(map[tensor.DType]namesMapper{tensor.Str: namesToNumbers, tensor.I64: numbersToNames}),
	}
})

// otherKind is what the elements of a type are mapped to.
var otherKind = [tensor.NumDTypes]tensor.DType{tensor.Str: tensor.I64, tensor.I64: tensor.Str}

// namesMapper makes the State of a mapping between numbers and names.
type namesMapper func(c *op.Context, numbers []int64, names []string) error

func namesToNumbers(c *op.Context, numbers []int64, names []string) error {
	m := &mapping{}
	setKeys(m, names)
	c.State = m
	return setValues(m, tensor.I64, numbers, int64(c.Attr.Int("default_int64")))
}

func numbersToNames(c *op.Context, numbers []int64, names []string) error {
	m := &mapping{}
	setKeys(m, numbers)
	m.setTexts(names, c.Attr.Str("default_string"))
	c.State = m
	return nil
}
