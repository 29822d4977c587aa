package tensor

import "testing"

func TestItem(t *testing.T) {
	for _, c := range []struct {
		dtype DType
		raw   []byte
		at    int
		want  any
	}{
		{F32, []byte{0, 0, 0x80, 0x3f}, 0, float32(1)},
		{F16, []byte{0, 0, 0, 0xc0}, 1, float32(-2)},
		{BF16, []byte{0x80, 0x3f}, 0, float32(1)},
		{I8, []byte{0xff}, 0, int64(-1)},
		{U8, []byte{0xff}, 0, uint64(255)},
		{I64, []byte{0xfe, 255, 255, 255, 255, 255, 255, 255}, 0, int64(-2)},
		{Bool, []byte{1}, 0, true},
		{I4, []byte{0x8f}, 1, int64(-8)},
		{I4, []byte{0x8f}, 0, int64(-1)},
		{U4, []byte{0x8f}, 1, uint64(8)},
		{I2, []byte{0b10_01_11_00}, 3, int64(-2)},
		{U2, []byte{0b10_01_11_00}, 1, uint64(3)},
		{F4E2M1, []byte{0x7a}, 1, float32(6)},
		{F8E8M0, []byte{128}, 0, float32(2)},
		{C64, []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0}, 0, complex(1, -2)},
	} {
		n := len(c.raw) * 8 / c.dtype.Bits()
		v := View{DType: c.dtype, Shape: Shape{n}}
		w, err := ViewOf(U8, Shape{len(c.raw)}, c.raw)
		if err != nil {
			t.Fatal(err)
		}
		v.Data = w.Data
		if got := v.Item(c.at); got != c.want {
			t.Errorf("%v of % x: item %d is %v, %v expected", c.dtype, c.raw, c.at, got, c.want)
		}
	}
}
