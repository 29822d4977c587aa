package nn

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// filter is a convolution with its output's dimensions and where the first
// window begins, both worked out by hand.
type filter struct {
	name     string
	x, w, y  tensor.Shape
	begin    []int // the padding before each dimension
	stride   []int
	dilation []int
	group    int
	attrs    []op.Value
}

var filters = []filter{
	{"the specification's example with padding", optest.Dims(1, 1, 5, 5), optest.Dims(1, 1, 3, 3), optest.Dims(1, 1, 5, 5), []int{1, 1}, nil, nil, 1, optest.Attrs("kernel_shape", []int{3, 3}, "pads", []int{1, 1, 1, 1})},
	{"without padding", optest.Dims(1, 1, 5, 5), optest.Dims(1, 1, 3, 3), optest.Dims(1, 1, 3, 3), []int{0, 0}, nil, nil, 1, nil},
	{"strides and padding", optest.Dims(1, 1, 7, 5), optest.Dims(1, 1, 3, 3), optest.Dims(1, 1, 4, 3), []int{1, 1}, []int{2, 2}, nil, 1, optest.Attrs("strides", []int{2, 2}, "pads", []int{1, 1, 1, 1})},
	{"padding on some sides", optest.Dims(1, 1, 7, 5), optest.Dims(1, 1, 3, 3), optest.Dims(1, 1, 4, 2), []int{1, 0}, []int{2, 2}, nil, 1, optest.Attrs("strides", []int{2, 2}, "pads", []int{1, 0, 1, 0})},
	{"SAME_LOWER", optest.Dims(1, 1, 5, 5), optest.Dims(1, 1, 3, 3), optest.Dims(1, 1, 3, 3), []int{1, 1}, []int{2, 2}, nil, 1, optest.Attrs("strides", []int{2, 2}, "auto_pad", "SAME_LOWER")},
	{"SAME_LOWER, uneven", optest.Dims(1, 1, 4, 4), optest.Dims(1, 1, 2, 2), optest.Dims(1, 1, 4, 4), []int{1, 1}, nil, nil, 1, optest.Attrs("auto_pad", "SAME_LOWER")},
	{"SAME_UPPER, uneven", optest.Dims(1, 1, 4, 4), optest.Dims(1, 1, 2, 2), optest.Dims(1, 1, 4, 4), []int{0, 0}, nil, nil, 1, optest.Attrs("auto_pad", "SAME_UPPER")},
	{"VALID ignores pads", optest.Dims(1, 2, 5, 4), optest.Dims(3, 2, 3, 2), optest.Dims(1, 3, 3, 3), []int{0, 0}, nil, nil, 1, optest.Attrs("auto_pad", "VALID")},
	{"dilated", optest.Dims(2, 2, 7, 9), optest.Dims(3, 2, 2, 3), optest.Dims(2, 3, 5, 7), []int{0, 1}, nil, []int{2, 2}, 1, optest.Attrs("dilations", []int{2, 2}, "pads", []int{0, 1, 0, 1})},
	{"groups", optest.Dims(2, 4, 4, 5), optest.Dims(6, 2, 3, 3), optest.Dims(2, 6, 4, 5), []int{1, 1}, nil, nil, 2, optest.Attrs("group", 2, "pads", []int{1, 1, 1, 1})},
	{"depthwise", optest.Dims(1, 3, 6, 19), optest.Dims(3, 1, 3, 3), optest.Dims(1, 3, 6, 19), []int{1, 1}, nil, nil, 3, optest.Attrs("group", 3, "pads", []int{1, 1, 1, 1})},
	{"depthwise with strides", optest.Dims(1, 3, 6, 19), optest.Dims(3, 1, 3, 3), optest.Dims(1, 3, 3, 10), []int{1, 1}, []int{2, 2}, nil, 3, optest.Attrs("group", 3, "strides", []int{2, 2}, "pads", []int{1, 1, 1, 1})},
	{"depthwise, two filters a channel", optest.Dims(1, 2, 5, 5), optest.Dims(4, 1, 2, 2), optest.Dims(1, 4, 4, 4), []int{0, 0}, nil, nil, 2, optest.Attrs("group", 2)},
	{"1x1", optest.Dims(2, 5, 3, 7), optest.Dims(9, 5, 1, 1), optest.Dims(2, 9, 3, 7), []int{0, 0}, nil, nil, 1, nil},
	{"1x1 with strides", optest.Dims(1, 3, 5, 5), optest.Dims(2, 3, 1, 1), optest.Dims(1, 2, 3, 3), []int{0, 0}, []int{2, 2}, nil, 1, optest.Attrs("strides", []int{2, 2})},
	{"many filters", optest.Dims(1, 3, 4, 4), optest.Dims(37, 3, 3, 3), optest.Dims(1, 37, 2, 2), []int{0, 0}, nil, nil, 1, nil},
	{"one dimension", optest.Dims(2, 3, 21), optest.Dims(4, 3, 5), optest.Dims(2, 4, 11), []int{2}, []int{2}, nil, 1, optest.Attrs("strides", []int{2}, "pads", []int{2, 2})},
	{"three dimensions", optest.Dims(1, 2, 3, 4, 5), optest.Dims(2, 2, 2, 2, 2), optest.Dims(1, 2, 3, 3, 5), []int{1, 0, 0}, nil, nil, 1, optest.Attrs("pads", []int{1, 0, 0, 0, 0, 1})},
	{"no images", optest.Dims(0, 1, 5, 5), optest.Dims(1, 1, 3, 3), optest.Dims(0, 1, 3, 3), []int{0, 0}, nil, nil, 1, nil},
	{"no filters", optest.Dims(1, 1, 5, 5), optest.Dims(0, 1, 3, 3), optest.Dims(1, 0, 3, 3), []int{0, 0}, nil, nil, 1, nil},
}

