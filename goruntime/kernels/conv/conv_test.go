package conv

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/kernels/cpu"
)

func random(r *rand.Rand, n int) []float32 {
	s := make([]float32, n)
	for i := range s {
		s[i] = float32(r.NormFloat64())
	}
	return s
}

func address(s []float32) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }

// reference sums each output in float64.
func reference(s Shape, x, w, bias []float32) []float64 {
	pixels, plane, taps := product(s.Out), product(s.In), product(s.Kernel)
	channels, perM := s.C/s.Group, s.M/s.Group
	var out []float64
	for n := range s.N {
		for m := range s.M {
			for i := range pixels {
				sum := float64(bias[m])
				for ch := range channels {
					for t := range taps {
						if at := position(s, i, t); at >= 0 {
							sum += float64(x[(n*s.C+m/perM*channels+ch)*plane+at]) * float64(w[(m*channels+ch)*taps+t])
						}
					}
				}
				out = append(out, sum)
			}
		}
	}
	return out
}

// position goes from coordinates to the place in a plane.
func position(s Shape, pixel, tap int) int {
	at := make([]int, len(s.In))
	for d := len(s.In) - 1; d >= 0; d-- {
		at[d] = pixel%s.Out[d]*s.Stride[d] + tap%s.Kernel[d]*s.Dilation[d] - s.Begin[d]
		pixel, tap = pixel/s.Out[d], tap/s.Kernel[d]
	}
	place := 0
	for d, i := range at {
		if i < 0 || i >= s.In[d] {
			return -1
		}
		place = place*s.In[d] + i
	}
	return place
}

func shape(n, c, m, group int, in, kernel, stride, dilation, begin []int) Shape {
	s := Shape{N: n, C: c, M: m, Group: group, In: in, Kernel: kernel, Stride: stride, Dilation: dilation, Begin: begin}
	for d := range in {
		s.Out = append(s.Out, (in[d]+2*begin[d]-dilation[d]*(kernel[d]-1)-1)/stride[d]+1)
	}
	return s
}

