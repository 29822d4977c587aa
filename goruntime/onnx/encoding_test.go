package onnx_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// wire is a message that is being written.
type wire []byte

func (w *wire) int(num protowire.Number, v uint64) *wire {
	*w = protowire.AppendVarint(protowire.AppendTag(*w, num, protowire.VarintType), v)
	return w
}

func (w *wire) bytes(num protowire.Number, b []byte) *wire {
	*w = protowire.AppendBytes(protowire.AppendTag(*w, num, protowire.BytesType), b)
	return w
}

func (w *wire) text(num protowire.Number, s string) *wire { return w.bytes(num, []byte(s)) }

// header starts a TensorProto.
func header(dtype tensor.DType, dims ...uint64) *wire {
	w := &wire{}
	for _, d := range dims {
		w.int(1, d)
	}
	return w.int(2, uint64(dtype)).text(8, "t")
}

func mustTensor(t *testing.T, w *wire) *onnx.Tensor {
	t.Helper()
	x, err := onnx.ParseTensor(*w)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// elements returns the decoded bytes of x.
func elements(x *onnx.Tensor) ([]byte, error) {
	if _, _, err := x.Payload(); err != nil {
		return nil, err
	}
	s, err := x.Shape()
	if err != nil {
		return nil, err
	}
	n, err := s.Check(x.DType)
	if err != nil {
		return nil, err
	}
	dst := make([]byte, n)
	return dst, x.CopyTo(dst)
}

// encodings lists for every type an example: its typed field, the entries as
// they stand there, and the elements as memory holds them.
var encodings = []struct {
	dtype   tensor.DType
	n       uint64 // elements
	field   protowire.Number
	entries []uint64
	want    []byte
}{
	{tensor.F32, 2, 4, []uint64{0x3f800000, 0xc0000000}, []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0}},
	{tensor.C64, 1, 4, []uint64{0x3f800000, 0xc0000000}, []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0}},
	{tensor.F64, 1, 10, []uint64{math.Float64bits(-2)}, []byte{0, 0, 0, 0, 0, 0, 0, 0xc0}},
	{tensor.C128, 1, 10, []uint64{0, math.Float64bits(-2)}, []byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xc0}},
	{tensor.I64, 2, 7, []uint64{1, ^uint64(0)}, []byte{1, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255}},
	{tensor.U64, 1, 11, []uint64{1 << 63}, []byte{0, 0, 0, 0, 0, 0, 0, 0x80}},
	{tensor.U32, 2, 11, []uint64{1, 1 << 31}, []byte{1, 0, 0, 0, 0, 0, 0, 0x80}},
	{tensor.I32, 2, 5, []uint64{1, ^uint64(1)}, []byte{1, 0, 0, 0, 254, 255, 255, 255}},
	{tensor.I16, 3, 5, []uint64{1, ^uint64(0), 300}, []byte{1, 0, 255, 255, 44, 1}},
	{tensor.U16, 2, 5, []uint64{65535, 2}, []byte{255, 255, 2, 0}},
	{tensor.I8, 3, 5, []uint64{1, ^uint64(0), 127}, []byte{1, 255, 127}},
	{tensor.U8, 3, 5, []uint64{1, 255, 0}, []byte{1, 255, 0}},
	{tensor.Bool, 3, 5, []uint64{1, 0, 256}, []byte{1, 0, 1}},
	{tensor.F16, 2, 5, []uint64{0x3c00, 0xc000}, []byte{0, 0x3c, 0, 0xc0}},
	{tensor.BF16, 2, 5, []uint64{0x3f80, 0xc000}, []byte{0x80, 0x3f, 0, 0xc0}},
	{tensor.F8E4M3FN, 2, 5, []uint64{0x38, 0xc0}, []byte{0x38, 0xc0}},
	{tensor.F8E4M3UZ, 2, 5, []uint64{0x40, 0xc8}, []byte{0x40, 0xc8}},
	{tensor.F8E5M2, 2, 5, []uint64{0x3c, 0xc0}, []byte{0x3c, 0xc0}},
	{tensor.F8E5M2UZ, 2, 5, []uint64{0x40, 0xc4}, []byte{0x40, 0xc4}},
	{tensor.F8E8M0, 2, 5, []uint64{127, 128}, []byte{127, 128}},
	{tensor.U4, 3, 5, []uint64{0x21, 0x03}, []byte{0x21, 0x03}},
	{tensor.I4, 4, 5, []uint64{0xf1, 0x78}, []byte{0xf1, 0x78}},
	{tensor.F4E2M1, 3, 5, []uint64{0x21, 0x03}, []byte{0x21, 0x03}},
	{tensor.F6E2M3, 5, 5, []uint64{1, 2, 3, 63, 33}, []byte{0x81, 0x30, 0xfc, 0x21}},
	{tensor.F6E3M2, 4, 5, []uint64{63, 0, 32, 1}, []byte{0x3f, 0, 0x06}},
	{tensor.U2, 5, 5, []uint64{0xe4, 0x02}, []byte{0xe4, 0x02}},
	{tensor.I2, 4, 5, []uint64{0xe4}, []byte{0xe4}},
}

