package onnx

import (
	"bufio"
	"encoding/hex"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

func TestTensorsOfEveryTypeAndEncoding(t *testing.T) {
	m, err := Open("testdata/dtypes.onnx")
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	tensors, kinds := map[string]*Tensor{}, map[tensor.DType]int{}
	for i := range m.Graph.Initializers {
		tensors[m.Graph.Initializers[i].Name] = &m.Graph.Initializers[i]
	}
	f, err := os.Open("testdata/dtypes.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // a file that was only read
	for s := bufio.NewScanner(f); s.Scan(); {
		name, want, _ := strings.Cut(s.Text(), " ")
		v := tensors[name]
		if v == nil {
			t.Errorf("%s was not read", name)
			continue
		}
		kinds[v.DType]++
		for what, again := range map[string]*Tensor{"read": v, "written": rewritten(t, v)} {
			if got := copied(t, again); hex.EncodeToString(got) != want {
				t.Errorf("%s %s: %x, %s expected", what, name, got, want)
			}
		}
	}
	for d := tensor.F32; d <= tensor.I2; d++ {
		if d != tensor.Str && kinds[d] != 5 {
			t.Errorf("%v has %d tensors in the test data, 5 expected", d, kinds[d])
		}
	}
}

func copied(t *testing.T, v *Tensor) []byte {
	t.Helper()
	n, err := v.size()
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, n)
	if err := v.CopyTo(b); err != nil {
		t.Errorf("%s: %v", v.Name, err)
	}
	return b
}

func rewritten(t *testing.T, v *Tensor) *Tensor {
	t.Helper()
	again, err := ParseTensor(v.Marshal())
	if err != nil {
		t.Fatal(err)
	}
	return again
}

func TestPayloadIsReadInPlace(t *testing.T) {
	floats := []byte("\x00\x00\x80\x3f\x00\x00\x00\x40")
	for _, c := range []struct {
		name string
		b    []byte
		want bool
	}{
		{"raw data", msg(num(1, 2), num(2, 1), str(9, floats)), true},
		{"packed floats", msg(num(1, 2), num(2, 1), str(4, floats)), true},
		{"a packed complex number", msg(num(1, 1), num(2, 14), str(4, floats)), true},
		{"floats in two pieces", msg(num(1, 2), num(2, 1), str(4, floats[:4]), str(4, floats[4:])), false},
		{"floats one by one", msg(num(1, 2), num(2, 1), flt(4, 1), flt(4, 2)), false},
	} {
		v, err := ParseTensor(c.b)
		if err != nil {
			t.Fatal(err)
		}
		b, ok, err := v.Payload()
		if err != nil || ok != c.want {
			t.Errorf("%s: in place %v, %v", c.name, ok, err)
		}
		if ok && (&b[0] != &c.b[len(c.b)-8] || cap(b) != 8) {
			t.Errorf("%s: a copy, or room to write behind it", c.name)
		}
		if got := copied(t, v); string(got) != string(floats) {
			t.Errorf("%s: %x", c.name, got)
		}
	}
}

func TestTypedBooleansAreZeroOrOne(t *testing.T) {
	v, err := ParseTensor(msg(num(1, 3), num(2, 9), str(5, packed(0, 1, 256))))
	if err != nil {
		t.Fatal(err)
	}
	if got := copied(t, v); string(got) != "\x00\x01\x01" {
		t.Errorf("%x", got)
	}
}

func TestTensorErrors(t *testing.T) {
	for _, c := range []struct {
		name string
		b    []byte
		want string
	}{
		{"no type", msg(str(8, "w"), num(1, 2), str(9, "1234")), `tensor "w" has the element type 0`},
		{"an unknown type", msg(str(8, "w"), num(2, 77)), `tensor "w" has the element type 77`},
		{"a negative dimension", msg(str(8, "w"), num(2, 1), num(1, -4)), `tensor "w": dimension 0 of shape [-4] is -4`},
		{"a size beyond memory", msg(str(8, "w"), num(2, 1), num(1, 1<<40), num(1, 1<<40)), `takes more than 2^56 bytes`},
		{"too few raw bytes", msg(str(8, "w"), num(2, 1), num(1, 3), str(9, "12345678")), `tensor "w" holds 8 bytes of elements, shape [3] of f32 takes 12`},
		{"too many raw bytes", msg(str(8, "w"), num(2, 3), num(1, 3), str(9, "12345")), `holds 5 bytes of elements, shape [3] of i8 takes 3`},
		{"too few entries", msg(str(8, "w"), num(2, 7), num(1, 3), str(7, packed(1, 2))), `holds 16 bytes of elements, shape [3] of i64 takes 24`},
		{"entries of another type", msg(str(8, "w"), num(2, 7), num(1, 2), str(5, packed(1, 2))), `holds 0 bytes of elements, shape [2] of i64 takes 16`},
		{"no payload", msg(str(8, "w"), num(2, 1), num(1, 1<<30)), `holds 0 bytes of elements, shape [1073741824] of f32 takes 4294967296`},
		{"a broken entry", msg(str(8, "w"), num(2, 6), num(1, 1), str(5, strings.Repeat("\x80", 11)+"\x01")), `tensor "w" at byte 9: broken packed list`},
		{"half a float", msg(str(8, "w"), num(2, 1), num(1, 1), str(4, "123456")), `tensor "w" holds 6 bytes`},
		{"raw strings", msg(str(8, "w"), num(2, 8), num(1, 1), str(9, "abc")), `tensor "w" holds strings as raw or external data`},
		{"strings of another count", msg(str(8, "w"), num(2, 8), num(1, 3), str(6, "abc")), `holds 16 bytes of elements, shape [3] of str takes 48`},
		{"a segment", msg(str(8, "w"), num(2, 3), num(1, 1), str(3, num(1, 0)), str(9, "a")), `tensor "w" is a segment of a tensor`},
		{"external data without a file", msg(str(8, "w"), num(2, 3), num(1, 1), num(14, 1)), `does not say in which file`},
		{"external data of bytes", msg(str(8, "w"), num(2, 3), num(1, 1), num(14, 1), str(13, msg(str(1, "location"), str(2, "f")))), `the model was given as bytes: open it by its path`},
	} {
		v, err := ParseTensor(c.b)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		_, ok, err := v.Payload()
		if err == nil && !ok {
			err = v.CopyTo(make([]byte, 4))
		}
		if errs.CodeOf(err) != errs.Model || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\n%s expected", c.name, err, c.want)
		}
	}
}

