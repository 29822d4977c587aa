package onnx

import (
	"encoding/binary"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

func int64s(list ...int64) []byte {
	var b []byte
	for _, v := range list {
		b = binary.LittleEndian.AppendUint64(b, uint64(v))
	}
	return b
}

// sparseOf returns a sparse tensor that went over the wire.
func sparseOf(t *testing.T, values, indices *Tensor, dims ...int64) *SparseTensor {
	t.Helper()
	s, err := ParseSparseTensor((&SparseTensor{Values: *values, Indices: *indices, Dims: dims}).Marshal())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSparseTensorsBecomeDense(t *testing.T) {
	i16 := New("s", tensor.I16, []int64{2}, []byte{5, 0, 6, 0})
	i4 := New("s", tensor.I4, []int64{3}, []byte{0x21, 0x0f})
	for _, c := range []struct {
		name string
		s    *SparseTensor
		want string
	}{
		{"linear indices", sparseOf(t, i16, New("", tensor.I64, []int64{2}, int64s(1, 5)), 2, 3), "000005000000000000000600"},
		{"coordinates", sparseOf(t, i16, New("", tensor.I64, []int64{2, 2}, int64s(0, 2, 1, 0)), 2, 3), "000000000500060000000000"},
		{"types below a byte", sparseOf(t, i4, New("", tensor.I64, []int64{3}, int64s(0, 3, 4)), 5), "01200f"},
		{"no values", sparseOf(t, New("s", tensor.I8, []int64{0}, nil), New("", tensor.I64, []int64{0}, nil), 3), "000000"},
	} {
		n, err := c.s.dense().size()
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, n)
		for i := range got {
			got[i] = 0xaa
		}
		if err := c.s.CopyTo(got); err != nil || hex.EncodeToString(got) != c.want {
			t.Errorf("%s: %x %v", c.name, got, err)
		}
	}
}

func TestSparseTensorErrors(t *testing.T) {
	i8 := New("s", tensor.I8, []int64{2}, []byte{5, 6})
	index := func(list ...int64) *Tensor { return New("", tensor.I64, []int64{int64(len(list))}, int64s(list...)) }
	for _, c := range []struct {
		name string
		s    *SparseTensor
		code errs.Code
		want string
	}{
		{"beyond the end", sparseOf(t, i8, index(0, 6), 2, 3), errs.Model, `sparse tensor "s": index 6 of value 1 is outside [0, 6)`},
		{"before the start", sparseOf(t, i8, index(-1, 0), 2, 3), errs.Model, `index -1 of value 0 is outside [0, 6)`},
		{"a coordinate beyond its row", sparseOf(t, i8, New("", tensor.I64, []int64{2, 2}, int64s(0, 0, 0, 3)), 2, 3), errs.Model, `index 3 of value 1 is outside [0, 3)`},
		{"another count", sparseOf(t, i8, index(0), 6), errs.Model, `has 2 values and 1 indices, 2 expected`},
		{"indices of another type", sparseOf(t, i8, New("", tensor.I32, []int64{2}, make([]byte, 8)), 6), errs.Model, `indices of sparse tensor "s" are i32`},
		{"strings", sparseOf(t, NewStrings("s", []int64{1}, []string{"a"}), index(0), 6), errs.Unsupported, `sparse tensor "s" of strings`},
		{"no values", sparseOf(t, &Tensor{}, index(0), 6), errs.Model, `has the element type 0`},
	} {
		if err := c.s.CopyTo(make([]byte, 6)); errs.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\n%s expected", c.name, err, c.want)
		}
	}
}
