//go:build ort && cgo

package ortengine

import (
	"github.com/goruntime/goruntime/goruntime/exec"
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// outputsFor returns type and shape of each output of the model for inputs like these:
// as declared, the names of dimensions being those of the inputs, else by the shape
// rules of the operators. The type is Undefined where only the run knows, and for what
// a block of numbers cannot hold.
func (l *model) outputsFor(in []tensor.View) []tensor.View {
	list := make([]tensor.View, len(l.outputs))
	named := dimensions(l.inputs, in)
	all := true
	for k := range list {
		list[k] = declared(l.outputs[k].Type, named)
		all = all && list[k].DType != tensor.Undefined
	}
	if all {
		return list
	}
	l.rules.Do(func() {
		if s, err := exec.NewShapes(l.m); err == nil {
			l.shapes = s
		}
	})
	if l.shapes == nil {
		return list
	}
	// Inputs that a rule refuses are the library's to judge.
	if inferred, err := l.shapes.Outputs(in); err == nil {
		for k := range list {
			if list[k].DType == tensor.Undefined && plain(inferred[k].DType) {
				list[k] = inferred[k]
			}
		}
	}
	return list
}

// dimensions returns the size of each dimension that the inputs name, -1 where they
// do not agree.
func dimensions(inputs []exec.Info, in []tensor.View) map[string]int {
	named := map[string]int{}
	for i := range in {
		t := inputs[i].Type
		if t == nil || !t.HasShape || in[i].DType == tensor.Undefined || in[i].DType == tensor.Other {
			continue
		}
		for d, dim := range t.Dims {
			if dim.Param == "" {
				continue
			}
			n := in[i].Shape[d]
			if seen, ok := named[dim.Param]; ok && seen != n {
				n = -1
			}
			named[dim.Param] = n
		}
	}
	return named
}

func declared(t *onnx.Type, named map[string]int) tensor.View {
	if t == nil || t.Kind != onnx.KindTensor || !t.HasShape || !plain(t.Elem) {
		return tensor.View{}
	}
	v := tensor.View{DType: t.Elem, Shape: make(tensor.Shape, len(t.Dims))}
	for d, dim := range t.Dims {
		n, ok := named[dim.Param]
		if dim.Known && dim.Value > 0 {
			n, ok = int(dim.Value), true
		}
		if !ok || n < 0 {
			return tensor.View{}
		}
		v.Shape[d] = n
	}
	if _, err := v.Shape.Check(v.DType); err != nil {
		return tensor.View{}
	}
	return v
}

// plain reports whether elements are numbers that the library knows.
func plain(d tensor.DType) bool { return d.Valid() && d != tensor.Str && numberOf(d) != 0 }

// numberOf returns the library's number of an element type, 0 where it has none.
func numberOf(d tensor.DType) int32 {
	switch {
	case d == tensor.F8E8M0 || d > tensor.I2 || !d.Valid():
		return 0
	case d > tensor.F8E8M0:
		return int32(d) - 1
	}
	return int32(d)
}

// typeOf returns the element type of a number of the library's.
func typeOf(n int32) tensor.DType {
	d := tensor.DType(n)
	if d >= tensor.F8E8M0 {
		d++
	}
	return d
}
