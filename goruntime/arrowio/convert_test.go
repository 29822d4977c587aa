package arrowio

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// bounds are the least and the greatest whole numbers of types.
var bounds = map[tensor.DType][2]string{
	tensor.I8: {"-128", "127"}, tensor.I16: {"-32768", "32767"}, tensor.I32: {"-2147483648", "2147483647"}, tensor.I64: {"-9223372036854775808", "9223372036854775807"},
	tensor.U8: {"0", "255"}, tensor.U16: {"0", "65535"}, tensor.U32: {"0", "4294967295"}, tensor.U64: {"0", "18446744073709551615"},
}

// infinite are the least numbers that floats round to infinity: half a digit behind their
// greatest.
var infinite = map[tensor.DType]float64{tensor.F16: 65520, tensor.BF16: 0x1.ffp127, tensor.F32: 0x1.ffffffp127, tensor.F64: math.Inf(1)}

func viewOf[T any](t *testing.T, d tensor.DType, list ...T) tensor.View {
	t.Helper()
	v, err := tensor.ViewOf(d, tensor.Shape{len(list)}, list)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// exact returns a number as it is; not ok for what is none.
func exact(t *testing.T, item any) (x *big.Float, ok bool) {
	t.Helper()
	switch v := item.(type) {
	case bool:
		item = map[bool]int{true: 1}[v]
	case tensor.Half:
		item = v.Float32()
	case tensor.BFloat16:
		item = v.Float32()
	}
	text := fmt.Sprint(item)
	switch v := item.(type) {
	case float32:
		text = fmt.Sprintf("%x", v)
	case float64:
		text = fmt.Sprintf("%x", v)
	}
	if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
		return nil, false
	}
	x, _, err := big.ParseFloat(text, 0, 200, big.ToNearestEven)
	if err != nil {
		t.Fatal(err)
	}
	return x, true
}

// A cast to whole numbers gives the same number or refuses; one to floats rounds, and refuses
// what would be infinite.
func TestCastsKeepNumbersOrRefuse(t *testing.T) {
	huge := math.Ldexp(1, 63)
	froms := []tensor.View{
		viewOf(t, tensor.F64, 0, -1, 1.5, -0.25, 127, 128, -128, -129, 255, 256, 65504, 65520, 32767, 32768, 1<<24+1, huge, math.Nextafter(huge, 0), -huge, 2*huge, math.Nextafter(2*huge, 0), 1e39, -1e300, math.MaxFloat32, math.NaN(), math.Inf(1), math.Inf(-1)),
		viewOf(t, tensor.F32, 0, -1, 2.5, 128, 3e38, float32(huge), float32(2*huge), float32(math.NaN()), float32(math.Inf(-1))),
		viewOf(t, tensor.F16, tensor.HalfOf(0), tensor.HalfOf(-2), tensor.HalfOf(0.5), tensor.HalfOf(65504), tensor.HalfOf(float32(math.Inf(1))), tensor.HalfOf(float32(math.NaN()))),
		viewOf(t, tensor.Bool, false, true),
		viewOf[int8](t, tensor.I8, 0, -1, 127, -128), viewOf[int16](t, tensor.I16, 0, -1, 255, 256, -129),
		viewOf[int32](t, tensor.I32, 0, -1, 65520, 65536, 1<<24+1), viewOf[int64](t, tensor.I64, 0, -1, math.MaxInt64, math.MinInt64, 1<<53+1, 1<<31),
		viewOf[uint8](t, tensor.U8, 0, 128, 255), viewOf[uint16](t, tensor.U16, 0, 65535, 32768),
		viewOf[uint32](t, tensor.U32, 0, math.MaxUint32), viewOf[uint64](t, tensor.U64, 0, math.MaxUint64, 1<<63),
	}
	refused, kept := 0, 0
	for _, from := range froms {
		for _, to := range []tensor.DType{tensor.F64, tensor.F32, tensor.F16, tensor.BF16, tensor.I8, tensor.I16, tensor.I32, tensor.I64, tensor.U8, tensor.U16, tensor.U32, tensor.U64} {
			if from.DType == to {
				continue
			}
			if !castable(from.DType, to) {
				t.Errorf("%v cannot be cast to %v", from.DType, to)
				continue
			}
			for i := range from.Elements() {
				one := from.Slice(i, 1)
				x, number := exact(t, one.Item(0))
				fits := number
				if b, whole := bounds[to]; whole && number {
					low, _ := exact(t, b[0])
					high, _ := exact(t, b[1])
					fits = x.IsInt() && x.Cmp(low) >= 0 && x.Cmp(high) <= 0
				} else if !whole {
					fits = !number || new(big.Float).Abs(x).Cmp(big.NewFloat(infinite[to])) < 0
				}
				room := make([]byte, 8)
				out := tensor.View{DType: to, Shape: tensor.Shape{1}, Data: viewOf(t, tensor.U8, room...).Data}
				err := convertTo(&out, &one)
				if !fits {
					refused++
					if errs.CodeOf(err) != errs.Argument || !strings.Contains(err.Error(), fmt.Sprintf("row 0 has %v, which is no %v", from.Item(i), to)) {
						t.Errorf("%v %v to %v: %v", from.DType, from.Item(i), to, err)
					}
					continue
				}
				kept++
				if err != nil {
					t.Errorf("%v %v to %v: %v", from.DType, from.Item(i), to, err)
					continue
				}
				y, finite := exact(t, one.Item(0))
				if _, whole := bounds[to]; finite != number || whole && y.Cmp(x) != 0 {
					t.Errorf("%v %v to %v: %v", from.DType, from.Item(i), to, one.Item(0))
				}
				if to == tensor.F32 && number {
					if want, _ := x.Float32(); want != one.Item(0) {
						t.Errorf("%v %v to %v: %v, want %v", from.DType, from.Item(i), to, one.Item(0), want)
					}
				}
			}
		}
	}
	if refused < 100 || kept < 100 {
		t.Errorf("%d refused, %d kept", refused, kept)
	}
}

