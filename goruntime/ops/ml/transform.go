package ml

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
)

// transform is a post_transform function, in the order in which TreeEnsemble
// numbers them.
type transform int

// The transforms.
const (
	none transform = iota
	softmax
	logistic
	softmaxZero
	probit
)

var transforms = map[string]transform{"NONE": none, "SOFTMAX": softmax, "LOGISTIC": logistic, "SOFTMAX_ZERO": softmaxZero, "PROBIT": probit}

func transformOf(name string) (transform, error) {
	t, ok := transforms[name]
	if !ok {
		return none, errs.New(errs.Argument, "post_transform %q is none that the specification names", name)
	}
	return t, nil
}

// score is what transforms compute on.
type score interface{ float32 | float64 }

// apply transforms the scores of one row in place.
func apply[T score](t transform, s []T) {
	switch t {
	case softmax, softmaxZero:
		if len(s) > 0 {
			exponentials(s, t == softmaxZero)
		}
	case logistic:
		for i, x := range s {
			s[i] = sigmoid(x)
		}
	case probit:
		for i, x := range s {
			s[i] = T(math.Sqrt2 * math.Erfinv(2*float64(x)-1))
		}
	}
}

// applyRows transforms rows of scores that lie side by side.
func applyRows(t transform, s []float32, stride int) {
	switch {
	case len(s) == 0 || t == none:
	case t == logistic:
		vec.Apply(vec.Logistic, s, s)
	case t == softmax:
		for r := 0; r < len(s); r += stride {
			row := s[r : r+stride]
			top := row[0]
			for _, x := range row {
				top = max(top, x)
			}
			for i := range row {
				row[i] -= top
			}
		}
		vec.Apply(vec.Exponential, s, s)
		for r := 0; r < len(s); r += stride {
			row := s[r : r+stride]
			sum := float32(0)
			for _, x := range row {
				sum += x
			}
			for i := range row {
				row[i] /= sum
			}
		}
	default:
		for r := 0; r < len(s); r += stride {
			apply(t, s[r:r+stride])
		}
	}
}

func sigmoid[T score](x T) T {
	v := 1 / (1 + math.Exp(-math.Abs(float64(x))))
	if x < 0 {
		v = 1 - v
	}
	return T(v)
}

// exponentials gives each score's share of the exponentials; where zeros stay
// what they are, scores within 1e-7 of 0 have none.
func exponentials[T score](s []T, zeros bool) {
	top, sum := float64(s[0]), 0.0
	for _, x := range s {
		top = max(top, float64(x))
	}
	for i, x := range s {
		if zeros && x <= 1e-7 && x >= -1e-7 {
			s[i] = T(float64(x) * math.Exp(-top))
			continue
		}
		e := math.Exp(float64(x) - top)
		s[i] = T(e)
		sum += e
	}
	if sum == 0 { // all are zeros that stay
		return
	}
	for i := range s {
		s[i] = T(float64(s[i]) / sum)
	}
}