// at returns the index in each dimension of the flat index i.
func at(dims tensor.Shape, i int) []int {
	x := make([]int, len(dims))
	for d := len(dims) - 1; d >= 0; d-- {
		x[d] = i % dims[d]
		i /= dims[d]
	}
	return x
}

// reference convolves by the definition, one output element at a time.
func (f *filter) reference(x, w, bias []float64) []float64 {
	out := make([]float64, f.y.Elements())
	for o := range out {
		y := at(f.y, o)
		if bias != nil {
			out[o] = bias[y[1]]
		}
		for k := range f.w[1:].Elements() {
			tap := at(f.w[1:], k)
			from := y[0]*f.x[1] + y[1]/(f.w[0]/f.group)*f.w[1] + tap[0]
			inside := true
			for d, b := range f.begin {
				stride, dilation := 1, 1
				if f.stride != nil {
					stride = f.stride[d]
				}
				if f.dilation != nil {
					dilation = f.dilation[d]
				}
				p := y[2+d]*stride + tap[1+d]*dilation - b
				inside = inside && p >= 0 && p < f.x[2+d]
				from = from*f.x[2+d] + p
			}
			if inside {
				out[o] += x[from] * w[y[1]*f.w[1:].Elements()+k]
			}
		}
	}
	return out
}

// The numbers are so small that all sums are exact, even in bf16.
func TestConv(t *testing.T) {
	for _, d := range Conv.Def().DTypes.Types() {
		var cases []optest.Case
		for i := range filters {
			f := &filters[i]
			x, w, bias := make([]float64, f.x.Elements()), make([]float64, f.w.Elements()), make([]float64, f.w[0])
			for k := range x {
				x[k] = float64((k*k + k/3) % 4)
			}
			for k := range w {
				w[k] = float64(k*k%5 - 2)
			}
			for k := range bias {
				bias[k] = float64(k%7 - 3)
			}
			in := optest.In(optest.Filled(d, f.x, x...), optest.Filled(d, f.w, w...))
			cases = append(cases,
				optest.Case{Name: d.String() + " " + f.name, Attrs: f.attrs, In: in, Want: optest.Want(optest.Filled(d, f.y, f.reference(x, w, nil)...))},
				optest.Case{
					Name: d.String() + " " + f.name + ", bias", Attrs: f.attrs, In: append(in[:2:2], optest.Filled(d, f.w[:1], bias...)),
					Want: optest.Want(optest.Filled(d, f.y, f.reference(x, w, bias)...)),
				})
		}
		optest.Run(t, Conv, cases)
	}
}

func TestConvErrors(t *testing.T) {
	zeros := func(dims ...int) *tensor.View {
		return optest.F32(dims, make([]float32, tensor.Shape(dims).Elements())...)
	}
	x, w := zeros(1, 2, 5, 5), zeros(4, 2, 3, 3)
	in := optest.In(x, w)
	optest.Run(t, Conv, []optest.Case{
		{Name: "a matrix", In: optest.In(zeros(2, 2), w), Err: "X has shape [2, 2], W has shape [4, 2, 3, 3]: both need a rank of 3", Code: errs.Shape},
		{Name: "other channels", In: optest.In(zeros(1, 3, 5, 5), w), Err: "X has 3 channels", Code: errs.Shape},
		{Name: "filters that do not divide", Attrs: optest.Attrs("group", 2), In: optest.In(x, zeros(3, 1, 3, 3)), Err: "M a multiple of group", Code: errs.Shape},
		{Name: "no group", Attrs: optest.Attrs("group", 0), In: in, Err: "group is 0", Code: errs.Shape},
		{Name: "another kernel_shape", Attrs: optest.Attrs("kernel_shape", []int{3, 2}), In: in, Err: "kernel_shape is [3 2], W has shape [4, 2, 3, 3]", Code: errs.Shape},
		{Name: "a bias of another length", In: append(in[:2:2], zeros(3)), Err: "the bias has shape [3], [4] expected", Code: errs.Shape},
		{Name: "too few pads", Attrs: optest.Attrs("pads", []int{1, 1}), In: in, Err: "do not fit the 2 spatial dimensions", Code: errs.Shape},
		{Name: "no stride", Attrs: optest.Attrs("strides", []int{0, 1}), In: in, Err: "stride 0 and dilation 1 of dimension 0 must be positive", Code: errs.Shape},
		{Name: "a window that does not fit", Attrs: optest.Attrs("dilations", []int{1, 3}), In: in, Err: "a window of 7 does not fit into dimension 1 of 5", Code: errs.Shape},
		{Name: "an unknown auto_pad", Attrs: optest.Attrs("auto_pad", "SAME"), In: in, Err: `auto_pad "SAME" is none of`, Code: errs.Argument},
		{Name: "filters of another type", In: optest.In(x, optest.F64(optest.Dims(4, 2, 3, 3), make([]float64, 72)...)), Err: "input 1 is f64, input 0 is f32", Code: errs.Type},
	})
}