// What a manifest's cast refuses is told by column, row and number, in a matrix too.
func TestCastsNameWhatTheyRefuse(t *testing.T) {
	f64, i64 := arrow.PrimitiveTypes.Float64, arrow.PrimitiveTypes.Int64
	cast := &Manifest{Inputs: map[string]InputRule{"x": {Cast: true, Columns: strings.Split("abcdefg", "")}}}
	var columns []arrow.Field
	for _, c := range "abcdefg" {
		columns = append(columns, field(string(c), f64))
	}
	for _, c := range []struct {
		name, model string
		schema      *arrow.Schema
		rows        string
		m           *Manifest
		want, code  any
	}{
		{"a column", "double", schemaOf(field("x", f64)), `[{"x":1},{"x":1e300}]`, &Manifest{Inputs: map[string]InputRule{"x": {Cast: true}}}, `the column "x": row 1 has 1e+300, which is no f32`, errs.Argument},
		{"lists", "double", schemaOf(field("x", arrow.FixedSizeListOf(2, f64))), `[{"x":[1,2]},{"x":[3,4]},{"x":[1,-1e39]}]`, &Manifest{Inputs: map[string]InputRule{"x": {Cast: true}}}, `the column "x": row 2 has -1e+39, which is no f32`, errs.Argument},
		{"a column of several", "rows", schemaOf(columns...), `[{"a":1,"b":1,"c":1,"d":1e40,"e":1,"f":1,"g":1}]`, cast, `the column "d": row 0 has 1e+40, which is no f32`, errs.Argument},
		{"no cast to texts", "strings", schemaOf(field("s", i64), field("t", arrow.BinaryTypes.String)), `[]`, &Manifest{Inputs: map[string]InputRule{"s": {Cast: true}}}, `the column "s" is int64, str expected, to which it cannot be cast`, errs.Type},
		{"no cast, but allowed to be", "double", schemaOf(field("x", arrow.FixedWidthTypes.Boolean)), `[]`, nil, `the column "x" is bool, f32 expected: a manifest may allow the cast`, errs.Type},
	} {
		t.Run(c.name, func(t *testing.T) {
			testkit.NoLeaks(t)
			b := batchOf(t, c.schema, c.rows)
			defer b.Release()
			s := open(t, c.model)
			_, _, err := scored(t, s, b, c.m)
			if err == nil || !strings.Contains(err.Error(), c.want.(string)) || errs.CodeOf(err) != c.code {
				t.Errorf("%v, want %v", err, c.want)
			}
			if n := s.IO().Stats().LiveBlocks; n != 0 {
				t.Errorf("%d blocks are live", n)
			}
		})
	}
}
