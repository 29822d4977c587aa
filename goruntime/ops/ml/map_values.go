package ml

import (
	"math"
	"strconv"
	"strings"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
	"github.com/goruntime/goruntime/goruntime/values"
)

// mapOf returns the keys and values of input 0, which must be a map with keys of
// this type.
func mapOf(c *op.Context, keys tensor.DType) (k, v *tensor.View, err error) {
	items, err := c.Items(0, values.Map)
	if err != nil {
		return nil, nil, err
	}
	k, v = &items[0].View, &items[1].View
	if k.DType != keys {
		return nil, nil, errs.New(errs.Type, "the keys of the map are %v, %v expected", k.DType, keys)
	}
	return k, v, nil
}

// mover writes value i of a map to element at of a tensor.
type mover func(out *tensor.View, at int, in *tensor.View, i int) error

// movers are the ways from one element type to another.
var movers = map[[2]tensor.DType]mover{
	{tensor.F32, tensor.F32}: same[float32], {tensor.F64, tensor.F64}: same[float64],
	{tensor.I64, tensor.I64}: same[int64], {tensor.Str, tensor.Str}: same[tensor.Text],
	{tensor.F32, tensor.I64}: truncated, {tensor.Str, tensor.F32}: parsedFloat, {tensor.Str, tensor.I64}: parsedInt,
}

func same[T any](out *tensor.View, at int, in *tensor.View, i int) error {
	tensor.Elems[T](out)[at] = tensor.Elems[T](in)[i]
	return nil
}

func truncated(out *tensor.View, at int, in *tensor.View, i int) error {
	x := float64(tensor.Elems[float32](in)[i])
	if math.IsNaN(x) || x < math.MinInt64 || x >= math.MaxInt64 {
		return errs.New(errs.Compute, "the value %v at position %d fits no i64", x, i)
	}
	tensor.Elems[int64](out)[at] = int64(x)
	return nil
}

func parsedFloat(out *tensor.View, at int, in *tensor.View, i int) error {
	text := tensor.Elems[string](in)[i]
	x, err := strconv.ParseFloat(strings.TrimSpace(text), 32)
	if err != nil && !math.IsInf(x, 0) { // too large a number is an infinity
		return errs.New(errs.Compute, "the string %q at position %d is not a number", text, i)
	}
	tensor.Elems[float32](out)[at] = float32(x)
	return nil
}

func parsedInt(out *tensor.View, at int, in *tensor.View, i int) error {
	text := tensor.Elems[string](in)[i]
	x, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil {
		return errs.New(errs.Compute, "the string %q at position %d is not an integer of 64 bits", text, i)
	}
	tensor.Elems[int64](out)[at] = x
	return nil
}