var shapes = map[string]Shape{
	"1x1":                                   shape(2, 5, 7, 1, []int{9, 11}, []int{1, 1}, []int{1, 1}, []int{1, 1}, []int{0, 0}),
	"3x3 padded":                            shape(2, 3, 8, 1, []int{13, 17}, []int{3, 3}, []int{1, 1}, []int{1, 1}, []int{1, 1}),
	"3x3 stride 2":                          shape(1, 4, 6, 2, []int{15, 16}, []int{3, 3}, []int{2, 2}, []int{1, 1}, []int{1, 1}),
	"dilated":                               shape(1, 2, 3, 1, []int{20, 9}, []int{3, 2}, []int{1, 2}, []int{2, 3}, []int{2, 1}),
	"depthwise":                             shape(2, 6, 6, 6, []int{10, 10}, []int{3, 3}, []int{1, 1}, []int{1, 1}, []int{1, 1}),
	"depthwise dilated":                     shape(1, 3, 6, 3, []int{19, 23}, []int{5, 3}, []int{1, 1}, []int{2, 3}, []int{3, 4}),
	"depthwise signal":                      shape(2, 4, 4, 4, []int{90}, []int{7}, []int{1}, []int{1}, []int{3}),
	"depthwise stride 2":                    shape(1, 4, 4, 4, []int{12, 12}, []int{3, 3}, []int{2, 2}, []int{1, 1}, []int{1, 1}),
	"depthwise strides":                     shape(2, 3, 6, 3, []int{17, 23}, []int{5, 4}, []int{2, 3}, []int{1, 1}, []int{2, 1}),
	"depthwise, strides and dilations":      shape(1, 2, 2, 2, []int{19, 21}, []int{3, 3}, []int{2, 4}, []int{3, 2}, []int{3, 2}),
	"depthwise signal, stride":              shape(1, 4, 4, 4, []int{90}, []int{7}, []int{3}, []int{2}, []int{4}),
	"depthwise, a stride beyond the window": shape(1, 2, 2, 2, []int{20, 20}, []int{2, 1}, []int{3, 4}, []int{1, 1}, []int{0, 0}),
	"single channels side by side":          shape(2, 37, 37, 37, []int{14, 13}, []int{5, 5}, []int{1, 1}, []int{1, 1}, []int{2, 2}),
	"single channels, strides":              shape(2, 24, 24, 24, []int{15, 28}, []int{3, 3}, []int{2, 2}, []int{1, 1}, []int{1, 1}),
	"single channels, dilated":              shape(1, 17, 17, 17, []int{19, 9}, []int{3, 2}, []int{3, 1}, []int{2, 3}, []int{2, 1}),
	"single channels of a signal":           shape(2, 20, 20, 20, []int{90}, []int{7}, []int{2}, []int{1}, []int{3}),
	"single channels, input left over":      shape(1, 9, 9, 9, []int{8, 8}, []int{1, 2}, []int{3, 2}, []int{1, 1}, []int{0, 0}),
	"single channels in bands":              shape(1, 9, 9, 9, []int{40, 30}, []int{3, 3}, []int{2, 2}, []int{1, 1}, []int{1, 1}),
	"single channels, bands of the cache":   shape(1, 17, 17, 17, []int{90, 100}, []int{5, 5}, []int{1, 1}, []int{1, 1}, []int{2, 2}),
	"single channels, dilated in bands":     shape(1, 9, 9, 9, []int{70, 20}, []int{3, 3}, []int{1, 1}, []int{4, 2}, []int{5, 3}),
	"single channels in lines":              shape(2, 11, 11, 11, []int{13, 29}, []int{3, 3}, []int{1, 1}, []int{1, 1}, []int{1, 1}),
	"single channels in lines, 5x5":         shape(1, 9, 9, 9, []int{7, 45}, []int{5, 5}, []int{2, 1}, []int{1, 1}, []int{2, 2}),
	"single channels in lines, strides":     shape(1, 70, 70, 70, []int{31, 61}, []int{3, 3}, []int{2, 2}, []int{1, 1}, []int{1, 1}),
	"single channels in lines, unpadded":    shape(1, 8, 8, 8, []int{9, 34}, []int{3, 3}, []int{1, 2}, []int{1, 1}, []int{0, 0}),
	"single channels in lines, padding":     shape(1, 8, 8, 8, []int{2, 14}, []int{3, 3}, []int{1, 1}, []int{1, 1}, []int{9, 17}),
	"1x1, filters cut within a panel":       shape(1, 20, 600, 1, []int{7, 7}, []int{1, 1}, []int{1, 1}, []int{1, 1}, []int{0, 0}),
	"1x1, rows and pixels cut":              shape(1, 30, 100, 1, []int{20, 21}, []int{1, 1}, []int{1, 1}, []int{1, 1}, []int{0, 0}),
	"few pixels":                            shape(3, 8, 40, 2, []int{4}, []int{3}, []int{1}, []int{1}, []int{1}),
	"one signal, stride":                    shape(1, 1, 18, 1, []int{700}, []int{256}, []int{128}, []int{1}, []int{0}),
	"volume":                                shape(1, 2, 3, 1, []int{5, 6, 7}, []int{2, 3, 3}, []int{1, 2, 1}, []int{1, 1, 2}, []int{1, 0, 1}),
	"3x3 unpadded":                          shape(2, 3, 14, 1, []int{12, 9}, []int{3, 3}, []int{1, 1}, []int{1, 1}, []int{0, 0}),
	"3x3 in bands":                          shape(1, 3, 7, 1, []int{40, 70}, []int{3, 3}, []int{1, 1}, []int{1, 1}, []int{1, 1}),
	"3x3 in bands of the cache":             shape(1, 160, 3, 1, []int{9, 90}, []int{3, 3}, []int{1, 1}, []int{1, 1}, []int{1, 1}),
	"narrow, many filters":                  shape(1, 3, 50, 1, []int{7, 7}, []int{3, 3}, []int{1, 1}, []int{1, 1}, []int{1, 1}),
	"1x1, few blocks":                       shape(1, 20, 50, 1, []int{7, 7}, []int{1, 1}, []int{1, 1}, []int{1, 1}, []int{0, 0}),
	"rows too long to keep":                 shape(1, 2, 3, 1, []int{140000}, []int{3}, []int{1}, []int{1}, []int{1}),
	"1x1, pixels in rows":                   shape(2, 37, 70, 1, []int{7, 7}, []int{1, 1}, []int{1, 1}, []int{1, 1}, []int{0, 0}),
	"1x1, pixels in rows of groups":         shape(1, 40, 300, 2, []int{5, 5}, []int{1, 1}, []int{1, 1}, []int{1, 1}, []int{0, 0}),
	"3x2, channels in rows":                 shape(2, 21, 140, 1, []int{7, 6}, []int{3, 2}, []int{1, 1}, []int{1, 1}, []int{1, 1}),
	"3x3, channels in rows of groups":       shape(1, 20, 140, 2, []int{13, 14}, []int{3, 3}, []int{2, 2}, []int{1, 1}, []int{1, 1}),
	"3x3, pixels in rows":                   shape(1, 5, 200, 1, []int{7, 7}, []int{3, 3}, []int{1, 1}, []int{1, 1}, []int{1, 1}),
	"turned, stride 2 in bands":             shape(2, 37, 45, 1, []int{21, 20}, []int{3, 3}, []int{2, 2}, []int{1, 1}, []int{1, 1}),
	"turned, groups":                        shape(1, 66, 70, 2, []int{19, 23}, []int{3, 3}, []int{2, 2}, []int{1, 1}, []int{1, 1}),
	"turned, bands that see padding alone":  shape(1, 64, 64, 1, []int{17, 2}, []int{3, 3}, []int{2, 2}, []int{1, 1}, []int{20, 17}),
	"turned, dilated":                       shape(1, 40, 33, 1, []int{18, 19}, []int{3, 2}, []int{1, 2}, []int{3, 2}, []int{2, 1}),
	"turned, bands of the cache":            shape(1, 128, 32, 1, []int{31, 33}, []int{3, 3}, []int{2, 2}, []int{1, 1}, []int{1, 1}),
	"3x3, more filters than tiles are for":  shape(1, 16, 1730, 1, []int{6, 6}, []int{3, 3}, []int{1, 1}, []int{1, 1}, []int{1, 1}),
	"tiles, few pixels":                     shape(2, 20, 140, 1, []int{7, 7}, []int{3, 3}, []int{1, 1}, []int{1, 1}, []int{1, 1}),
	"tiles, fewest pixels and channels":     shape(1, 16, 16, 1, []int{6, 6}, []int{3, 3}, []int{1, 1}, []int{1, 1}, []int{1, 1}),
	"tiles, few channels":                   shape(1, 16, 17, 1, []int{21, 20}, []int{3, 3}, []int{1, 1}, []int{1, 1}, []int{1, 1}),
	"tiles":                                 shape(2, 21, 50, 1, []int{14, 15}, []int{3, 3}, []int{1, 1}, []int{1, 1}, []int{1, 1}),
	"tiles in bands":                        shape(1, 17, 61, 1, []int{41, 90}, []int{3, 3}, []int{1, 1}, []int{1, 1}, []int{1, 1}),
	"tiles, unpadded":                       shape(1, 30, 130, 1, []int{13, 13}, []int{3, 3}, []int{1, 1}, []int{1, 1}, []int{0, 0}),
	"tiles, much padding":                   shape(1, 33, 33, 1, []int{9, 6}, []int{3, 3}, []int{1, 1}, []int{1, 1}, []int{5, 3}),
	"tiles, narrow bands":                   shape(1, 17, 61, 1, []int{330, 8}, []int{3, 3}, []int{1, 1}, []int{1, 1}, []int{1, 1}),
	"tiles, blocks side by side":            shape(1, 33, 33, 1, []int{9, 230}, []int{3, 3}, []int{1, 1}, []int{1, 1}, []int{1, 1}),
	"tiles, parts of a panel":               shape(1, 40, 96, 1, []int{12, 12}, []int{3, 3}, []int{1, 1}, []int{1, 1}, []int{1, 1}),
	"tiles, rows of one":                    shape(1, 17, 61, 1, []int{60, 4}, []int{3, 3}, []int{1, 1}, []int{1, 1}, []int{1, 1}),
	"1x1 stride 2":                          shape(1, 3, 20, 1, []int{8, 8}, []int{1, 1}, []int{2, 2}, []int{1, 1}, []int{0, 0}),
}

