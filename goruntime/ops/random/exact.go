package random

import "math"

// The functions here give the same bits on every machine: no product is fused with
// a sum, since its conversion to float64 asks for its rounding.

func times(a, b float64) float64 { return float64(a * b) }

// polynomial is c[0] + c[1] x + c[2] x^2 ...
func polynomial(x float64, c []float64) float64 {
	y := c[len(c)-1]
	for i := len(c) - 2; i >= 0; i-- {
		y = times(y, x) + c[i]
	}
	return y
}

// polynomial8 is polynomial for eight coefficients.
func polynomial8(x float64, c *[8]float64) float64 {
	y := times(c[7], x) + c[6]
	y = times(y, x) + c[5]
	y = times(y, x) + c[4]
	y = times(y, x) + c[3]
	y = times(y, x) + c[2]
	y = times(y, x) + c[1]
	return times(y, x) + c[0]
}

// The parts of ln 2 as FreeBSD's libm has them.
const ln2High, ln2Low = 6.93147180369123816490e-01, 1.90821492927058770002e-10

var (
	logEven = []float64{3.999999999940941908e-01, 2.222219843214978396e-01, 1.531383769920937332e-01}
	logOdd  = []float64{6.666666666666735130e-01, 2.857142874366239149e-01, 1.818357216161805012e-01, 1.479819860511658591e-01}
	expEven = []float64{1.66666666666666657415e-01, -2.77777777770155933842e-03, 6.61375632143793436117e-05, -1.65339022054652515390e-06, 4.13813679705723846039e-08}
)

// logarithm is ln x for positive normal x, by the method of FreeBSD's e_log.c.
func logarithm(x float64) float64 {
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m *= 2
		e--
	}
	f, k := m-1, float64(e)
	s := f / (2 + f)
	s2 := times(s, s)
	s4 := times(s2, s2)
	r := times(s2, polynomial(s4, logOdd)) + times(s4, polynomial(s4, logEven))
	half := times(times(0.5, f), f)
	return times(k, ln2High) - ((half - (times(s, half+r) + times(k, ln2Low))) - f)
}

// exponential is e^x for x of at most 0, by the method of FreeBSD's e_exp.c.
func exponential(x float64) float64 {
	if x < -745 {
		return 0
	}
	k := math.RoundToEven(times(x, math.Log2E))
	high, low := x-times(k, ln2High), times(k, ln2Low)
	r := high - low
	t := times(r, r)
	c := r - times(t, polynomial(t, expEven))
	y := 1 - ((low - times(r, c)/(2-c)) - high)
	return math.Ldexp(y, int(k))
}

// The coefficients of quantile, numerators and denominators.
var (
	middle = [2][8]float64{
		{3.3871328727963666080e0, 1.3314166789178437745e+2, 1.9715909503065514427e+3, 1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4, 3.3430575583588128105e+4, 2.5090809287301226727e+3},
		{1, 4.2313330701600911252e+1, 6.8718700749205790830e+2, 5.3941960214247511077e+3, 2.1213794301586595867e+4, 3.9307895800092710610e+4, 2.8729085735721942674e+4, 5.2264952788528545610e+3},
	}
	outer = [2][8]float64{
		{1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4},
		{1, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1, 1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9},
	}
	tail = [2][8]float64{
		{6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7},
		{1, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2, 7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15},
	}
)

// quantile is the number below which a standard normal one lies with probability
// p, in (0, 1): M. Wichura, "Algorithm AS 241", 1988.
func quantile(p float64) float64 {
	q := p - 0.5
	if math.Abs(q) <= 0.425 {
		r := 0.180625 - times(q, q)
		return times(q, polynomial8(r, &middle[0])) / polynomial8(r, &middle[1])
	}
	r := math.Sqrt(-logarithm(min(p, 1-p)))
	var z float64
	if r <= 5 {
		r -= 1.6
		z = polynomial8(r, &outer[0]) / polynomial8(r, &outer[1])
	} else {
		r -= 5
		z = polynomial8(r, &tail[0]) / polynomial8(r, &tail[1])
	}
	return math.Copysign(z, q)
}
