package main

import "math"

// unaries are the functions of one number: each computes V0 from V0 and may use
// V1 to V9.
var unaries = []struct {
	name string
	body func(g *gen)
}{
	{"Exp", func(g *gen) { g.exp(g.v(0), g.v(1), g.v(2)) }},
	{"Log", (*gen).log},
	{"Tanh", (*gen).tanh},
	{"Sigmoid", (*gen).sigmoid},
	{"Erf", (*gen).erf},
	{"Gelu", (*gen).gelu},
	{"Sqrt", func(g *gen) { g.p("VSQRTPS %s, %s", g.v(0), g.v(0)) }},
	{"Abs", func(g *gen) { g.abs(g.v(0), g.v(0)) }},
	{"Neg", func(g *gen) { g.p("VXORPS %s, %s, %s", g.bits(1<<31), g.v(0), g.v(0)) }},
	{"Relu", func(g *gen) {
		g.p("VXORPS %s, %s, %s", g.v(1), g.v(1), g.v(1))
		g.p("VMAXPS %s, %s, %s", g.v(0), g.v(1), g.v(0))
	}},
	{"Floor", func(g *gen) { g.round(9, g.v(0), g.v(0)) }},
	{"Ceil", func(g *gen) { g.round(10, g.v(0), g.v(0)) }},
	{"Round", func(g *gen) { g.round(8, g.v(0), g.v(0)) }},
	{"Reciprocal", func(g *gen) {
		g.p("VMOVUPS %s, %s", g.c(1), g.v(1))
		g.p("VDIVPS %s, %s, %s", g.v(0), g.v(1), g.v(0))
	}},
	{"Swish", func(g *gen) {
		g.p("VMOVAPS %s, %s", g.v(0), g.v(7))
		g.sigmoid()
		g.p("VMULPS %s, %s, %s", g.v(7), g.v(0), g.v(0))
	}},
	{"SoftSign", func(g *gen) {
		g.abs(g.v(0), g.v(1))
		g.p("VADDPS %s, %s, %s", g.c(1), g.v(1), g.v(1))
		g.p("VDIVPS %s, %s, %s", g.v(1), g.v(0), g.v(0))
	}},
	{"Sixth", func(g *gen) {
		g.p("VADDPS %s, %s, %s", g.c(3), g.v(0), g.v(1))
		g.p("VXORPS %s, %s, %s", g.v(2), g.v(2), g.v(2))
		g.p("VMOVUPS %s, %s", g.c(6), g.v(3))
		g.clamp(g.v(1), g.v(2), g.v(3))
		g.p("VMULPS %s, %s, %s", g.v(1), g.v(0), g.v(0))
		g.p("VDIVPS %s, %s, %s", g.v(3), g.v(0), g.v(0))
	}},
	{"ToHalf", func(g *gen) {
		half := "X1"
		if g.wide() {
			half = "Y1"
		}
		g.p("VCVTPS2PH $0, %s, %s", g.v(0), half)
		g.p("VCVTPH2PS %s, %s", half, g.v(0))
	}},
	{"ToBrain", func(g *gen) { // to even: the half of the last bit, less one where that bit is 0
		x, y := g.v(0), g.v(1)
		g.p("VPSRLD $16, %s, %s", x, y)
		g.and(g.bits(1), y)
		g.p("VPADDD %s, %s, %s", g.bits(0x7fff), y, y)
		g.p("VPADDD %s, %s, %s", x, y, y)
		g.p("VORPS %s, %s, %s", g.bits(0x400000), x, g.v(2))
		g.where(3, x, x, g.v(2), y, g.v(3))
		g.and(g.bits(0xffff0000), y)
		g.p("VMOVAPS %s, %s", y, x)
	}},
}

// binaries are the operations on V0 and V1, into V0.
var binaries = []struct {
	name string
	body func(g *gen)
}{
	{"Add", func(g *gen) { g.p("VADDPS %s, %s, %s", g.v(1), g.v(0), g.v(0)) }},
	{"Sub", func(g *gen) { g.p("VSUBPS %s, %s, %s", g.v(1), g.v(0), g.v(0)) }},
	{"Mul", func(g *gen) { g.p("VMULPS %s, %s, %s", g.v(1), g.v(0), g.v(0)) }},
	{"Div", func(g *gen) { g.p("VDIVPS %s, %s, %s", g.v(1), g.v(0), g.v(0)) }},
	{"Max", func(g *gen) { g.extreme("VMAXPS") }},
	{"Min", func(g *gen) { g.extreme("VMINPS") }},
	{"Leak", func(g *gen) {
		g.p("VMULPS %s, %s, %s", g.v(1), g.v(0), g.v(2))
		g.p("VXORPS %s, %s, %s", g.v(3), g.v(3), g.v(3))
		g.where(1, g.v(3), g.v(0), g.v(2), g.v(0), g.v(4))
	}},
}