func TestConvolutionAgreesWithFloat64(t *testing.T) {
	all := variants
	defer func() { variants = all }()
	for name, s := range shapes {
		c := newSample(s)
		c.relative = 2e-6
		c.rows, c.tiles = strings.HasPrefix(name, "turned, "), strings.HasPrefix(name, "tiles")
		for _, v := range all {
			if v.level > cpu.Best() {
				continue
			}
			variants = []variant{v}
			for _, relu := range []bool{false, true} {
				for _, packed := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s %s relu %v packed %v", v.name, name, relu, packed), func(t *testing.T) { c.agree(t, relu, packed) })
				}
			}
		}
	}
}

// sample is a convolution with its input and what comes out of it.
type sample struct {
	Shape
	x, w, bias []float32
	want       []float64
	relative   float64 // to the greatest of want, what is near enough; 0 is to each
	tiles      bool
	rows       bool // rows of the product are to be pixels, where filters are packed
}

func newSample(s Shape) *sample {
	r := rand.New(rand.NewPCG(1, 2))
	c := &sample{Shape: s, x: random(r, s.N*s.C*product(s.In)), w: random(r, s.M*s.C/s.Group*product(s.Kernel)), bias: random(r, s.M)}
	c.want = reference(s, c.x, c.w, c.bias)
	return c
}

