package optest

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Equal reports as a test error where got differs from want: dtype, shape, and
// elements to the tolerance of Case.Tol.
func Equal(t testing.TB, what string, got, want *tensor.View, tol float64) {
	t.Helper()
	if got.DType != want.DType || !got.Shape.Equal(want.Shape) {
		t.Errorf("%s is %v, want %v", what, got, want)
		return
	}
	if want.Data == nil || want.Elements() == 0 {
		return
	}
	if read := readers[want.DType]; read != nil {
		near(t, what, got, want, tol, read)
		return
	}
	if want.DType == tensor.Str {
		g, w := tensor.Elems[string](got), tensor.Elems[string](want)
		for i := range w {
			if g[i] != w[i] {
				t.Errorf("%s differs at element %d: %q, want %q\n got %q\nwant %q", what, i, g[i], w[i], g, w)
				return
			}
		}
		return
	}
	if g, w := got.Raw(), want.Raw(); !bytes.Equal(g, w) {
		t.Errorf("%s differs (%v)\n got %s\nwant %s", what, want, show(got), show(want))
	}
}

type reader func(v *tensor.View, i int) (x float64, bits uint64)

var readers = [tensor.NumDTypes]reader{
	tensor.F32: func(v *tensor.View, i int) (float64, uint64) {
		x := tensor.Elems[float32](v)[i]
		return float64(x), uint64(math.Float32bits(x))
	},
	tensor.F64: func(v *tensor.View, i int) (float64, uint64) {
		x := tensor.Elems[float64](v)[i]
		return x, math.Float64bits(x)
	},
	tensor.F16: func(v *tensor.View, i int) (float64, uint64) {
		x := tensor.Elems[tensor.Half](v)[i]
		return float64(x.Float32()), uint64(x)
	},
	tensor.BF16: func(v *tensor.View, i int) (float64, uint64) {
		x := tensor.Elems[tensor.BFloat16](v)[i]
		return float64(x.Float32()), uint64(x)
	},
	tensor.F8E4M3FN: readSmall, tensor.F8E4M3UZ: readSmall, tensor.F8E5M2: readSmall, tensor.F8E5M2UZ: readSmall, tensor.F8E8M0: readSmall,
}

func readSmall(v *tensor.View, i int) (float64, uint64) {
	code := tensor.Elems[uint8](v)[i]
	return float64(tensor.SmallOf(v.DType).Value(code)), uint64(code)
}

func near(t testing.TB, what string, got, want *tensor.View, tol float64, read reader) {
	t.Helper()
	bad, first := 0, ""
	for i := range want.Elements() {
		g, gb := read(got, i)
		w, wb := read(want, i)
		if same(g, w, gb, wb, tol) {
			continue
		}
		if bad++; bad == 1 {
			first = fmt.Sprintf("%s differs (%v) at element %d: %v, want %v", what, want, i, g, w)
			if g == w {
				first += " (the bits differ)"
			}
		}
	}
	if bad > 0 {
		t.Errorf("%s; %d of %d elements differ\n got %s\nwant %s", first, bad, want.Elements(), show(got), show(want))
	}
}

func same(g, w float64, gb, wb uint64, tol float64) bool {
	switch {
	case math.IsNaN(w):
		return math.IsNaN(g)
	case gb == wb:
		return true
	case tol == 0 || math.IsInf(w, 0) || math.IsInf(g, 0):
		return false
	}
	return math.Abs(g-w) <= tol*max(1, math.Abs(w)) // false for a NaN
}

// show returns the first elements of v.
func show(v *tensor.View) string {
	const most = 40
	if read := readers[v.DType]; read != nil {
		list := make([]float64, min(most, v.Elements()))
		for i := range list {
			list[i], _ = read(v, i)
		}
		return fmt.Sprint(list)
	}
	switch v.DType.Width() {
	case 2:
		return head(tensor.Elems[int16](v))
	case 4:
		return head(tensor.Elems[int32](v))
	case 8:
		return head(tensor.Elems[int64](v))
	default:
		return head(v.Raw())
	}
}

func head[T any](s []T) string { return fmt.Sprint(s[:min(40, len(s))]) }