// bitwise are the operations on the bits of V0 and V1, into V0.
var bitwise = []struct {
	name string
	body func(g *gen)
}{
	{"BitAnd", func(g *gen) { g.p("VANDPS %s, %s, %s", g.v(1), g.v(0), g.v(0)) }},
	{"BitOr", func(g *gen) { g.p("VORPS %s, %s, %s", g.v(1), g.v(0), g.v(0)) }},
	{"BitXor", func(g *gen) { g.p("VXORPS %s, %s, %s", g.v(1), g.v(0), g.v(0)) }},
}

// curves are the functions of V0 with the parameters V10 and V11, into V0.
var curves = []struct {
	name string
	body func(g *gen)
}{
	{"Clamp", func(g *gen) { g.clamp(g.v(0), g.v(10), g.v(11)) }},
	{"Line", func(g *gen) { g.line(g.v(0)) }},
	{"Ramp", func(g *gen) { g.ramp(g.v(0)) }},
	{"Gate", func(g *gen) {
		g.p("VMOVAPS %s, %s", g.v(0), g.v(4))
		g.ramp(g.v(4))
		g.p("VMULPS %s, %s, %s", g.v(4), g.v(0), g.v(0))
	}},
	{"Bell", func(g *gen) {
		g.p("VMOVAPS %s, %s", g.v(0), g.v(7))
		g.p("VDIVPS %s, %s, %s", g.v(10), g.v(0), g.v(0))
		g.erf()
		g.p("VADDPS %s, %s, %s", g.c(1), g.v(0), g.v(0))
		g.p("VMULPS %s, %s, %s", g.v(7), g.v(0), g.v(0))
		g.p("VMULPS %s, %s, %s", g.v(11), g.v(0), g.v(0))
	}},
	{"Whole", (*gen).whole},
	{"Square", func(g *gen) {
		g.line(g.v(0))
		g.p("VMULPS %s, %s, %s", g.v(0), g.v(0), g.v(0))
	}},
	{"Cube", func(g *gen) {
		g.line(g.v(0))
		g.p("VMULPS %s, %s, %s", g.v(0), g.v(0), g.v(1))
		g.p("VMULPS %s, %s, %s", g.v(1), g.v(0), g.v(0))
	}},
	{"Bent", (*gen).bent},
}

// grids are the functions of V0 with the parameters V10 and V11 and the number V12,
// into V0.
var grids = []struct {
	name string
	body func(g *gen)
}{
	{"WholeOver", func(g *gen) {
		g.p("VDIVPS %s, %s, %s", g.v(12), g.v(0), g.v(0))
		g.whole()
	}},
	{"WholeTimes", func(g *gen) {
		g.p("VMULPS %s, %s, %s", g.v(12), g.v(0), g.v(0))
		g.whole()
	}},
	{"Snap", func(g *gen) {
		g.p("VDIVPS %s, %s, %s", g.v(12), g.v(0), g.v(0))
		g.whole()
		g.p("VMULPS %s, %s, %s", g.v(12), g.v(0), g.v(0))
	}},
}

// bent is linear above zero and exponential below, where near zero, at which e^x - 1 would
// cancel, the series serves.
func (g *gen) bent() {
	x, all, low, series, zero := g.v(0), g.v(7), g.v(8), g.v(3), g.v(6)
	g.p("VXORPS %[1]s, %[1]s, %[1]s", zero)
	g.p("VMOVAPS %s, %s", x, all)
	g.p("VMINPS %s, %s, %s", x, zero, x) // NaN stays: it is the second source
	g.p("VMOVAPS %s, %s", x, low)
	g.exp(x, g.v(1), g.v(2))
	g.p("VSUBPS %s, %s, %s", g.c(1), x, x)
	g.horner(low, series, 1./5040, 1./720, 1./120, 1./24, 1./6, 1./2, 1)
	g.p("VMULPS %s, %s, %s", low, series, series)
	g.where(0x1e, g.c(-0.35), low, series, x, g.v(4))
	g.p("VMULPS %s, %s, %s", g.v(10), x, x)
	g.where(0x15, zero, all, all, x, g.v(4))
	g.p("VMULPS %s, %s, %s", g.v(11), x, x)
}

