package nn

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Whatever a grid says, what is read lies in the plane.
func FuzzGridSampleReadsInside(f *testing.F) {
	f.Add(0.5, -0.25, uint8(3), uint8(4), uint8(0), uint8(0), false)
	f.Add(1e300, -1e300, uint8(1), uint8(1), uint8(2), uint8(2), true)
	f.Fuzz(func(t *testing.T, x, y float64, h, w, mode, padding uint8, corners bool) {
		taps := []int{1, 2, 4}[mode%3]
		s := &sampler{
			dims: []int{1 + int(h%9), 1 + int(w%9)}, taps: taps, combos: taps * taps, corners: corners,
			padding: paddingModes[padding%3], grid: []float64{x, y},
		}
		if taps == 4 {
			s.filter = sampling{mode: "cubic", a: -0.75}
		}
		var at [mostCombos]int
		var weight [mostCombos]float64
		n := s.place(0, &at, &weight)
		if n < 0 || n > s.combos {
			t.Fatalf("%d elements of %d", n, s.combos)
		}
		for _, i := range at[:n] {
			if i < 0 || i >= s.dims[0]*s.dims[1] {
				t.Fatalf("element %d of a plane of %v", i, s.dims)
			}
		}
	})
}

// Whatever scale and region a Resize is given, what is read lies on the axis.
func FuzzResizeReadsInside(f *testing.F) {
	f.Add(uint8(4), float32(1.5), 0.0, 1.0, uint8(0), uint8(0), true)
	f.Add(uint8(1), float32(0.01), -1e308, 1e308, uint8(6), uint8(1), false)
	transforms := []string{"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_half_pixel_for_nn", "tf_crop_and_resize"}
	f.Fuzz(func(t *testing.T, in uint8, scale float32, start, end float64, transform, mode uint8, antialias bool) {
		x := resizeAxis{in: 1 + int(in%50), start: start, end: end}
		s := sampling{mode: []string{"nearest", "linear", "cubic"}[mode%3], transform: transforms[transform%7], a: -0.75, antialias: antialias, outside: mode%2 == 0}
		if x.scaled(scale, s.transform == "tf_crop_and_resize") != nil || x.out > 1000 {
			return
		}
		for o := range x.out {
			taps, w := x.weights(&s, o, nil, nil)
			taps = append(taps, int32(x.nearestTo(&s, o)))
			if len(w) == 0 {
				t.Fatalf("%+v: output %d is made of nothing", x, o)
			}
			for _, k := range taps {
				if k < 0 || int(k) >= x.in {
					t.Fatalf("%+v: output %d reads element %d", x, o, k)
				}
			}
		}
	})
}

// Whatever a region is, the samples of RoiAlign lie on the image.
func FuzzRoiAlignReadsInside(f *testing.F) {
	f.Add(0.0, 5.0, uint8(2), uint8(7), uint8(2), true)
	f.Add(-3e9, 1e9, uint8(1), uint8(1), uint8(0), false)
	f.Fuzz(func(t *testing.T, first, last float64, bins, limit, samples uint8, shifted bool) {
		s := &regions{scale: 1, samples: int(samples)}
		if shifted {
			s.offset = 0.5
		}
		var d side
		n := 1 + int(bins%8)
		if !(first > -1e9 && first < 1e9 && last > -1e9 && last < 1e9) { // bind refuses such numbers
			return
		}
		s.side(&d, first, last, n, 1+int(limit))
		for i := range min(1000, d.n*n) {
			if p := d.spot(i); p.in && (p.low < 0 || p.high >= d.limit || p.low > p.high || p.w < 0 || p.w > 1) {
				t.Fatalf("sample %d of %v to %v is %+v", i, first, last, p)
			}
		}
	})
}

// Whatever the sizes of a pooling are, bands read and write inside their memory.
func FuzzPoolingByBands(f *testing.F) {
	f.Add(uint8(9), uint16(13), uint8(3), uint8(2), uint8(2), uint8(1), uint8(1), uint8(0), true)
	f.Add(uint8(1), uint16(9000), uint8(2), uint8(3), uint8(1), uint8(2), uint8(0), uint8(2), true)
	f.Fuzz(func(t *testing.T, h uint8, w uint16, kh, kw, sh, sw, top, left uint8, ceil bool) {
		win := &window{
			in: []int{1 + int(h), 1 + int(w)}, kernel: []int{1 + int(kh%9), 1 + int(kw%9)}, stride: []int{1 + int(sh%9), 1 + int(sw%9)},
			dilation: []int{1 + int(kw/9%3), 1 + int(kh/9%3)}, begin: []int{int(top % 9), int(left % 9)}, end: []int{int(left % 9), int(top % 9)}, out: make([]int, 2),
		}
		for d := range 2 {
			if win.place(d, "NOTSET", ceil) != nil {
				return
			}
		}
		p := newPooling(win, tensor.Shape{1, 1, win.in[0], win.in[1]})
		b := p.band()
		if b.pixels < 1 {
			return
		}
		x, y := make([]float32, p.plane), make([]float32, p.pixels+1)
		for i := range x {
			x[i] = float32(i%11) - 20
		}
		p.in, p.out = view32(x), view32(y[:p.pixels])
		maxPool32(p, 0, 1)
		p.list()
		for i, v := range y[:p.pixels] {
			want := lowest32
			for _, at := range p.under(i, p.room()) {
				want = max(want, x[at])
			}
			if v != want {
				t.Fatalf("window %+v: pixel %d is %v, want %v", win, i, v, want)
			}
		}
	})
}

func view32(s []float32) *tensor.View {
	v, _ := tensor.ViewOf(tensor.F32, tensor.Shape{len(s)}, s)
	return &v
}