func (c *sample) agree(t *testing.T, relu, packed bool) {
	s, x, w, bias := c.Shape, c.x, c.w, c.bias
	s.Kept = packed
	whole, parts := make([]float32, s.N*s.M*product(s.Out)), make([]float32, s.N*s.M*product(s.Out))
	p := NewPlan(s, 2, nil)
	a := Args{X: address(x), W: address(w), Bias: address(bias), Y: address(whole), Scratch: make([]byte, p.Workspace()), Relu: relu}
	if c.tiles != p.Winograd() {
		t.Fatalf("in tiles: %v, want %v", p.Winograd(), c.tiles)
	}
	if c.rows && packed && !p.few {
		t.Fatal("rows of the product are not pixels")
	}
	if n := p.PackedFilters(); n > 0 && packed {
		f := make([]float32, n)
		p.PackFilters(f, w)
		a.Packed = address(f)
	}
	p.Bind(&a)
	p.Chunk(0, p.Parts())
	a.Y = address(parts)
	for i := p.Parts() - 1; i >= 0; i-- {
		p.Chunk(i, i+1)
	}
	one, alone := make([]float32, len(whole)), NewPlan(s, 1, nil)
	a.Y, a.Scratch = address(one), make([]byte, alone.Workspace())
	alone.Bind(&a)
	alone.Chunk(0, alone.Parts())
	greatest := 0.0
	for _, want := range c.want {
		greatest = max(greatest, math.Abs(want))
	}
	for i, want := range c.want {
		if relu {
			want = max(want, 0)
		}
		if !(math.Abs(float64(whole[i])-want) <= max(1e-5*max(10, math.Abs(want)), c.relative*greatest)) {
			t.Fatalf("element %d is %v, want %v", i, whole[i], want)
		}
		if whole[i] != parts[i] {
			t.Fatalf("element %d is %v at once, %v in parts", i, whole[i], parts[i])
		}
		if whole[i] != one[i] {
			t.Fatalf("element %d is %v as planned for two threads, %v for one", i, whole[i], one[i])
		}
	}
}

