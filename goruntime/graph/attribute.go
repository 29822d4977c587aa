package graph

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/op"
)

// attribute converts an attribute to the form that operators read.
func (b *builder) attribute(a *onnx.Attr, sp *space, fr *frame) (op.Value, error) {
	convert := attributes[a.Type]
	if convert == nil {
		return op.Value{}, errs.New(errs.Unsupported, "attributes of type %v are not supported", a.Type)
	}
	if (a.Type == onnx.AttrTensor && a.T == nil) || (a.Type == onnx.AttrGraph && a.G == nil) {
		return op.Value{}, errs.New(errs.Model, "the attribute is of type %v and holds none", a.Type)
	}
	return convert(b, a, sp, fr)
}

type converter func(b *builder, a *onnx.Attr, sp *space, fr *frame) (op.Value, error)

var attributes map[onnx.AttrType]converter

func init() { //lint:allow init the converter of graphs refers to the builder, which refers to the table
	attributes = map[onnx.AttrType]converter{
		onnx.AttrFloat: plain(op.KindFloat, func(a *onnx.Attr) any { return a.F }),
		onnx.AttrInt:   plain(op.KindInt, func(a *onnx.Attr) any { return int(a.I) }),
		onnx.AttrString: plain(op.KindString, func(a *onnx.Attr) any {
			return string(a.S)
		}),
		onnx.AttrFloats: plain(op.KindFloats, func(a *onnx.Attr) any { return a.Floats }),
		onnx.AttrInts: plain(op.KindInts, func(a *onnx.Attr) any {
			ints := make([]int, len(a.Ints))
			for i, v := range a.Ints {
				ints[i] = int(v)
			}
			return ints
		}),
		onnx.AttrStrings: plain(op.KindStrings, func(a *onnx.Attr) any { return a.Texts() }),
		onnx.AttrTensor: func(b *builder, a *onnx.Attr, _ *space, _ *frame) (op.Value, error) {
			v, err := b.constant(a.T)
			return op.Value{Kind: op.KindTensor, V: v}, err
		},
		onnx.AttrTypeProto: plain(op.KindType, func(a *onnx.Attr) any { return a.TP }),
		onnx.AttrGraph: func(b *builder, a *onnx.Attr, sp *space, fr *frame) (op.Value, error) {
			inner := *fr
			inner.depth++
			g, err := b.graph(a.G, sp, &inner)
			return op.Value{Kind: op.KindGraph, V: g}, err
		},
	}
}

func plain(kind op.AttrKind, get func(*onnx.Attr) any) converter {
	return func(_ *builder, a *onnx.Attr, _ *space, _ *frame) (op.Value, error) {
		return op.Value{Kind: kind, V: get(a)}, nil
	}
}