// entry appends an entry of a typed field without its tag.
func entry(b []byte, field protowire.Number, v uint64) []byte {
	switch field {
	case 4:
		return protowire.AppendFixed32(b, uint32(v))
	case 10:
		return protowire.AppendFixed64(b, v)
	default:
		return protowire.AppendVarint(b, v)
	}
}

func kindOf(field protowire.Number) protowire.Type {
	return map[protowire.Number]protowire.Type{4: protowire.Fixed32Type, 10: protowire.Fixed64Type}[field]
}

func TestEveryTypeInEveryEncoding(t *testing.T) {
	seen := map[tensor.DType]bool{tensor.Str: true}
	for _, c := range encodings {
		seen[c.dtype] = true
		t.Run(c.dtype.String(), func(t *testing.T) {
			raw, packed, single, halves := header(c.dtype, c.n), header(c.dtype, c.n), header(c.dtype, c.n), header(c.dtype, c.n)
			raw.bytes(9, c.want)
			var all []byte
			for i, v := range c.entries {
				all = entry(all, c.field, v)
				*single = entry(protowire.AppendTag(*single, c.field, kindOf(c.field)), c.field, v)
				if i == 0 {
					halves.bytes(c.field, all)
				}
			}
			packed.bytes(c.field, all)
			halves.bytes(c.field, all[len(entry(nil, c.field, c.entries[0])):])
			for name, w := range map[string]*wire{"raw": raw, "packed": packed, "not packed": single, "packed in two": halves} {
				got, err := elements(mustTensor(t, w))
				if err != nil || !bytes.Equal(got, c.want) {
					t.Errorf("%s: %x, %v; %x expected", name, got, err, c.want)
				}
			}
			if b, ok, err := mustTensor(t, raw).Payload(); !ok || err != nil || !bytes.Equal(b, c.want) {
				t.Errorf("raw data is not read in place: %x, %v, %v", b, ok, err)
			}
		})
	}
	for d := tensor.DType(1); d < tensor.NumDTypes; d++ {
		if d.Valid() && !seen[d] {
			t.Errorf("no case for %v", d)
		}
	}
}

func TestStringTensors(t *testing.T) {
	w := header(tensor.Str, 3).text(6, "a").text(6, "").text(6, "h\xc3\xa9")
	x := mustTensor(t, w)
	var got []string
	for _, s := range x.Strings() {
		got = append(got, string(s))
	}
	if !slices.Equal(got, []string{"a", "", "hé"}) {
		t.Errorf("%q", got)
	}
}