// Single channels have the same bits whether they are read in lines, turned or laid out, next
// to the edges and to what is no number as well.
func TestSingleChannelsInLinesKeepTheirBits(t *testing.T) {
	all := variants
	defer func() { variants = all }()
	v := *chosen()
	if v.lines == nil {
		t.Skipf("%s has no lines", v.name)
	}
	other := v
	other.lines = nil
	r := rand.New(rand.NewPCG(3, 4))
	for kind := range v.lines {
		for range 60 {
			in := []int{kind.window + r.IntN(20), 20 + r.IntN(60)}
			s := shape(1+r.IntN(2), 9+r.IntN(30), 0, 0, in, []int{kind.window, kind.window}, []int{kind.down, kind.across}, []int{1, 1}, []int{r.IntN(4), r.IntN(4)})
			s.M, s.Group = s.C, s.C
			c := &sample{Shape: s, x: random(r, s.N*s.C*product(in)), w: random(r, s.C*kind.window*kind.window), bias: random(r, s.C)}
			if r.IntN(3) == 0 {
				c.bias = nil
			}
			for _, odd := range []float64{math.Inf(1), math.NaN(), math.Copysign(0, -1)} {
				c.x[r.IntN(len(c.x))] = float32(odd)
			}
			for _, relu := range []bool{false, true} {
				variants = []variant{v}
				threads := 1 + r.IntN(3)
				got, lines := c.run(relu, threads)
				variants = []variant{other}
				want, _ := c.run(relu, threads)
				if rest := s.Out[1] % v.lanes; !lines && (rest == 0 || rest > 12) {
					t.Fatalf("%v of %v: not in lines", kind, s.Out)
				}
				for i := range want {
					if math.Float32bits(got[i]) != math.Float32bits(want[i]) && (got[i] == got[i] || want[i] == want[i]) {
						t.Fatalf("%v %+v relu %v: element %d is %v in lines, %v without", kind, s, relu, i, got[i], want[i])
					}
				}
			}
		}
	}
}

// run computes the convolution part by part, the last one first, and reports whether it is
// one in lines.
func (c *sample) run(relu bool, threads int) (y []float32, lines bool) {
	y = make([]float32, c.N*c.M*product(c.Out))
	p := NewPlan(c.Shape, threads, nil)
	p.Bind(&Args{X: address(c.x), W: address(c.w), Bias: address(c.bias), Y: address(y), Scratch: make([]byte, p.Workspace()), Relu: relu})
	for i := p.Parts() - 1; i >= 0; i-- {
		p.Chunk(i, i+1)
	}
	return y, p.lines != nil
}

// A batch may be empty: whatever the windows, there is then nothing to do.
func TestNoImages(t *testing.T) {
	for name, s := range shapes {
		s.N, s.Kept = 0, true
		for _, threads := range []int{1, 2, 16} {
			p := NewPlan(s, threads, nil)
			p.Bind(&Args{Scratch: make([]byte, p.Workspace())})
			if n := p.Parts(); n != 0 {
				t.Errorf("%s: %d parts", name, n)
			}
			if g := p.Grain(); g < 1 {
				t.Errorf("%s: grains of %d", name, g)
			}
		}
	}
}

// Only pixels whose window sees an infinity or NaN have one, in tiles too.
func TestAnInfinityStaysWhereItIsSeen(t *testing.T) {
	all := variants
	defer func() { variants = all }()
	for _, name := range []string{"tiles", "tiles in bands", "tiles, narrow bands", "tiles, much padding"} {
		s := shapes[name]
		c := newSample(s)
		for i, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			c.x[(i*37+5)*len(c.x)/120] = float32(bad)
		}
		c.want = reference(s, c.x, c.w, c.bias)
		for _, v := range all {
			if v.level > cpu.Best() {
				continue
			}
			variants = []variant{v}
			p := NewPlan(s, 1, nil)
			y, f, rectified := make([]float32, len(c.want)), make([]float32, p.PackedFilters()), make([]float32, len(c.want))
			p.PackFilters(f, c.w)
			a := Args{X: address(c.x), W: address(c.w), Bias: address(c.bias), Packed: address(f), Y: address(y), Scratch: make([]byte, p.Workspace())}
			p.Bind(&a)
			p.Chunk(0, p.Parts())
			a.Y, a.Relu = address(rectified), true
			p.Chunk(0, p.Parts())
			spread := 0
			for i, want := range c.want {
				if r := rectified[i]; r != max(0, y[i]) && (r == r || y[i] == y[i]) {
					t.Fatalf("%s, %s: element %d is %v, and %v rectified", v.name, name, i, y[i], r)
				}
				if w := float32(want); math.IsNaN(want) != (y[i] != y[i]) || math.IsInf(want, 0) && y[i] != w || !notFinite(w) && !(math.Abs(float64(y[i])-want) <= 1e-4) {
					t.Fatalf("%s, %s: element %d is %v, want %v", v.name, name, i, y[i], want)
				}
				if notFinite(y[i]) {
					spread++
				}
			}
			if spread == 0 || spread > len(y)/4 {
				t.Errorf("%s, %s: %d of %d elements are not finite", v.name, name, spread, len(y))
			}
		}
	}
}

