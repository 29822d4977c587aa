package tensor

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

// The examples of onnx.proto.
func TestPackedLayout(t *testing.T) {
	for _, c := range []struct {
		bits   int
		codes  []byte
		packed []byte
	}{
		{4, []byte{1, 2, 3}, []byte{0x21, 0x03}},
		{2, []byte{0, 1, 2, 3, 1}, []byte{0 | 1<<2 | 2<<4 | 3<<6, 1}},
		{6, []byte{0x2a, 0x15, 0x3f, 0x01}, []byte{0x2a | 0x15&0x3<<6, 0x15>>2 | 0x3f&0xf<<4, 0x3f>>4 | 0x01<<2}},
	} {
		got := make([]byte, len(c.packed))
		Pack(got, c.codes, c.bits)
		if !bytes.Equal(got, c.packed) {
			t.Errorf("%d bits: %x, %x expected", c.bits, got, c.packed)
		}
	}
}

func TestPackedElements(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bits := rapid.SampledFrom([]int{2, 4, 6}).Draw(t, "bits")
		codes := rapid.SliceOf(rapid.Custom(func(t *rapid.T) byte { return rapid.Byte().Draw(t, "code") & (1<<bits - 1) })).Draw(t, "codes")
		packed, back := make([]byte, (len(codes)*bits+7)/8), make([]byte, len(codes))
		Pack(packed, codes, bits)
		Unpack(back, packed, bits)
		if !bytes.Equal(back, codes) {
			t.Fatalf("%v came back as %v", codes, back)
		}
		one := bytes.Repeat([]byte{0xff}, len(packed))
		for i, c := range codes {
			if Code(packed, i, bits) != c {
				t.Fatalf("element %d of %v is %d", i, codes, Code(packed, i, bits))
			}
			SetCode(one, i, bits, c)
		}
		Unpack(back, one, bits)
		if !bytes.Equal(back, codes) {
			t.Fatalf("%v set one by one are %v", codes, back)
		}
	})
}
