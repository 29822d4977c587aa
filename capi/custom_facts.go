package main

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/graph"
	"github.com/goruntime/goruntime/goruntime/onnx"
)

// factsOf returns what api.h says that a maker of kernels is told of a node.
func factsOf(n *onnx.Node, at graph.Place) (string, error) {
	functions := make([][]byte, len(at.Functions))
	for i, f := range at.Functions {
		functions[i] = f.Marshal()
	}
	place, err := json.Marshal(map[string]any{"opset": at.Opset, "opsets": at.Opsets, "functions": functions})
	if err != nil {
		return "", errs.New(errs.Internal, "%w", err)
	}
	text := []byte(`{"attributes":{`)
	for i := range n.Attrs {
		if value := attribute(&n.Attrs[i]); value != nil {
			if text[len(text)-1] != '{' {
				text = append(text, ',')
			}
			text = append(append(appendText(text, n.Attrs[i].Name), ':'), value...)
		}
	}
	text = append(text, `},"captures":`...)
	if at.Captures == nil {
		text = append(text, "null"...)
	} else {
		text = append(text, listed(at.Captures, appendText[string])...)
	}
	return string(append(append(text, ','), place[1:]...)), nil
}

// attribute returns a number, a text or a list of them, nil for other attributes.
func attribute(a *onnx.Attr) []byte {
	switch a.Type {
	case onnx.AttrInt:
		return appendInt(nil, a.I)
	case onnx.AttrFloat:
		return appendFloat(nil, a.F)
	case onnx.AttrString:
		return appendText(nil, a.S)
	case onnx.AttrInts:
		return listed(a.Ints, appendInt)
	case onnx.AttrFloats:
		return listed(a.Floats, appendFloat)
	case onnx.AttrStrings:
		return listed(a.Strings, appendText[[]byte])
	default:
		return nil
	}
}

func listed[T any](list []T, add func([]byte, T) []byte) []byte {
	text := []byte{'['}
	for i, item := range list {
		if i > 0 {
			text = append(text, ',')
		}
		text = add(text, item)
	}
	return append(text, ']')
}

func appendInt(text []byte, i int64) []byte { return strconv.AppendInt(text, i, 10) }

// appendFloat writes what JSON has no number for as Python and JavaScript name it.
func appendFloat(text []byte, f float32) []byte {
	x := float64(f)
	switch {
	case math.IsNaN(x):
		return append(text, "NaN"...)
	case math.IsInf(x, 1):
		return append(text, "Infinity"...)
	case math.IsInf(x, -1):
		return append(text, "-Infinity"...)
	}
	return strconv.AppendFloat(text, x, 'g', -1, 32)
}

// appendText writes a byte that is not UTF-8 as Python's surrogateescape does.
func appendText[T string | []byte](text []byte, from T) []byte {
	s := []byte(from)
	text = append(text, '"')
	for len(s) > 0 {
		r, n := utf8.DecodeRune(s)
		switch {
		case r == utf8.RuneError && n == 1:
			text = fmt.Appendf(text, `\udc%02x`, s[0])
		case r < ' ' || r == '"' || r == '\\':
			text = fmt.Appendf(text, `\u%04x`, r)
		default:
			text = append(text, s[:n]...)
		}
		s = s[n:]
	}
	return append(text, '"')
}
