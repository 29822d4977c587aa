package nn

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// sampling says how a Resize finds the input of an output element.
type sampling struct {
	mode, transform, nearest   string
	a                          float64 // of the cubic filter
	outside, antialias, legacy bool    // outside: exclude_outside; legacy: nearest before version 11
}

// resizeAxis is one axis of a Resize.
type resizeAxis struct {
	in, out    int
	length     float64 // the output's length before it was cut to a whole number
	scale      float64
	given      bool    // the scale is a float32 that the model gives
	start, end float64 // the region of interest
}

// position returns where output o lies on the input, before the half pixel is
// taken off, and that half pixel.
func (x *resizeAxis) position(transform string, o int) (at, half float64) {
	p := float64(o)
	switch transform {
	case "align_corners":
		if x.length == 1 {
			return 0, 0
		}
		return p * float64(x.in-1) / (x.length - 1), 0
	case "asymmetric":
		return p / x.scale, 0
	case "tf_half_pixel_for_nn":
		return (p + 0.5) / x.scale, 0
	case "tf_crop_and_resize":
		if x.length > 1 {
			return x.start*float64(x.in-1) + p*(x.end-x.start)*float64(x.in-1)/(x.length-1), 0
		}
		return 0.5 * (x.start + x.end) * float64(x.in-1), 0
	case "half_pixel_symmetric":
		shift := float64(x.in) / 2 * (1 - float64(x.out)/x.length)
		return shift + (p+0.5)/x.scale, 0.5
	case "pytorch_half_pixel":
		if x.out <= 1 {
			return 0, 0
		}
	}
	return (p + 0.5) / x.scale, 0.5
}

// coordinate is position for interpolation.
func (x *resizeAxis) coordinate(transform string, o int) float64 {
	at, half := x.position(transform, o)
	return at - half
}

// settled is the coordinate for the choice of the nearest element: cleared of
// the rounding of the scale, so that what should be a tie is one.
func (x *resizeAxis) settled(transform string, o int) float64 {
	at, half := x.position(transform, o)
	if x.given {
		return float64(float32(at)) - half
	}
	const grid = 1 << 30
	return math.Round(at*grid)/grid - half
}

// isOutside reports whether output o takes the extrapolation value.
func (x *resizeAxis) isOutside(transform string, o int) bool {
	at, _ := x.position(transform, o)
	return transform == "tf_crop_and_resize" && !(at >= 0 && at <= float64(x.in-1))
}

// nearestTo returns the input element that output o copies.
func (x *resizeAxis) nearestTo(s *sampling, o int) int {
	if x.isOutside(s.transform, o) {
		return 0
	}
	at := x.settled(s.transform, o)
	switch {
	case s.legacy && x.scale < 1:
		at = math.Ceil(at)
	case s.legacy:
		at = math.Floor(at)
	case s.nearest == "floor":
		at = math.Floor(at)
	case s.nearest == "ceil":
		at = math.Ceil(at)
	case s.nearest == "round_prefer_ceil":
		at = math.Floor(at + 0.5)
	default:
		at = math.Ceil(at - 0.5)
	}
	return int(max(0, min(at, float64(x.in-1))))
}

// weights appends which input elements output o is made of, and by how much.
// What has no weight is not listed, but that
// there is one at least.
func (x *resizeAxis) weights(s *sampling, o int, taps []int32, w []float64) ([]int32, []float64) {
	if x.isOutside(s.transform, o) {
		return append(taps, 0), append(w, 0)
	}
	at := x.coordinate(s.transform, o)
	support, stretch := 1.0, 1.0
	if s.mode == "cubic" {
		support = 2
	}
	if s.antialias {
		stretch = min(1, x.scale)
	}
	begin, sum := len(w), 0.0
	for i := int(math.Floor(at - support/stretch)); float64(i) <= at+support/stretch; i++ {
		v := s.filter((float64(i) - at) * stretch)
		if v == 0 || s.outside && (i < 0 || i >= x.in) {
			continue
		}
		taps, w = append(taps, int32(max(0, min(i, x.in-1)))), append(w, v)
		sum += v
	}
	if s.outside || s.antialias {
		for i := range w[begin:] {
			w[begin+i] /= sum
		}
	}
	return taps, w
}

// filter is the weight of an element at distance d.
func (s *sampling) filter(d float64) float64 {
	d = math.Abs(d)
	switch {
	case s.mode != "cubic":
		return max(0, 1-d)
	case d <= 1:
		return ((s.a+2)*d-(s.a+3))*d*d + 1
	case d < 2:
		return ((s.a*d-5*s.a)*d+8*s.a)*d - 4*s.a
	}
	return 0
}

// check refuses attributes that the specification does not name.
func (s *sampling) check() error {
	for _, a := range [...]struct {
		name, value string
		allowed     []string
	}{
		{"mode", s.mode, []string{"nearest", "linear", "cubic"}},
		{"nearest_mode", s.nearest, []string{"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}},
		{"coordinate_transformation_mode", s.transform, []string{
			"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_half_pixel_for_nn", "tf_crop_and_resize",
		}},
	} {
		if !contains(a.allowed, a.value) {
			return errs.New(errs.Argument, "%s %q is none of %v", a.name, a.value, a.allowed)
		}
	}
	return nil
}

func contains[T comparable](list []T, s T) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// scaled sets the output length of an axis from a scale factor that the model
// gives. The product is taken in float32, in which 10 * 0.7 is 7.
func (x *resizeAxis) scaled(factor float32, crop bool) error {
	if !(factor > 0) {
		return errs.New(errs.Shape, "a scale is %v: it must be positive", factor)
	}
	x.given, x.scale = true, float64(factor)
	x.length = float64(x.in) * x.scale
	n := float32(x.in) * factor
	if crop {
		x.length *= x.end - x.start
		n *= float32(x.end - x.start)
	}
	if !(n < math.MaxInt32) {
		return errs.New(errs.Shape, "a dimension of %d and a scale of %v make no dimension", x.in, factor)
	}
	x.out = int(max(0, n))
	return nil
}

// sized sets the output length of each of the axes; policy is
// keep_aspect_ratio_policy.
func sized(axes []resizeAxis, list []int, sizes []int, policy string) error {
	ratio := math.NaN()
	for k, i := range list {
		x := &axes[i]
		if sizes[k] < 0 {
			return errs.New(errs.Shape, "sizes is %v: no size may be negative", sizes)
		}
		x.out, x.length, x.scale = sizes[k], float64(sizes[k]), float64(sizes[k])/float64(x.in)
		if ratio != ratio || policy == "not_larger" && x.scale < ratio || policy == "not_smaller" && x.scale > ratio {
			ratio = x.scale
		}
	}
	switch policy {
	case "stretch":
		return nil
	case "not_larger", "not_smaller":
	default:
		return errs.New(errs.Argument, "keep_aspect_ratio_policy %q is none of stretch, not_larger, not_smaller", policy)
	}
	for _, i := range list {
		x := &axes[i]
		x.scale, x.length = ratio, ratio*float64(x.in)
		x.out = int(math.Floor(x.length + 0.5))
	}
	return nil
}

// newAxes returns the axes of a shape, none of them resized.
func newAxes(x tensor.Shape) []resizeAxis {
	axes := make([]resizeAxis, len(x))
	for i, n := range x {
		axes[i] = resizeAxis{in: n, out: n, length: float64(n), scale: 1, end: 1}
	}
	return axes
}