func TestPayloadsThatDoNotFit(t *testing.T) {
	for _, c := range []struct {
		name string
		w    *wire
	}{
		{"too little raw data", header(tensor.F32, 2).bytes(9, make([]byte, 7))},
		{"too much raw data", header(tensor.F32, 2).bytes(9, make([]byte, 9))},
		{"no data", header(tensor.F32, 2)},
		{"too few entries", header(tensor.I32, 3).int(5, 1).int(5, 2)},
		{"too many entries", header(tensor.I32, 1).int(5, 1).int(5, 2)},
		{"entries in the field of another type", header(tensor.I64, 1).int(5, 1)},
		{"packed floats cut off", header(tensor.F32, 2).bytes(4, make([]byte, 7))},
		{"a packed list cut off", header(tensor.I32, 2).bytes(5, []byte{1, 0x80})},
		{"a varint of eleven bytes", header(tensor.I32, 1).bytes(5, bytes.Repeat([]byte{0xff}, 11))},
		{"too few strings", header(tensor.Str, 2).text(6, "a")},
		{"raw strings", header(tensor.Str, 1).bytes(9, make([]byte, 16))},
		{"a negative dimension", header(tensor.F32, ^uint64(0)).bytes(9, nil)},
		{"a size that overflows", header(tensor.F32, 1<<40, 1<<40).bytes(9, make([]byte, 4))},
		{"a size that wraps to the right one", header(tensor.U8, 1<<32, 1<<32, 4).bytes(9, make([]byte, 0))},
	} {
		t.Run(c.name, func(t *testing.T) {
			x, err := onnx.ParseTensor(*c.w)
			if err == nil {
				_, err = elements(x)
			}
			if errs.CodeOf(err) != errs.Model {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestEmptyAndScalarTensors(t *testing.T) {
	for _, c := range []struct {
		name string
		w    *wire
		n    int
	}{
		{"a zero dimension", header(tensor.F32, 0, 1<<40), 0},
		{"a zero dimension with empty raw data", header(tensor.F32, 3, 0).bytes(9, nil), 0},
		{"a scalar", header(tensor.F32).bytes(9, make([]byte, 4)), 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			if b, err := elements(mustTensor(t, c.w)); err != nil || len(b) != c.n {
				t.Errorf("%d bytes, %v", len(b), err)
			}
		})
	}
}

func TestElementTypesThatONNXDoesNotDefine(t *testing.T) {
	for _, n := range []uint64{0, uint64(tensor.NumDTypes), 1 << 20} {
		w := (&wire{}).int(1, 1).int(2, n)
		x, err := onnx.ParseTensor(*w)
		if err == nil {
			_, err = elements(x)
		}
		if errs.CodeOf(err) != errs.Model || !strings.Contains(err.Error(), fmt.Sprint(n)) {
			t.Errorf("element type %d: %v", n, err)
		}
	}
}

// sparse returns a SparseTensorProto of f32 values.
func sparse(values []float32, dims []uint64, indices *wire) *wire {
	var raw []byte
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	w := (&wire{}).bytes(1, *header(tensor.F32, uint64(len(values))).bytes(9, raw)).bytes(2, *indices)
	for _, d := range dims {
		w.int(3, d)
	}
	return w
}

func indices(dims []uint64, list ...uint64) *wire {
	w := header(tensor.I64, dims...)
	for _, v := range list {
		w.int(7, v)
	}
	return w
}

// sparseOf reads a sparse initializer out of a graph.
func sparseOf(w *wire) (*onnx.SparseTensor, error) {
	g, err := onnx.ParseGraph(*(&wire{}).bytes(15, *w))
	if err != nil {
		return nil, err
	}
	return &g.SparseInitializers[0], nil
}

func TestSparseTensors(t *testing.T) {
	for _, c := range []struct {
		name string
		w    *wire
		want []float32
	}{
		{"linear indices", sparse([]float32{5, 6}, []uint64{2, 3}, indices([]uint64{2}, 1, 5)), []float32{0, 5, 0, 0, 0, 6}},
		{"coordinates", sparse([]float32{5, 6}, []uint64{2, 3}, indices([]uint64{2, 2}, 0, 1, 1, 2)), []float32{0, 5, 0, 0, 0, 6}},
		{"no values", sparse(nil, []uint64{2}, indices([]uint64{0})), []float32{0, 0}},
		{"an index outside", sparse([]float32{5}, []uint64{2, 3}, indices([]uint64{1}, 6)), nil},
		{"a negative index", sparse([]float32{5}, []uint64{2, 3}, indices([]uint64{1}, ^uint64(0))), nil},
		{"a coordinate outside", sparse([]float32{5}, []uint64{2, 3}, indices([]uint64{1, 2}, 0, 3)), nil},
		{"fewer indices than values", sparse([]float32{5, 6}, []uint64{6}, indices([]uint64{1}, 1)), nil},
		{"indices of another type", sparse([]float32{5}, []uint64{6}, header(tensor.I32, 1).int(5, 1)), nil},
		{"a negative dimension", sparse([]float32{5}, []uint64{^uint64(0)}, indices([]uint64{1}, 0)), nil},
		{"nothing at all", &wire{}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			x, err := sparseOf(c.w)
			got := make([]byte, 4*len(c.want))
			if err == nil {
				_, err = x.Shape()
			}
			if err == nil {
				if c.want == nil {
					got = make([]byte, 24)
				}
				err = x.CopyTo(got)
			}
			if c.want == nil {
				if code := errs.CodeOf(err); code != errs.Model && code != errs.Unsupported {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range c.want {
				if v := math.Float32frombits(binary.LittleEndian.Uint32(got[4*i:])); v != want {
					t.Errorf("element %d is %v, %v expected", i, v, want)
				}
			}
		})
	}
}