func TestCopyToTakesExactlyTheBytes(t *testing.T) {
	v := New("w", tensor.F32, []int64{2}, make([]byte, 8))
	if err := v.CopyTo(make([]byte, 7)); errs.CodeOf(err) != errs.Argument || err.Error() != `7 bytes given, tensor "w" takes 8` {
		t.Error(err)
	}
	if err := NewStrings("s", []int64{1}, []string{"a"}).CopyTo(make([]byte, 16)); errs.CodeOf(err) != errs.Type {
		t.Error(err)
	}
}

func TestStringsAliasTheInput(t *testing.T) {
	want := []string{"a", "", "\u00e9", "\x00\xff"}
	v := NewStrings("s", []int64{2, 2}, want)
	if _, ok, err := v.Payload(); ok || err != nil {
		t.Error(ok, err)
	}
	b := v.Marshal()
	v, err := ParseTensor(b)
	if err != nil {
		t.Fatal(err)
	}
	list := v.Strings()
	if got := slices.Collect(func(yield func(string) bool) {
		for _, s := range list {
			if !yield(string(s)) {
				return
			}
		}
	}); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if len(list) != 4 || cap(list[0]) != 1 || &list[0][0] != &b[slices.Index(b, 'a')] {
		t.Error("a copy, or room to write behind it")
	}
}
