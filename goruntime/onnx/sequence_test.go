package onnx

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

func TestSequencesMapsAndOptionals(t *testing.T) {
	one := *New("t", tensor.I8, []int64{1}, []byte{1})
	inner := &Sequence{Name: "inner", Elem: KindTensor, Tensors: []Tensor{one, one}}
	byName := &Map{Name: "m", Key: tensor.Str, Strings: [][]byte{[]byte("a"), {}}, Values: inner}
	s := &Sequence{
		Name: "s", Elem: KindSequence, Sequences: []*Sequence{inner, {Name: "empty", Elem: KindTensor}},
		Maps:      []*Map{byName, {Key: tensor.I64, Ints: []int64{-1, 2}, Values: inner}},
		Optionals: []*Optional{{Elem: KindTensor, Tensor: &one}, {Name: "none"}},
		Sparses:   []SparseTensor{{Values: one, Indices: *New("i", tensor.I64, []int64{1}, int64s(0)), Dims: []int64{4}}},
	}
	o := &Optional{Name: "o", Elem: KindSequence, Sequence: s, Map: byName, Optional: &Optional{Elem: KindTensor, Tensor: &one}}
	b := o.Marshal()
	got, err := ParseOptional(b)
	if err != nil {
		t.Fatal(err)
	}
	if again := got.Marshal(); !bytes.Equal(again, b) {
		t.Errorf("written again as\n%x\n%x expected", again, b)
	}
	if got.Elem != KindSequence || got.Sequence.Elem != KindSequence || len(got.Sequence.Sequences) != 2 ||
		len(got.Sequence.Sequences[0].Tensors) != 2 || got.Optional.Tensor.Name != "t" || got.Sequence.Optionals[1].Elem != KindUndefined {
		t.Errorf("%+v", got)
	}
	m := got.Sequence.Maps
	if m[0].Key != tensor.Str || string(m[0].Strings[0]) != "a" || len(m[0].Strings) != 2 || !reflect.DeepEqual(m[1].Ints, []int64{-1, 2}) || len(m[1].Values.Tensors) != 2 {
		t.Errorf("%+v", m)
	}
	if p, err := ParseSequence(s.Marshal()); err != nil || p.Name != "s" {
		t.Error(p, err)
	}
	if p, err := ParseMap(byName.Marshal()); err != nil || p.Name != "m" {
		t.Error(p, err)
	}
}

func TestSequenceErrorsNameThePlace(t *testing.T) {
	for want, b := range map[string][]byte{
		"sequence_values[0].elem_type at byte 2: 9 is no type of an element": str(5, num(2, 9)),
		"map_values[0].values.tensor_values[0] at byte 6: broken field":      str(6, str(5, str(3, "\x08"))),
		"sequence at byte 0: broken field":                                   {0x0a},
	} {
		if _, err := ParseSequence(b); errs.CodeOf(err) != errs.Model || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\n%s expected", err, want)
		}
	}
}
