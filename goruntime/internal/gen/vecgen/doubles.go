package main

import (
	"fmt"
	"math"
)

// doubles are the functions that are computed in float64 and rounded once: of V1 and, for
// those of two numbers, V2, into V1. They may use V3 to V9.
var doubles = []struct {
	name string
	two  bool
	body func(g *gen)
}{
	{name: "Sine", body: func(g *gen) { g.circular(0) }},
	{name: "Cosine", body: func(g *gen) { g.circular(1) }},
	{name: "Tangent", body: (*gen).tangent},
	{name: "ArcSine", body: (*gen).arcSine},
	{name: "ArcCosine", body: (*gen).arcCosine},
	{name: "ArcTangent", body: (*gen).arcTangent},
	{name: "HyperbolicSine", body: (*gen).hyperbolicSine},
	{name: "HyperbolicCosine", body: (*gen).hyperbolicCosine},
	{name: "AreaSine", body: (*gen).areaSine},
	{name: "AreaCosine", body: (*gen).areaCosine},
	{name: "AreaTangent", body: (*gen).areaTangent},
	{name: "Cubed", body: func(g *gen) {
		g.p("VMULPD %[1]s, %[1]s, %[2]s", g.v(1), g.v(3))
		g.p("VMULPD %[2]s, %[1]s, %[1]s", g.v(1), g.v(3))
	}},
	{name: "Power", two: true, body: (*gen).power},
}

// d returns the memory operand of a float64 that fills a vector.
func (g *gen) d(x float64) string { return g.longs(math.Float64bits(x)) }

func (g *gen) longs(x uint64) string { return g.operand("d", &g.doubles, x) }

// double computes on one half of each vector, then on the other. A number that goes with
// every element is read before the loop.
func (g *gen) double(i int, form string) {
	f := doubles[i]
	g.begin(f.name + form)
	defer g.hoist(g.text.Len())
	advance := []string{g.next("SI"), g.next("DI")}
	if form == "VS" {
		g.p("VBROADCASTSS (BX), %s", g.v(14))
	} else if f.two {
		advance = append(advance, g.next("BX"))
	}
	g.loop(func(masked bool) {
		g.load("SI", 0, masked, g.v(0))
		if f.two && form != "VS" {
			g.load("BX", 0, masked, g.v(14))
		}
		for half := range 2 {
			g.widenHalf(half, 0, 1)
			if f.two {
				g.widenHalf(half, 14, 2)
			}
			f.body(g)
			g.narrow(1, 10+half)
		}
		if g.wide() {
			g.p("VINSERTF64X4 $1, Y11, Z10, Z0")
		} else {
			g.p("VINSERTF128 $1, X11, Y10, Y0")
		}
		g.store(g.v(0), "DI", 0, masked)
	}, advance...)
	g.end()
}

// lower is the name of the lower half of a vector register.
func (g *gen) lower(i int) string {
	if g.wide() {
		return fmt.Sprintf("Y%d", i)
	}
	return fmt.Sprintf("X%d", i)
}

func (g *gen) widenHalf(half, from, to int) {
	if half == 0 {
		g.p("VCVTPS2PD %s, %s", g.lower(from), g.v(to))
		return
	}
	if g.wide() {
		g.p("VEXTRACTF64X4 $1, Z%d, Y%d", from, to)
	} else {
		g.p("VEXTRACTF128 $1, Y%d, X%d", from, to)
	}
	g.p("VCVTPS2PD %s, %s", g.lower(to), g.v(to))
}

func (g *gen) narrow(from, to int) {
	if g.wide() {
		g.p("VCVTPD2PS Z%d, Y%d", from, to)
	} else {
		g.p("VCVTPD2PSY Y%d, X%d", from, to)
	}
}

// series evaluates a polynomial in x, leading coefficient first.
func (g *gen) series(x, to string, coefficients ...float64) {
	g.p("VMOVUPD %s, %s", g.d(coefficients[0]), to)
	for _, k := range coefficients[1:] {
		g.p("VFMADD213PD %s, %s, %s", g.d(k), x, to)
	}
}

// wholeMagic, added, leaves the nearest whole number in the low bits.
const wholeMagic = 1.5 * (1 << 52)