// What plain sums hold, tiles give, though what lies at their points is beyond the
// greatest number: in all tiles, in the sums of some filters, and in one tile.
func TestTilesReachAsFarAsPlainSums(t *testing.T) {
	all := variants
	defer func() { variants = all }()
	const least, most = 1e36, 3e38
	for name, huge := range map[string]func(c *sample){
		"all pixels": func(c *sample) { scale(c.x, least, most) },
		"some filters": func(c *sample) {
			scale(c.x, 5e35, 4e36)
			for m := 3; m < c.M; m += 7 {
				scale(c.w[m*9*c.C:(m+1)*9*c.C], 1, 5)
			}
		},
		"some pixels": func(c *sample) {
			for _, at := range []int{0, 1, len(c.x) / 2, len(c.x) - 1} {
				c.x[at] = most
			}
		},
		"some weights": func(c *sample) {
			for m := 0; m < c.M; m += 3 {
				c.w[m*9*c.C+4] = 2e38
			}
			scale(c.x, 0, 0.5)
		},
	} {
		for _, of := range []string{"tiles", "tiles, much padding", "tiles, parts of a panel"} {
			c := newSample(shapes[of])
			c.tiles = true
			scale(c.w, 0, 1e-4)
			huge(c)
			c.want = reference(c.Shape, c.x, c.w, c.bias)
			c.relative = 1e-5
			for _, v := range all {
				if v.level > cpu.Best() {
					continue
				}
				variants = []variant{v}
				for _, relu := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s %s %s relu %v", name, of, v.name, relu), func(t *testing.T) { c.agree(t, relu, true) })
				}
			}
		}
	}
}

// scale takes each number to one of its sign between two sizes.
func scale(list []float32, least, most float64) {
	for i, x := range list {
		list[i] = float32(math.Copysign(least+(most-least)*math.Abs(math.Tanh(float64(x))), float64(x)))
	}
}

func BenchmarkChunk(b *testing.B) {
	for _, s := range []Shape{
		shape(1, 64, 64, 1, []int{56, 56}, []int{3, 3}, []int{1, 1}, []int{1, 1}, []int{1, 1}),
		shape(1, 256, 1024, 1, []int{14, 14}, []int{1, 1}, []int{1, 1}, []int{1, 1}, []int{0, 0}),
		shape(1, 96, 96, 96, []int{112, 112}, []int{3, 3}, []int{1, 1}, []int{1, 1}, []int{1, 1}),
	} {
		b.Run(fmt.Sprintf("f32/%dx%dx%d", s.M, product(s.Out), s.C/s.Group*product(s.Kernel)), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			k := s.C / s.Group * product(s.Kernel)
			x, w, y := random(r, s.C*product(s.In)), random(r, s.M*k), make([]float32, s.M*product(s.Out))
			p := NewPlan(s, 1, nil)
			p.Bind(&Args{X: address(x), W: address(w), Y: address(y), Scratch: make([]byte, p.Workspace())})
			for b.Loop() {
				p.Chunk(0, p.Parts())
			}
			b.ReportMetric(2*float64(len(y)*k)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}
