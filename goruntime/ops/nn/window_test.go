package nn

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// What lies under each window is what the definition says, listed or not, and listing is
// left where it would take more than the image.
func TestWhatLiesUnderWindows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 3).Draw(t, "rank")
		draw := func(name string, lo, hi int) []int {
			return rapid.SliceOfN(rapid.IntRange(lo, hi), n, n).Draw(t, name)
		}
		w := &window{
			in: draw("in", 0, 9), kernel: draw("kernel", 1, 12), stride: draw("stride", 1, 13), dilation: draw("dilation", 1, 5),
			begin: draw("begin", 0, 40), end: draw("end", 0, 40), out: make([]int, n),
		}
		stride, dilation := slices.Clone(w.stride), slices.Clone(w.dilation)
		for d := range n {
			if w.place(d, "NOTSET", rapid.Bool().Draw(t, "ceil")) != nil {
				return
			}
		}
		listed, found := newPooling(w, tensor.Shape{1, 1}), newPooling(w, tensor.Shape{1, 1})
		listed.list()
		room := found.room()
		defined := *w
		defined.stride, defined.dilation = stride, dilation
		for i := range found.pixels {
			var want []int32
			for k := range tensor.Shape(w.kernel).Elements() {
				if at, ok := defined.tap(i, k); ok {
					want = append(want, int32(at))
				}
			}
			if a, b := listed.under(i, nil), found.under(i, room); !slices.Equal(a, want) || !slices.Equal(b, want) {
				t.Fatalf("%+v: under pixel %d lie %v and %v, want %v", w, i, a, b, want)
			}
		}
	})
}

func TestLargeWindowsAreNotListed(t *testing.T) {
	w := &window{in: []int{1000, 1000}, kernel: []int{60, 80}, stride: []int{1, 1}, dilation: []int{1, 1}, begin: []int{0, 0}, end: []int{0, 0}, out: []int{941, 921}}
	p := newPooling(w, tensor.Shape{1, 1})
	p.list()
	if p.first != nil || len(p.taps) > 0 {
		t.Errorf("%d taps are listed", len(p.taps))
	}
	if got := p.under(0, p.room()); len(got) != 60*80 || got[80] != 1000 {
		t.Errorf("%d elements lie under the first window", len(got))
	}
}

// Numbers whose sums or products would be no ints are refused, and so are pads that cut;
// a stride or a dilation that steps over nothing costs nothing.
func TestWindowsThatReachFar(t *testing.T) {
	x, w := optest.F32(optest.Dims(1, 1, 3), 1, 3, 2), optest.F32(optest.Dims(1, 1, 1), 2)
	for _, c := range []struct {
		name, attr, err string
		list            []int
	}{
		{"an enormous pad", "pads", "pads 0 and 4611686018427387904 of dimension 0: each must lie in [0, 2^31]", []int{0, 1 << 62}},
		{"a pad that cuts", "pads", "pads -1 and 0 of dimension 0: each must lie in [0, 2^31]", []int{-1, 0}},
		{"an enormous stride", "strides", "stride 9223372036854775807,", []int{1<<63 - 1}},
		{"an enormous dilation", "dilations", "dilation 4611686018427387904,", []int{1 << 62}},
	} {
		optest.Run(t, Conv, []optest.Case{{Name: c.name, Attrs: optest.Attrs(c.attr, c.list), In: optest.In(x, w), Err: c.err, Code: errs.Shape}})
		optest.Run(t, ConvTranspose, []optest.Case{{Name: c.name, Attrs: optest.Attrs(c.attr, c.list), In: optest.In(x, w), Err: c.err, Code: errs.Shape}})
		optest.Run(t, MaxPool, []optest.Case{{Name: c.name, Attrs: optest.Attrs("kernel_shape", []int{1}, c.attr, c.list), In: optest.In(x), Err: c.err, Code: errs.Shape}})
	}
	optest.Run(t, MaxPool, []optest.Case{
		{Name: "a kernel without an end", Attrs: optest.Attrs("kernel_shape", []int{1 << 62}), In: optest.In(x), Err: "takes more than 2^56 bytes", Code: errs.Shape},
		{Name: "a kernel in its pads", Attrs: optest.Attrs("kernel_shape", []int{1 << 31}, "pads", []int{1 << 30, 1 << 30}), In: optest.In(x), Want: optest.Want(optest.F32(optest.Dims(1, 1, 4), 3, 3, 3, 3))},
		{Name: "a stride over all", Attrs: optest.Attrs("kernel_shape", []int{2}, "strides", []int{1 << 31}), In: optest.In(x), Want: optest.Want(optest.F32(optest.Dims(1, 1, 1), 3))},
	})
	wide := optest.F32(optest.Dims(1, 1, 2, 3), 1, 2, 3, 4, 5, 6)
	optest.Run(t, Conv, []optest.Case{
		{Name: "a stride over all", Attrs: optest.Attrs("strides", []int{1 << 31, 1 << 31}), In: optest.In(wide, optest.F32(optest.Dims(1, 1, 2, 2), 1, 1, 1, 1)), Want: optest.Want(optest.F32(optest.Dims(1, 1, 1, 1), 12))},
		{Name: "strides of a billion phases", Attrs: optest.Attrs("strides", []int{1 << 20, 1 << 20}, "pads", []int{0, 0, 1 << 20, 1 << 20}), In: optest.In(wide, optest.F32(optest.Dims(1, 1, 1, 1), 2)), Want: optest.Want(optest.F32(optest.Dims(1, 1, 2, 2), 2, 0, 0, 0))},
		{Name: "a dilation of one element", Attrs: optest.Attrs("dilations", []int{1 << 31, 1 << 31}), In: optest.In(wide, optest.F32(optest.Dims(1, 1, 1, 1), 2)), Want: optest.Want(optest.F32(optest.Dims(1, 1, 2, 3), 2, 4, 6, 8, 10, 12))},
	})
}