// turned returns the sine and the cosine of V1, which it changes: x = n π/2 + r, where π/2
// is the sum of a number of 33 bits, whose product with n is exact, and another. They are
// those of r; n and some quarters more are in the low bits of t.
func (g *gen) turned(quarters uint64) (sine, cosine, t string) {
	x, n, s := g.v(1), g.v(4), g.v(5)
	t, sine, cosine = g.v(3), g.v(6), g.v(7)
	g.p("VMOVUPD %s, %s", g.d(wholeMagic), t)
	g.p("VFMADD231PD %s, %s, %s", g.d(2/math.Pi), x, t)
	g.p("VSUBPD %s, %s, %s", g.d(wholeMagic), t, n)
	g.p("VFNMADD231PD %s, %s, %s", g.d(math.Float64frombits(0x3ff921fb54400000)), n, x)
	g.p("VFNMADD231PD %s, %s, %s", g.d(6.07710050650619224932e-11), n, x)
	if quarters > 0 {
		g.p("VPADDQ %s, %s, %s", g.longs(quarters), t, t)
	}
	g.p("VMULPD %s, %s, %s", x, x, s)
	g.series(s, sine, -1./39916800, 1./362880, -1./5040, 1./120, -1./6, 1)
	g.p("VMULPD %s, %s, %s", x, sine, sine) // last: a zero keeps its sign
	g.series(s, cosine, 1./479001600, -1./3628800, 1./40320, -1./720, 1./24, -1./2, 1)
	return sine, cosine, t
}

// circular is the sine, or a quarter on the cosine.
func (g *gen) circular(quarters uint64) {
	sine, cosine, t := g.turned(quarters)
	x, odd := g.v(1), g.v(4)
	g.p("VPSLLQ $63, %s, %s", t, odd)
	g.pick(odd, sine, cosine, x)
	g.p("VPSLLQ $62, %s, %s", t, t)
	g.p("VANDPD %s, %s, %s", g.longs(1<<63), t, t)
	g.p("VXORPD %s, %s, %s", t, x, x)
}

// pick sets to to set where the sign bit of sel is set, else to clear.
func (g *gen) pick(sel, clear, set, to string) {
	if g.wide() {
		g.p("VPMOVQ2M %s, K2", sel)
		g.p("VBLENDMPD %s, %s, K2, %s", set, clear, to)
	} else {
		g.p("VBLENDVPD %s, %s, %s, %s", sel, set, clear, to)
	}
}

// bias is added to exponents so that none is below zero.
const bias = 1024

// power is 2^(y log2 x) of a finite x above zero: x = 2^e m with m around one, the
// logarithm of which is a series in (m-1)/(m+1).
func (g *gen) power() {
	x, y, k, e, s, z, p := g.v(1), g.v(2), g.v(3), g.v(4), g.v(5), g.v(6), g.v(7)
	g.p("VPSUBQ %s, %s, %s", g.longs(math.Float64bits(math.Sqrt(0.5))-bias<<52), x, k)
	g.p("VPSRLQ $52, %s, %s", k, k) // e + bias
	g.p("VPSLLQ $52, %s, %s", k, e)
	g.p("VPSUBQ %s, %s, %s", e, x, x)
	g.p("VPADDQ %s, %s, %s", g.longs(bias<<52), x, x) // m
	g.p("VPADDQ %s, %s, %s", g.d(1<<52), k, e)
	g.p("VSUBPD %s, %s, %s", g.d(1<<52+bias), e, e)
	g.p("VADDPD %s, %s, %s", g.d(1), x, s)
	g.p("VSUBPD %s, %s, %s", g.d(1), x, x)
	g.p("VDIVPD %s, %s, %s", s, x, s)
	g.p("VMULPD %s, %s, %s", s, s, z)
	list := []float64{}
	for n := 17.0; n > 0; n -= 2 {
		list = append(list, 2/math.Ln2/n)
	}
	g.series(z, p, list...)
	g.p("VFMADD213PD %s, %s, %s", e, p, s) // log2 x
	g.p("VMULPD %s, %s, %s", y, s, s)
	g.p("VMINPD %s, %s, %s", g.d(1000), s, s)
	g.p("VMAXPD %s, %s, %s", g.d(-1000), s, s)
	g.p("VADDPD %s, %s, %s", g.d(wholeMagic), s, k)
	g.p("VSUBPD %s, %s, %s", g.d(wholeMagic), k, e)
	g.p("VSUBPD %s, %s, %s", e, s, s)
	list, f := list[:0], 1.0
	for n := 0.0; n < 12; n++ {
		list = append([]float64{f}, list...)
		f *= math.Ln2 / (n + 1)
	}
	g.series(s, x, list...)
	g.p("VPSLLQ $52, %s, %s", k, k)
	g.p("VPADDQ %s, %s, %s", k, x, x)
}
