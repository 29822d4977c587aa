package onnx

import (
	"fmt"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// wireNode appends a graph's node with two inputs, an output and an attribute.
func wireNode(b []byte, i int) []byte {
	node := func(num protowire.Number, s string) []byte {
		return protowire.AppendString(protowire.AppendTag(nil, num, protowire.BytesType), s)
	}
	attr := append(node(1, "axis"), 3<<3, 1, 0xa0, 0x01, 2)
	n := append(node(1, fmt.Sprintf("/layer.%d/output", i)), node(1, fmt.Sprintf("weight.%d", i))...)
	n = append(n, node(2, fmt.Sprintf("/layer.%d/output", i+1))...)
	n = append(n, node(3, fmt.Sprintf("/layer.%d/Gather", i))...)
	n = append(n, node(4, "Gather")...)
	n = protowire.AppendBytes(protowire.AppendTag(n, 5, protowire.BytesType), attr)
	return protowire.AppendBytes(protowire.AppendTag(b, 1, protowire.BytesType), n)
}

func BenchmarkParseGraph(b *testing.B) {
	var g []byte
	for i := range 2700 {
		g = wireNode(g, i)
	}
	b.SetBytes(int64(len(g)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseGraph(g); err != nil {
			b.Fatal(err)
		}
	}
}
