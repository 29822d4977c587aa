package arrowio

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/exec"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// fits refuses a fill that is no value of the columns that may feed an input: those of its
// type or of the types that are cast to it, and those that are declared.
func (m *Manifest) fits(in exec.Info) error {
	rule := m.Inputs[in.Name]
	if rule.Fill == nil {
		return nil
	}
	refuse := func(d tensor.DType, whose string) error {
		return errs.New(errs.Type, "the manifest's inputs.%s.fill is %#v: a value of type %v expected, as %s", in.Name, rule.Fill, d, whose)
	}
	for _, name := range append([]string{in.Name}, rule.Columns...) {
		if m.Schema == nil {
			break
		}
		if t := declared(m.Schema.Inputs, name); t != nil {
			if d, _ := elementOf(t); fillable(d, rule.Fill) != nil {
				return refuse(d, fmt.Sprintf("its schema has for the column %q", name))
			}
		}
	}
	if in.Type == nil || in.Type.Elem == tensor.Undefined || fillable(in.Type.Elem, rule.Fill) == nil {
		return nil
	}
	for d := range arrowTypes {
		if rule.Cast && castable(d, in.Type.Elem) && fillable(d, rule.Fill) == nil {
			return nil
		}
	}
	return refuse(in.Type.Elem, "the model has for the input")
}

// fillers write a fill value of a manifest to element i; they report whether it is one
// of the element type.
var fillers = map[tensor.DType]func(v *tensor.View, i int, fill any) bool{
	tensor.F32: fillNumber[float32], tensor.F64: fillNumber[float64],
	tensor.I8: fillNumber[int8], tensor.I16: fillNumber[int16], tensor.I32: fillNumber[int32], tensor.I64: fillNumber[int64],
	tensor.U8: fillNumber[uint8], tensor.U16: fillNumber[uint16], tensor.U32: fillNumber[uint32], tensor.U64: fillNumber[uint64],
	tensor.F16:  fillHalf,
	tensor.Bool: fillBool,
}

func fillNumber[T number](v *tensor.View, i int, fill any) bool {
	x, ok := asNumber(fill)
	if ok = ok && fits[T](x); ok {
		tensor.Elems[T](v)[i] = T(x)
	}
	return ok
}

// fits reports whether a number is one of T, whose floats may round it: whole and within
// the bounds, where T is whole.
func fits[T number](x float64) bool {
	if float[T]() {
		return held(x, T(x))
	}
	var zero T
	bits := 8 * int(unsafe.Sizeof(zero))
	low, high := 0.0, math.Ldexp(1, bits)
	if zero-1 < 0 {
		low, high = -math.Ldexp(1, bits-1), math.Ldexp(1, bits-1)
	}
	return x == math.Trunc(x) && low <= x && x < high
}

// fillable refuses a fill that is no value of the element type.
func fillable(d tensor.DType, fill any) error {
	if d == tensor.Str {
		if _, ok := fill.(string); !ok {
			return errs.New(errs.Type, "the fill %v (%T) is no string: a value of the column's type expected", fill, fill)
		}
		return nil
	}
	var room uint64
	v := tensor.View{DType: d, Shape: tensor.Shape{1}, Data: unsafe.Pointer(&room)}
	if put := fillers[d]; put == nil || !put(&v, 0, fill) {
		return errs.New(errs.Type, "the fill %v (%T) is no %v: a value of the column's type expected", fill, fill, d)
	}
	return nil
}

// asNumber returns a number of JSON or of a Go program.
func asNumber(fill any) (float64, bool) {
	switch x := fill.(type) {
	case float64:
		return x, true
	case float32:
		return float64(x), true
	case int:
		return float64(x), true
	case int64:
		return float64(x), true
	}
	return 0, false
}

func fillHalf(v *tensor.View, i int, fill any) bool {
	x, ok := asNumber(fill)
	return ok && setters[tensor.F16](v, i, x)
}

func fillBool(v *tensor.View, i int, fill any) bool {
	x, ok := fill.(bool)
	if ok {
		tensor.Elems[bool](v)[i] = x
	}
	return ok
}
