package main

import "math"

// tangent is the quotient of sine and cosine, or of the cosine, turned, and the sine.
func (g *gen) tangent() {
	sine, cosine, t := g.turned(0)
	odd, over, under := g.v(4), g.v(8), g.v(9)
	g.p("VPSLLQ $63, %s, %s", t, odd)
	g.pick(odd, sine, cosine, over)
	g.pick(odd, cosine, sine, under)
	g.p("VXORPD %s, %s, %s", odd, over, over)
	g.p("VDIVPD %s, %s, %s", under, over, g.v(1))
}

// arcs is a polynomial that the arc tangent of z is z times, in the square of z, up to the
// tangent of an eighth of π: the one that is right at Chebyshev's points.
var arcs = []float64{
	0.030662440370424447, -0.05874505621307831, 0.07563703551915192, -0.09078392072943424,
	0.11110385046148014, -0.14285690423839287, 0.19999999604891977, -0.33333333330803444, 0.9999999999999732,
}

// arc is the angle, up to half of π, whose tangent is over/under, neither of which is below
// zero. It changes both.
func (g *gen) arc(over, under, to string) {
	z, w, base, limit, p := g.v(5), g.v(6), g.v(7), g.v(8), g.v(9)
	g.p("VSUBPD %s, %s, %s", under, over, z)
	g.p("VADDPD %s, %s, %s", under, over, w)
	g.p("VMOVUPD %s, %s", g.d(math.Pi/4), base)
	g.p("VMULPD %s, %s, %s", g.d(math.Sqrt2-1), under, limit)
	g.compareLongs(lessOrEqual, limit, over, limit)
	g.replace(limit, over, z)
	g.replace(limit, under, w)
	g.replace(limit, g.d(0), base)
	g.p("VMULPD %s, %s, %s", g.d(math.Sqrt2+1), under, limit)
	g.compareLongs(more, limit, over, limit)
	g.p("VXORPD %s, %s, %s", g.longs(1<<63), under, under)
	g.replace(limit, under, z)
	g.replace(limit, over, w)
	g.replace(limit, g.d(math.Pi/2), base)
	g.p("VDIVPD %s, %s, %s", w, z, z)
	g.p("VMULPD %s, %s, %s", z, z, w)
	g.series(w, p, arcs...)
	g.p("VFMADD213PD %s, %s, %s", base, z, p)
	g.p("VMOVAPD %s, %s", p, to)
}

// Predicates of comparisons that are false for NaN.
const (
	lessOrEqual = 18
	more        = 30
)

// compareLongs sets to, or K2 where there are masks, where x compares with y.
func (g *gen) compareLongs(predicate int, y, x, to string) {
	if g.wide() {
		to = "K2"
	}
	g.p("VCMPPD $%d, %s, %s, %s", predicate, y, x, to)
}

// replace puts value in the place of the numbers of to that compareLongs set.
func (g *gen) replace(set, value, to string) {
	if g.wide() {
		g.p("VMOVUPD %s, K2, %s", value, to)
	} else {
		g.p("VBLENDVPD %s, %s, %s, %s", set, value, to, to)
	}
}

// size sets to to x without its sign.
func (g *gen) size(x, to string) { g.p("VANDPD %s, %s, %s", g.longs(1<<63-1), x, to) }

// signed gives x, in place, the sign of another.
func (g *gen) signed(x, sign, tmp string) {
	g.p("VANDPD %s, %s, %s", g.longs(1<<63), sign, tmp)
	g.p("VXORPD %s, %s, %s", tmp, x, x)
}

func (g *gen) arcTangent() {
	x, over, under := g.v(1), g.v(3), g.v(4)
	g.size(x, over)
	g.p("VMOVUPD %s, %s", g.d(1), under)
	g.arc(over, under, over)
	g.signed(over, x, under)
	g.p("VMOVAPD %s, %s", over, x)
}

// beside sets to to the other side of a triangle whose longest has length 1.
func (g *gen) beside(size, to, tmp string) {
	g.p("VMOVUPD %s, %s", g.d(1), tmp)
	g.p("VSUBPD %s, %s, %s", size, tmp, to)
	g.p("VADDPD %s, %s, %s", size, tmp, tmp)
	g.p("VMULPD %s, %s, %s", tmp, to, to)
	g.p("VSQRTPD %s, %s", to, to)
}

func (g *gen) arcSine() {
	x, over, under := g.v(1), g.v(3), g.v(4)
	g.size(x, over)
	g.beside(over, under, g.v(5))
	g.arc(over, under, over)
	g.signed(over, x, under)
	g.p("VMOVAPD %s, %s", over, x)
}

// arcCosine is π less the angle on the other side where x is below zero.
func (g *gen) arcCosine() {
	x, over, under := g.v(1), g.v(3), g.v(4)
	g.size(x, under)
	g.beside(under, over, g.v(5))
	g.arc(over, under, over)
	g.p("VMOVUPD %s, %s", g.d(math.Pi), under)
	g.p("VSUBPD %s, %s, %s", over, under, under)
	g.pick(x, over, under, x)
}
