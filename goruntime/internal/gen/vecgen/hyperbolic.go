package main

import "math"

// lessOne sets x, which is not below zero nor above 700, to e^x - 1.
func (g *gen) lessOne(x string) {
	k, n, p := g.v(4), g.v(5), g.v(6)
	g.p("VMOVUPD %s, %s", g.d(wholeMagic), k)
	g.p("VFMADD231PD %s, %s, %s", g.d(1/math.Ln2), x, k)
	g.p("VSUBPD %s, %s, %s", g.d(wholeMagic), k, n)
	g.p("VFNMADD231PD %s, %s, %s", g.d(math.Ln2), n, x)
	list, f := []float64{}, 1.0
	for n := 1.0; n <= 11; n++ {
		f /= n
		list = append([]float64{f}, list...)
	}
	g.series(x, p, list...)
	g.p("VMULPD %s, %s, %s", x, p, p)
	g.p("VPSLLQ $52, %s, %s", k, k)
	g.p("VPADDQ %s, %s, %s", g.d(1), k, k) // 2^n
	g.p("VSUBPD %s, %s, %s", g.d(1), k, x)
	g.p("VFMADD231PD %s, %s, %s", k, p, x)
}

// hyperbolicSine is half of m + m/(m+1), where m = e^|x| - 1.
func (g *gen) hyperbolicSine() {
	x, m, e := g.v(1), g.v(3), g.v(4)
	g.size(x, m)
	g.lessOne(m)
	g.p("VADDPD %s, %s, %s", g.d(1), m, e)
	g.p("VDIVPD %s, %s, %s", e, m, e)
	g.half(e, m)
	g.signed(m, x, e)
	g.p("VMOVAPD %s, %s", m, x)
}

func (g *gen) hyperbolicCosine() {
	x, e, one := g.v(1), g.v(3), g.v(4)
	g.size(x, e)
	g.lessOne(e)
	g.p("VMOVUPD %s, %s", g.d(1), one)
	g.p("VADDPD %s, %s, %s", one, e, e)
	g.p("VDIVPD %s, %s, %s", e, one, x)
	g.half(e, x)
}

// half sets to to half the sum of itself and x.
func (g *gen) half(x, to string) {
	g.p("VADDPD %s, %s, %s", x, to, to)
	g.p("VMULPD %s, %s, %s", g.d(0.5), to, to)
}

// moreOne sets w, which is finite and not below zero, to the logarithm of 1 + w: of 2^e m,
// with m around one, as a series in (m-1)/(m+1). What 1 + w was rounded by is added to m-1.
func (g *gen) moreOne(w string) {
	u, lost, k, e, z, p := g.v(4), g.v(5), g.v(6), g.v(7), g.v(8), g.v(9)
	g.p("VADDPD %s, %s, %s", g.d(1), w, u)
	g.p("VSUBPD %s, %s, %s", g.d(1), u, lost)
	g.p("VSUBPD %s, %s, %s", lost, w, lost)
	g.p("VPSUBQ %s, %s, %s", g.longs(math.Float64bits(math.Sqrt(0.5))-bias<<52), u, k)
	g.p("VPSRLQ $52, %s, %s", k, k) // e + bias
	g.p("VPSLLQ $52, %s, %s", k, e)
	g.p("VPSUBQ %s, %s, %s", e, u, u)
	g.p("VPADDQ %s, %s, %s", g.longs(bias<<52), u, u) // m
	g.p("VMOVUPD %s, %s", g.longs((1023+bias)<<52), z)
	g.p("VPSUBQ %s, %s, %s", e, z, z) // 2^-e
	g.p("VPADDQ %s, %s, %s", g.d(1<<52), k, e)
	g.p("VSUBPD %s, %s, %s", g.d(1<<52+bias), e, e)
	g.p("VADDPD %s, %s, %s", g.d(1), u, w)
	g.p("VSUBPD %s, %s, %s", g.d(1), u, u)
	g.p("VFMADD231PD %s, %s, %s", z, lost, u)
	g.p("VDIVPD %s, %s, %s", w, u, w)
	g.p("VMULPD %s, %s, %s", w, w, z)
	list := []float64{}
	for n := 17.0; n > 0; n -= 2 {
		list = append(list, 2/n)
	}
	g.series(z, p, list...)
	g.p("VMULPD %s, %s, %s", p, w, w)
	g.p("VFMADD231PD %s, %s, %s", g.d(math.Ln2), e, w)
}

// areaSine is the logarithm of 1 + |x| + x²/(1 + √(x²+1)), with the sign of x.
func (g *gen) areaSine() {
	x, w, r, s := g.v(1), g.v(3), g.v(4), g.v(5)
	g.p("VMULPD %s, %s, %s", x, x, w)
	g.p("VADDPD %s, %s, %s", g.d(1), w, r)
	g.p("VSQRTPD %s, %s", r, r)
	g.p("VADDPD %s, %s, %s", g.d(1), r, r)
	g.p("VDIVPD %s, %s, %s", r, w, w)
	g.size(x, s)
	g.p("VADDPD %s, %s, %s", s, w, w)
	g.moreOne(w)
	g.signed(w, x, r)
	g.p("VMOVAPD %s, %s", w, x)
}

// areaCosine is the logarithm of 1 + w + √(w(x+1)), where w = x-1.
func (g *gen) areaCosine() {
	x, w := g.v(1), g.v(3)
	g.p("VSUBPD %s, %s, %s", g.d(1), x, w)
	g.p("VADDPD %s, %s, %s", g.d(1), x, x)
	g.p("VMULPD %s, %s, %s", w, x, x)
	g.p("VSQRTPD %s, %s", x, x)
	g.p("VADDPD %s, %s, %s", x, w, w)
	g.moreOne(w)
	g.p("VMOVAPD %s, %s", w, x)
}

// areaTangent is half the logarithm of 1 + 2|x|/(1-|x|), with the sign of x.
func (g *gen) areaTangent() {
	x, w, r := g.v(1), g.v(3), g.v(4)
	g.size(x, w)
	g.p("VMOVUPD %s, %s", g.d(1), r)
	g.p("VSUBPD %s, %s, %s", w, r, r)
	g.p("VADDPD %s, %s, %s", w, w, w)
	g.p("VDIVPD %s, %s, %s", r, w, w)
	g.moreOne(w)
	g.p("VMULPD %s, %s, %s", g.d(0.5), w, w)
	g.signed(w, x, r)
	g.p("VMOVAPD %s, %s", w, x)
}
