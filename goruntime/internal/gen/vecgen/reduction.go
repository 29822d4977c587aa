package main

import (
	"fmt"
	"math"
)

// reductions are in the order of the enumeration in kernels/vec.
var reductions = []struct {
	name    string
	join    string // the instruction that joins two numbers
	neutral float64
	of      func(g *gen, x string) // makes of a number what is joined
}{
	{name: "Added", join: "VADDPS"},
	{name: "AddedMagnitudes", join: "VADDPS", of: func(g *gen, x string) { g.abs(x, x) }},
	{name: "AddedSquares", join: "VADDPS", of: func(g *gen, x string) { g.p("VMULPS %[1]s, %[1]s, %[1]s", x) }},
	{name: "Most", join: "VMAXPS", neutral: math.Inf(-1)},
	{name: "Least", join: "VMINPS", neutral: math.Inf(1)},
}

// along reduces each row to a number: sixteen lanes are kept over the row, then joined
// pairwise. An extreme goes past a NaN, so those seen are kept beside it.
func (g *gen) along(i int) {
	r := reductions[i]
	extreme := r.neutral != 0
	g.begin("Along" + r.name)
	g.p("MOVQ 72(AX), R9")
	g.p("MOVQ 80(AX), R10")
	g.p("MOVQ CX, R13")
	g.label("row")
	g.p("MOVQ SI, R11")
	for h := range g.halves() {
		if extreme {
			g.p("VMOVUPS %s, %s", g.c(float32(r.neutral)), g.acc(h))
			g.p("VXORPS %[1]s, %[1]s, %[1]s", g.v(8+h))
		} else {
			g.p("VXORPS %[1]s, %[1]s, %[1]s", g.acc(h))
		}
	}
	g.loop(func(masked bool) {
		for h := range g.halves() {
			g.load("SI", h, masked, g.v(0))
			if extreme {
				g.past(masked, g.acc(h))
				g.where(3, g.v(0), g.v(0), g.v(0), g.v(8+h), g.v(1))
			}
			if r.of != nil {
				r.of(g, g.v(0))
			}
			g.p("%s %s, %s, %s", r.join, g.v(0), g.acc(h), g.acc(h))
		}
	}, "$64, SI")
	g.across(r.join, 12)
	if extreme {
		g.across("VADDPS", 8) // zero or NaN
		g.p("VCMPSS $3, X8, X8, %s", map[bool]string{true: "K2", false: "X9"}[g.wide()])
		if g.wide() {
			g.p("VMOVSS X8, X12, K2, X12")
		} else {
			g.p("VBLENDVPS X9, X8, X12, X12")
		}
	}
	g.p("VMOVSS X12, (DI)")
	g.p("ADDQ $4, DI")
	g.p("LEAQ (R11)(R10*1), SI")
	g.p("MOVQ R13, CX")
	g.p("DECQ R9")
	g.p("JNZ row")
	g.end()
}

// past lets V0 have, beyond the tail, what is there already.
func (g *gen) past(masked bool, there string) {
	switch {
	case !masked:
	case g.wide():
		g.p("VBLENDMPS %s, %s, K1, %s", g.v(0), there, g.v(0))
	default:
		g.p("VBLENDVPS Y15, %s, %s, %s", g.v(0), there, g.v(0))
	}
}

// strip is how many vectors are reduced over the rows at once.
const strip = 4

// acrossRows reduces rows to one, strips of vectors at a time.
func (g *gen) acrossRows(i int) {
	g.begin("Across" + reductions[i].name)
	g.p("MOVQ 72(AX), R9")
	g.p("MOVQ 80(AX), R10")
	g.p("CMPQ CX, $%d", strip)
	g.p("JLT rest")
	g.label("strip")
	g.strip(i, "strip", strip, false)
	g.p("SUBQ $%d, CX", strip)
	g.p("CMPQ CX, $%d", strip)
	g.p("JGE strip")
	g.label("rest")
	g.p("TESTQ CX, CX")
	g.p("JZ tail")
	g.label("one")
	g.strip(i, "one", 1, false)
	g.p("DECQ CX")
	g.p("JNZ one")
	g.label("tail")
	g.p("TESTQ DX, DX")
	g.p("JZ done")
	if g.wide() {
		g.p("KMOVQ (DX), K1")
	}
	g.strip(i, "tail", 1, true)
	g.label("done")
	g.end()
}

func (g *gen) strip(i int, mark string, vectors int, masked bool) {
	r := reductions[i]
	load := func(v int, to string) {
		g.load("R11", v, masked, to)
		if r.of != nil {
			r.of(g, to)
		}
	}
	g.p("MOVQ SI, R11")
	g.p("MOVQ R9, R12")
	for v := range vectors {
		load(v, g.v(8+v))
	}
	g.p("DECQ R12")
	g.p("JZ %sdown", mark)
	g.label(mark + "row")
	g.p("ADDQ R10, R11")
	for v := range vectors {
		x, acc := g.v(v), g.v(8+v)
		load(v, x)
		// MAX and MIN give their second source, here the one before, where one is NaN.
		g.p("%s %s, %s, %s", r.join, acc, x, acc)
		if r.neutral != 0 {
			g.where(3, x, x, x, acc, g.v(4))
		}
	}
	g.p("DECQ R12")
	g.p("JNZ %srow", mark)
	g.label(mark + "down")
	for v := range vectors {
		g.store(g.v(8+v), "DI", v, masked)
	}
	g.p("ADDQ $%d, SI", vectors*g.bytes)
	g.p("ADDQ $%d, DI", vectors*g.bytes)
}

// reduceAll emits the reductions.
func (g *gen) reduceAll() {
	for i := range reductions {
		g.along(i)
		g.acrossRows(i)
	}
}

// reductionTable lists the kernels of one direction.
func (g *gen) reductionTable(direction string) string {
	list := ""
	for i, r := range reductions {
		list += comma(i) + g.name + direction + r.name
	}
	return fmt.Sprintf("[reductions]func(*args){%s}", list)
}
