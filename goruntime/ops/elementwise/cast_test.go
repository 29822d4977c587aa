package elementwise

import (
	"encoding/hex"
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// coded is a vector given by its bytes.
func coded(t *testing.T, d tensor.DType, n int, text string) *tensor.View {
	t.Helper()
	b, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return optest.Make(d, optest.Dims(n), b)
}

func to(d tensor.DType, more ...any) []op.Value {
	return optest.Attrs(append([]any{"to", int(d)}, more...)...)
}

func TestCast(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	// The inputs and outputs of the cases of the onnx package.
	wide := optest.F32(optest.Dims(15), 0.47892547, 0.48033667, 0.49968487, 0.81910545, 0.47031248, 0.7229038, 1000000, 1e-7, nan, inf, inf, -inf, -1e-7, 1e-7, -1000000)
	fours := optest.F32(optest.Dims(15), 0.48, 0.25, 1.05, -3.5, -8, 9, 1000000, 1e-7, nan, inf, inf, -inf, -4, 0.01, float32(math.Copysign(0, -1)))
	scales := optest.F32(optest.Dims(8), 0, 0.124, 0.25, 0.5, 1.1, 2, 4, 8)
	nine := make([]float32, 25)
	for i := range nine {
		nine[i] = float32(i - 9)
	}
	optest.Run(t, Cast, []optest.Case{
		{Name: "f32 to f8e4m3fn", Attrs: to(tensor.F8E4M3FN), In: optest.In(wide), Want: optest.Want(coded(t, tensor.F8E4M3FN, 15, "2f2f30352f347e007f7e7efe8000fe"))},
		{Name: "f32 to f8e4m3fnuz", Attrs: to(tensor.F8E4M3UZ), In: optest.In(wide), Want: optest.Want(coded(t, tensor.F8E4M3UZ, 15, "3737383d373c7f00807f7fff0000ff"))},
		{Name: "f32 to f8e5m2", Attrs: to(tensor.F8E5M2), In: optest.In(wide), Want: optest.Want(coded(t, tensor.F8E5M2, 15, "3838383b383a7b007e7b7bfb8000fb"))},
		{Name: "f32 to f8e5m2fnuz", Attrs: to(tensor.F8E5M2UZ), In: optest.In(wide), Want: optest.Want(coded(t, tensor.F8E5M2UZ, 15, "3c3c3c3f3c3e7f00807f7fff0000ff"))},
		{Name: "f32 to f8e4m3fn, not saturated", Attrs: to(tensor.F8E4M3FN, "saturate", 0), In: optest.In(wide), Want: optest.Want(coded(t, tensor.F8E4M3FN, 15, "2f2f30352f347f007f7f7fff8000ff"))},
		{Name: "f32 to f8e5m2, not saturated", Attrs: to(tensor.F8E5M2, "saturate", 0), In: optest.In(wide), Want: optest.Want(coded(t, tensor.F8E5M2, 15, "3838383b383a7c007e7c7cfc8000fc"))},
		{Name: "f32 to f8e5m2fnuz, not saturated", Attrs: to(tensor.F8E5M2UZ, "saturate", 0), In: optest.In(wide), Want: optest.Want(coded(t, tensor.F8E5M2UZ, 15, "3c3c3c3f3c3e800080808080000080"))},
		{Name: "f32 to f4e2m1", Attrs: to(tensor.F4E2M1), In: optest.In(fours), Want: optest.Want(coded(t, tensor.F4E2M1, 15, "01e27f0778f70e08"))},
		{
			Name: "f32 to f6e2m3, ties to even", Attrs: to(tensor.F6E2M3), In: optest.In(optest.F32(optest.Dims(5), 0.0625, 0.1875, -7.5, 100, 1.0625)),
			Want: optest.Want(optest.Filled(tensor.F6E2M3, optest.Dims(5), 0, 0.25, -7.5, 7.5, 1)),
		},
		{
			Name: "f6e3m2 to f32", Attrs: to(tensor.F32), In: optest.In(optest.Filled(tensor.F6E3M2, optest.Dims(5), 0.0625, 28, -0.25, 3, 100)),
			Want: optest.Want(optest.F32(optest.Dims(5), 0.0625, 28, -0.25, 3, 28)),
		},
		{
			Name: "f4e2m1 to f32", Attrs: to(tensor.F32), In: optest.In(coded(t, tensor.F4E2M1, 5, "01e207")),
			Want: optest.Want(optest.F32(optest.Dims(5), 0.5, 0, 1, -4, 6)),
		},
		{Name: "f32 to i4 takes the low bits", Attrs: to(tensor.I4), In: optest.In(optest.F32(optest.Dims(25), nine...)), Want: optest.Want(coded(t, tensor.I4, 25, "87a9cbed0f21436587a9cbed0f"))},
		{Name: "f32 to i2", Attrs: to(tensor.I2), In: optest.In(optest.F32(optest.Dims(7), -3, -2, -1, 0, 1, 2, 3)), Want: optest.Want(coded(t, tensor.I2, 7, "3939"))},
		{Name: "i4 to i8 keeps the sign", Attrs: to(tensor.I8), In: optest.In(coded(t, tensor.I4, 3, "870f")), Want: optest.Want(optest.Make(tensor.I8, optest.Dims(3), []int8{7, -8, -1}))},
		{Name: "u4 to f16", Attrs: to(tensor.F16), In: optest.In(coded(t, tensor.U4, 2, "1f")), Want: optest.Want(optest.Filled(tensor.F16, optest.Dims(2), 15, 1))},
		{Name: "i2 to u2 moves the bits", Attrs: to(tensor.U2), In: optest.In(coded(t, tensor.I2, 4, "e4")), Want: optest.Want(coded(t, tensor.U2, 4, "e4"))},
		{Name: "f32 to f8e8m0, up", Attrs: to(tensor.F8E8M0), In: optest.In(scales), Want: optest.Want(coded(t, tensor.F8E8M0, 8, "007c7d7e80808182"))},
		{
			Name: "f32 to f8e8m0, nearest, not saturated", Attrs: to(tensor.F8E8M0, "round_mode", "nearest", "saturate", 0),
			In: optest.In(optest.F32(optest.Dims(6), 0, nan, inf, 1.49, 1.5, 3e38)), Want: optest.Want(coded(t, tensor.F8E8M0, 6, "ffffff7f80ff")),
		},
		{
			Name: "f32 to f8e8m0, down", Attrs: to(tensor.F8E8M0, "round_mode", "down"),
			In: optest.In(optest.F32(optest.Dims(4), 1.9, 2, inf, nan)), Want: optest.Want(coded(t, tensor.F8E8M0, 4, "7f80feff")),
		},
		{Name: "f8e8m0 to f32", Attrs: to(tensor.F32), In: optest.In(coded(t, tensor.F8E8M0, 4, "007c80ff")), Want: optest.Want(optest.F32(optest.Dims(4), 0x1p-127, 0.125, 2, nan))},
		{Name: "a float is cut", Attrs: to(tensor.I64), In: optest.In(optest.F32(optest.Dims(4), 1.9, -1.9, 0, 1e9)), Want: optest.Want(optest.Ints(1, -1, 0, 1e9))},
		{Name: "integers take the low bits", Attrs: to(tensor.I8), In: optest.In(optest.I32(optest.Dims(3), 200, -129, 256)), Want: optest.Want(optest.Make(tensor.I8, optest.Dims(3), []int8{-56, 127, 0}))},
		{Name: "a negative number to u64", Attrs: to(tensor.U64), In: optest.In(optest.F32(optest.Dims(2), -1, 0x1.8p63)), Want: optest.Want(optest.Make(tensor.U64, optest.Dims(2), []uint64{math.MaxUint64, 3 << 62}))},
		{Name: "to bool", Attrs: to(tensor.Bool), In: optest.In(optest.F32(optest.Dims(4), 0, float32(math.Copysign(0, -1)), nan, 0.1)), Want: optest.Want(optest.Bool(optest.Dims(4), false, false, true, true))},
		{Name: "from bool", Attrs: to(tensor.F32), In: optest.In(optest.Bool(optest.Dims(2), true, false)), Want: optest.Want(optest.F32(optest.Dims(2), 1, 0))},
		{Name: "f64 beyond f32", Attrs: to(tensor.F32), In: optest.In(optest.F64(optest.Dims(2), 1e300, -1e300)), Want: optest.Want(optest.F32(optest.Dims(2), inf, -inf))},
		{Name: "f64 to f16 is rounded once", Attrs: to(tensor.F16), In: optest.In(optest.F64(optest.Dims(1), 1+0x1p-11+0x1p-40)), Want: optest.Want(optest.Make(tensor.F16, optest.Dims(1), []uint16{0x3c01}))},
		{Name: "i64 to bf16 is rounded once", Attrs: to(tensor.BF16), In: optest.In(optest.Ints(1<<62 + 1<<54 + 1)), Want: optest.Want(optest.Make(tensor.BF16, optest.Dims(1), []uint16{0x5e81}))},
		{
			Name: "strings to f32", Attrs: to(tensor.F32), In: optest.In(optest.Str(optest.Dims(8), "3.14", "1000", "1e-5", "1E8", "+INF", "inf", "-INF", "NaN")),
			Want: optest.Want(optest.F32(optest.Dims(8), 3.14, 1000, 1e-5, 1e8, inf, inf, -inf, nan)),
		},
		{Name: "strings to i64", Attrs: to(tensor.I64), In: optest.In(optest.Str(optest.Dims(3), "9223372036854775807", "-7", "100.5")), Want: optest.Want(optest.Ints(math.MaxInt64, -7, 100))},
		{Name: "strings to u4", Attrs: to(tensor.U4), In: optest.In(optest.Str(optest.Dims(2), "15", "3")), Want: optest.Want(coded(t, tensor.U4, 2, "3f"))},
		{Name: "strings to bool", Attrs: to(tensor.Bool), In: optest.In(optest.Str(optest.Dims(3), "0", "2", "True")), Want: optest.Want(optest.Bool(optest.Dims(3), false, true, true))},
		{
			Name: "f32 to strings", Attrs: to(tensor.Str), In: optest.In(optest.F32(optest.Dims(8), 1.5, 314.15926, 1e20, 1e-7, 1, nan, -inf, float32(math.Copysign(0, -1)))),
			Want: optest.Want(optest.Str(optest.Dims(8), "1.5", "314.15927", "1e+20", "1e-07", "1.0", "nan", "-inf", "-0.0")),
		},
		{Name: "f64 to strings", Attrs: to(tensor.Str), In: optest.In(optest.F64(optest.Dims(3), 0.1, -math.MaxFloat64, -0.00012345678901234567)), Want: optest.Want(optest.Str(optest.Dims(3), "0.1", "-1.7976931348623157e+308", "-0.00012345678901234567"))},
		{Name: "f16 to strings", Attrs: to(tensor.Str), In: optest.In(optest.Filled(tensor.F16, optest.Dims(3), 0.1, 1.0/3, 2)), Want: optest.Want(optest.Str(optest.Dims(3), "0.1", "0.3333", "2.0"))},
		{Name: "i64 to strings", Attrs: to(tensor.Str), In: optest.In(optest.Ints(math.MinInt64, 0)), Want: optest.Want(optest.Str(optest.Dims(2), "-9223372036854775808", "0"))},
		{Name: "i4 to strings", Attrs: to(tensor.Str), In: optest.In(coded(t, tensor.I4, 1, "0f")), Want: optest.Want(optest.Str(optest.Dims(1), "-1"))},
		{Name: "bool to strings", Attrs: to(tensor.Str), In: optest.In(optest.Bool(optest.Dims(2), true, false)), Want: optest.Want(optest.Str(optest.Dims(2), "True", "False"))},
		{Name: "strings to strings", Attrs: to(tensor.Str), In: optest.In(optest.Str(nil, "x")), Want: optest.Want(optest.Str(nil, "x"))},
		{Name: "nothing", Attrs: to(tensor.Str), In: optest.In(optest.F32(optest.Dims(0, 3))), Want: optest.Want(optest.Str(optest.Dims(0, 3)))},
		{Name: "no number", Attrs: to(tensor.F32), In: optest.In(optest.Str(optest.Dims(2), "1", "Hello World!")), Err: `the string "Hello World!" at position 1 is not a number`, Code: errs.Compute},
		{Name: "no type", Attrs: to(tensor.NumDTypes), In: optest.In(optest.F32(nil, 1)), Err: "to is 29, which is no element type", Code: errs.Argument},
		{Name: "no mode", Attrs: to(tensor.F8E8M0, "round_mode", "even"), In: optest.In(optest.F32(nil, 1)), Err: `round_mode is "even"`, Code: errs.Argument},
		{Name: "complex", Attrs: to(tensor.F32), In: optest.In(optest.Filled(tensor.C64, nil, 1)), Err: "a cast from c64 to f32 is not defined", Code: errs.Unsupported},
	})
	optest.Run(t, Cast1, []optest.Case{
		{Name: "by name", Attrs: optest.Attrs("to", "INT32"), In: optest.In(optest.F32(nil, 2.5)), Want: optest.Want(optest.I32(nil, 2))},
		{Name: "no name", Attrs: optest.Attrs("to", "int32"), In: optest.In(optest.F32(nil, 2.5)), Err: `to is "int32", which is no element type`},
	})
}

// TestCastPairs casts 0 and 1, which every type has, between all types.
func TestCastPairs(t *testing.T) {
	var cases, likes []optest.Case
	for from := tensor.F32; from < tensor.NumDTypes; from++ {
		for dst := tensor.F32; dst < tensor.NumDTypes; dst++ {
			if from == dst || from == tensor.Str || dst == tensor.Str || castless(from) || castless(dst) {
				continue
			}
			c := optest.Case{
				Name: from.String() + " to " + dst.String(), Attrs: to(dst),
				In:   optest.In(optest.Filled(from, optest.Dims(5), 1, 0, 1, 1, 0)),
				Want: optest.Want(optest.Filled(dst, optest.Dims(5), 1, 0, 1, 1, 0)),
			}
			cases = append(cases, c)
			c.Attrs, c.In = nil, append(c.In, optest.Filled(dst, optest.Dims(1), 0))
			likes = append(likes, c)
		}
	}
	optest.Run(t, Cast, cases)
	optest.Run(t, CastLike, likes)
}

// castless is true for the types that the schema does not list, and for f8e8m0,
// which has no 0.
func castless(d tensor.DType) bool {
	return d == tensor.C64 || d == tensor.C128 || d == tensor.F8E8M0
}

// A bool that a caller made of another byte is true, at every place of a long tensor.
func TestCastOfAnyTrueIsOne(t *testing.T) {
	const n = 2*boolBlock + 37
	in, want := make([]uint8, n), make([]float32, n)
	for i := range in {
		if in[i] = uint8(i * 7 % 256); in[i] != 0 {
			want[i] = 1
		}
	}
	x, err := tensor.ViewOf(tensor.U8, tensor.Shape{n}, in)
	if err != nil {
		t.Fatal(err)
	}
	x.DType = tensor.Bool
	optest.Run(t, Cast, []optest.Case{{
		Name: "bytes", Attrs: optest.Attrs("to", int(tensor.F32)), In: optest.In(&x), Want: optest.Want(optest.F32(optest.Dims(n), want...)),
	}})
}