// whole rounds between two bounds. MAX and MIN give their second source where one is
// NaN.
func (g *gen) whole() {
	g.p("VMAXPS %s, %s, %s", g.v(10), g.v(0), g.v(0))
	g.p("VMINPS %s, %s, %s", g.v(0), g.v(11), g.v(0))
	g.p("VADDPS %s, %s, %s", g.c(1.5*(1<<23)), g.v(0), g.v(0))
	g.p("VSUBPS %s, %s, %s", g.c(1.5*(1<<23)), g.v(0), g.v(0))
}

// clamp keeps x between two bounds: these come first, so that a NaN stays.
func (g *gen) clamp(x, low, high string) {
	g.p("VMAXPS %s, %s, %s", x, low, x)
	g.p("VMINPS %s, %s, %s", x, high, x)
}

func (g *gen) line(x string) {
	g.p("VMULPS %s, %s, %s", g.v(10), x, x)
	g.p("VADDPS %s, %s, %s", g.v(11), x, x)
}

func (g *gen) ramp(x string) {
	g.line(x)
	g.p("VXORPS %s, %s, %s", g.v(1), g.v(1), g.v(1))
	g.p("VMOVUPS %s, %s", g.c(1), g.v(2))
	g.clamp(x, g.v(1), g.v(2))
}

// extreme gives NaN where either side is: the instruction gives its second
// source, V1, and V0 is put back where it is the NaN.
func (g *gen) extreme(instruction string) {
	g.p("%s %s, %s, %s", instruction, g.v(1), g.v(0), g.v(2))
	g.where(3, g.v(0), g.v(0), g.v(0), g.v(2), g.v(3))
	g.p("VMOVAPS %s, %s", g.v(2), g.v(0))
}

func (g *gen) and(bits, x string) { g.p("VANDPS %s, %[2]s, %[2]s", bits, x) }

func (g *gen) abs(x, to string) { g.p("VANDPS %s, %s, %s", g.bits(1<<31-1), x, to) }

// exp computes e^x in place with two temporaries: x = n ln 2 + r. Bounds come
// first in MAX and MIN, so that NaN stays.
func (g *gen) exp(x, n, t string) {
	g.p("VMOVUPS %s, %s", g.c(-104), t)
	g.p("VMAXPS %s, %s, %s", x, t, x)
	g.p("VMOVUPS %s, %s", g.c(89), t)
	g.p("VMINPS %s, %s, %s", x, t, x)
	g.p("VMULPS %s, %s, %s", g.c(1.44269504088896340736), x, n)
	g.round(8, n, n)
	g.p("VFNMADD231PS %s, %s, %s", g.c(0.693359375), n, x)
	g.p("VFNMADD231PS %s, %s, %s", g.c(-2.12194440054690583e-4), n, x)
	g.horner(x, t, 1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1, 1, 1)
	if g.wide() {
		g.p("VSCALEFPS %s, %s, %s", n, t, x)
		return
	}
	// 2^n in two factors, each a normal number.
	g.p("VCVTPS2DQ %s, %s", n, n)
	g.p("VPSRAD $1, %s, %s", n, x)
	g.p("VPSUBD %s, %s, %s", x, n, n)
	for _, half := range []string{x, n} {
		g.p("VPADDD %s, %s, %s", g.bits(127), half, half)
		g.p("VPSLLD $23, %s, %s", half, half)
		g.p("VMULPS %s, %s, %s", half, t, t)
	}
	g.p("VMOVAPS %s, %s", t, x)
}

// sigmoid is e/(1+e) or 1/(1+e) by the sign, e = exp(-|x|): accurate in both
// tails.
func (g *gen) sigmoid() {
	x, e, one := g.v(0), g.v(1), g.v(4)
	g.p("VORPS %s, %s, %s", g.bits(1<<31), x, e)
	g.exp(e, g.v(2), g.v(3))
	g.p("VMOVUPS %s, %s", g.c(1), one)
	g.bySign(x, one, e, g.v(2))
	g.p("VADDPS %s, %s, %s", one, e, e)
	g.p("VDIVPS %s, %s, %s", e, g.v(2), x)
}

// tanh is a quotient of polynomials up to 9, from where on it is 1: the numerator is
// odd.
func (g *gen) tanh() {
	x, s, p, q := g.v(0), g.v(1), g.v(2), g.v(3)
	g.p("VMOVUPS %s, %s", g.c(-9), s)
	g.p("VMOVUPS %s, %s", g.c(9), p)
	g.clamp(x, s, p)
	g.p("VMULPS %s, %s, %s", x, x, s)
	g.horner(s, p, -2.76076847742355e-16, 2.00018790482477e-13, -8.60467152213735e-11, 5.12229709037114e-08, 1.48572235717979e-05,
		6.37261928875436e-04, 4.89352455891786e-03)
	g.horner(s, q, 1.19825839466702e-06, 1.18534705686654e-04, 2.26843463243900e-03, 4.89352518554385e-03)
	g.p("VDIVPS %s, %s, %s", q, p, p) // first: subnormal numbers keep their bits
	g.p("VMULPS %s, %s, %s", p, x, x)
}

