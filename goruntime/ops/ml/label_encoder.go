package ml

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// negativeZero is the default of floating-point values.
var negativeZero = math.Copysign(0, -1)

// LabelEncoder maps each element by a list of keys to the value at the same place.
// Of equal keys the last counts; a NaN is any NaN.
// https://onnx.ai/onnx/operators/onnx_aionnxml_LabelEncoder.html
// Departures: none.
var LabelEncoder = op.Declare(Domain, "LabelEncoder", func() op.Def {
	return op.Def{
		Versions: op.Versions{2: "", 4: "tensors of further types"},
		Attrs: op.Attrs(op.Int("default_int64", -1), op.Float("default_float", float32(negativeZero)), op.String("default_string", "_Unused"), op.Tensor("default_tensor"),
			op.Ints("values_int64s"), op.Strings("values_strings"), op.Floats("values_floats"), op.Tensor("values_tensor"),
			op.Ints("keys_int64s"), op.Strings("keys_strings"), op.Floats("keys_floats"), op.Tensor("keys_tensor")),
		Shape: func(c *op.Infer) error {
			dtype, err := encodedType(c.Attr)
			c.SetOutput(0, dtype, c.In(0))
			return err
		},
		Prepare: func(c *op.Context) error {
			m := &mapping{}
			c.State = m
			keys, err := op.Row[keyReader](c)(c, m)
			if err != nil {
				return err
			}
			values := valueReaders[c.Out(0).DType]
			if values == nil {
				return errs.New(errs.Unsupported, "values of type %v are not supported", c.Out(0).DType)
			}
			n, err := values(c.Attr, m)
			if err == nil && n != keys {
				return errs.New(errs.Model, "%d keys and %d values given: they must be as many", keys, n)
			}
			return err
		},
		Run: runMapping,
		DTypes: op.ByType(map[tensor.DType]keyReader{
			tensor.Str: readKeys(func(a *op.Values) []string { return a.Strs("keys_strings") }), tensor.I64: readKeys(func(a *op.Values) []int64 { return int64s(a.Ints("keys_int64s")) }),
			tensor.F32: readKeys(func(a *op.Values) []float32 { return a.Floats("keys_floats") }),
			tensor.I32: readKeys[int32](nil), tensor.I16: readKeys[int16](nil), tensor.F64: readKeys[float64](nil),
		}),
	}
})

// encodedType is the element type of the values.
func encodedType(a *op.Values) (tensor.DType, error) {
	dtype, given := tensor.Undefined, 0
	for name, d := range map[string]tensor.DType{"values_int64s": tensor.I64, "values_strings": tensor.Str, "values_floats": tensor.F32} {
		if a.Has(name) {
			dtype = d
			given++
		}
	}
	if v := a.Tensor("values_tensor"); v != nil {
		dtype = v.DType
		given++
	}
	if given != 1 {
		return tensor.F32, errs.New(errs.Model, "%d of the values_ attributes are given: one is expected", given)
	}
	return dtype, nil
}

// keyReader sets the keys, which are of the input's type, and returns how many
// there are.
type keyReader func(c *op.Context, m *mapping) (int, error)

func readKeys[K comparable](list func(*op.Values) []K) keyReader {
	return func(c *op.Context, m *mapping) (int, error) {
		var keys []K
		if list != nil {
			keys = list(c.Attr)
		}
		if v := c.Attr.Tensor("keys_tensor"); v != nil {
			if v.DType != c.In(0).DType {
				return 0, errs.New(errs.Type, "keys_tensor is %v, X is %v: they must be alike", v.DType, c.In(0).DType)
			}
			keys = tensor.Elems[K](v)
		}
		if len(keys) == 0 {
			return 0, errs.New(errs.Model, "there are no keys of type %v, which X has", c.In(0).DType)
		}
		setKeys(m, keys)
		return len(keys), nil
	}
}

// valueReader sets the values and the default, and returns how many values there
// are.
type valueReader func(a *op.Values, m *mapping) (int, error)

var valueReaders = [tensor.NumDTypes]valueReader{
	tensor.Str: func(a *op.Values, m *mapping) (int, error) {
		values, missing := a.Strs("values_strings"), a.Str("default_string")
		if v := a.Tensor("values_tensor"); v != nil {
			values = tensor.Elems[string](v)
		}
		missing, err := orTensor(a, tensor.Str, missing)
		m.setTexts(values, missing)
		return len(values), err
	},
	tensor.I64: func(a *op.Values, m *mapping) (int, error) {
		return readValues(a, m, tensor.I64, int64s(a.Ints("values_int64s")), int64(a.Int("default_int64")))
	},
	tensor.F32: func(a *op.Values, m *mapping) (int, error) {
		return readValues(a, m, tensor.F32, a.Floats("values_floats"), a.Float("default_float"))
	},
	tensor.I32: func(a *op.Values, m *mapping) (int, error) { return readValues(a, m, tensor.I32, nil, int32(-1)) },
	tensor.I16: func(a *op.Values, m *mapping) (int, error) { return readValues(a, m, tensor.I16, nil, int16(-1)) },
	tensor.F64: func(a *op.Values, m *mapping) (int, error) { return readValues(a, m, tensor.F64, nil, negativeZero) },
}

func readValues[T any](a *op.Values, m *mapping, dtype tensor.DType, values []T, missing T) (int, error) {
	if v := a.Tensor("values_tensor"); v != nil {
		values = tensor.Elems[T](v)
	}
	missing, err := orTensor(a, dtype, missing)
	if err != nil {
		return 0, err
	}
	return len(values), setValues(m, dtype, values, missing)
}

// orTensor returns the element of default_tensor where it is given.
func orTensor[T any](a *op.Values, dtype tensor.DType, missing T) (T, error) {
	v := a.Tensor("default_tensor")
	if v == nil {
		return missing, nil
	}
	if v.DType != dtype || v.Elements() != 1 {
		return missing, errs.New(errs.Model, "default_tensor is %v: one element of type %v is expected", v, dtype)
	}
	return tensor.Elems[T](v)[0], nil
}

// LabelEncoder1 is LabelEncoder before version 2: strings to their places in a
// list, or places to strings.
var LabelEncoder1 = op.Declare(Domain, "LabelEncoder", func() op.Def {
	return op.Def{
		Versions: op.Versions{1: "strings and their places"},
		Attrs:    op.Attrs(op.Strings("classes_strings"), op.Int("default_int64", -1), op.String("default_string", "_Unused")),
		Shape:    CategoryMapper.Def().Shape,
		Prepare: func(c *op.Context) error {
			names := c.Attr.Strs("classes_strings")
			places := make([]int64, len(names))
			for i := range places {
				places[i] = int64(i)
			}
			return op.Row[namesMapper](c)(c, places, names)
		},
		Run: runMapping, DTypes: CategoryMapper.Def().DTypes,
	}
})