// erf has one polynomial up to 0.927734375 and 1 - exp of another beyond.
func (g *gen) erf() {
	x, t, s, r, u := g.v(0), g.v(1), g.v(2), g.v(3), g.v(4)
	g.abs(x, t)
	g.p("VMULPS %s, %s, %s", x, x, s)
	g.horner(t, r, -1.72853470e-5, 3.83197126e-4)
	g.horner(t, u, -3.88396438e-3, 2.42546219e-2)
	g.p("VFMADD213PS %s, %s, %s", u, s, r)
	for _, k := range []float32{-1.06777877e-1, -6.34846687e-1, -1.28717512e-1} {
		g.p("VFMADD213PS %s, %s, %s", g.c(k), t, r)
	}
	g.p("VFMSUB213PS %s, %s, %s", t, t, r)
	g.exp(r, u, g.v(5))
	g.p("VMOVUPS %s, %s", g.c(1), u)
	g.p("VSUBPS %s, %s, %s", r, u, r)
	g.p("VANDPS %s, %s, %s", g.bits(1<<31), x, u)
	g.p("VORPS %s, %s, %s", u, r, r)
	g.horner(s, u, -5.96761703e-4, 4.99119423e-3, -2.67681349e-2, 1.12819925e-1, -3.76125336e-1, 1.28379166e-1)
	g.p("VFMADD213PS %s, %s, %s", x, x, u)
	g.p("VMOVUPS %s, %s", g.c(0.927734375), s)
	g.p("VSUBPS %s, %s, %s", t, s, t)
	g.bySign(t, u, r, x)
}

func (g *gen) gelu() {
	g.p("VMOVAPS %s, %s", g.v(0), g.v(7))
	g.p("VMULPS %s, %s, %s", g.c(math.Sqrt2/2), g.v(0), g.v(0))
	g.erf()
	g.p("VADDPS %s, %s, %s", g.c(1), g.v(0), g.v(0))
	g.p("VMULPS %s, %s, %s", g.c(0.5), g.v(7), g.v(7))
	g.p("VMULPS %s, %s, %s", g.v(7), g.v(0), g.v(0))
}

// log splits x = 2^e m with m around one; subnormals are scaled first.
func (g *gen) log() {
	x, t, m, e, z, y := g.v(0), g.v(1), g.v(2), g.v(3), g.v(4), g.v(5)
	g.p("VSUBPS %s, %s, %s", g.bits(0x00800000), x, t)
	g.p("VMULPS %s, %s, %s", g.c(1<<23), x, m)
	g.bySign(t, x, m, m)
	g.p("VXORPS %s, %s, %s", z, z, z)
	g.p("VMOVUPS %s, %s", g.c(-23), y)
	g.bySign(t, z, y, z)
	g.p("VPSUBD %s, %s, %s", g.bits(0x3f3504f3), m, e)
	g.p("VPSRAD $23, %s, %s", e, e)
	g.p("VPSLLD $23, %s, %s", e, t)
	g.p("VPSUBD %s, %s, %s", t, m, m)
	g.p("VCVTDQ2PS %s, %s", e, e)
	g.p("VADDPS %s, %s, %s", z, e, e)
	g.p("VSUBPS %s, %s, %s", g.c(1), m, m)
	g.p("VMULPS %s, %s, %s", m, m, z)
	g.horner(m, y, 7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
		-1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1)
	g.p("VMULPS %s, %s, %s", m, z, t)
	g.p("VMULPS %s, %s, %s", t, y, y)
	g.p("VFMADD231PS %s, %s, %s", g.c(-2.12194440054690583e-4), e, y)
	g.p("VFNMADD231PS %s, %s, %s", g.c(0.5), z, y)
	g.p("VADDPS %s, %s, %s", m, y, y)
	g.p("VFMADD231PS %s, %s, %s", g.c(0.693359375), e, y)
	inf := float32(math.Inf(1))
	g.where(29, g.c(inf), x, x, y, t)
	g.p("VXORPS %s, %s, %s", z, z, z)
	g.where(0, z, x, g.c(-inf), y, t)
	g.where(25, z, x, g.bits(0x7fc00000), y, t)
	g.p("VMOVAPS %s, %s", y, x)
}
