package main

import (
	"fmt"
	"math"
	"strings"
)

func (g *gen) next(r string) string { return fmt.Sprintf("$%d, %s", g.bytes, r) }

func (g *gen) unary(u struct {
	name string
	body func(g *gen)
},
) {
	g.begin(u.name)
	defer g.hoist(g.text.Len())
	g.loop(func(masked bool) {
		g.load("SI", 0, masked, g.v(0))
		u.body(g)
		g.store(g.v(0), "DI", 0, masked)
	}, g.next("SI"), g.next("DI"))
	g.end()
}

// binary has a scalar side in a register over a row; the next number goes with the
// next row, which lies behind it.
func (g *gen) binary(o struct {
	name string
	body func(g *gen)
}, form string,
) {
	g.begin(o.name + form)
	single := strings.Contains(form, "S")
	if single {
		g.p("MOVQ 72(AX), R9")
		g.p("MOVQ 80(AX), R10")
		g.p("MOVQ CX, R13")
		g.label("row")
	}
	sides := []struct {
		base string
		all  string
	}{{"SI", g.v(10)}, {"BX", g.v(11)}}
	advance := []string{g.next("DI")}
	for i, s := range sides {
		if form[i] == 'S' {
			g.p("VBROADCASTSS (%s), %s", s.base, s.all)
		} else {
			advance = append(advance, g.next(s.base))
		}
	}
	g.loop(func(masked bool) {
		for i, s := range sides {
			if form[i] == 'S' {
				g.p("VMOVAPS %s, %s", s.all, g.v(i))
			} else {
				g.load(s.base, 0, masked, g.v(i))
			}
		}
		o.body(g)
		g.store(g.v(0), "DI", 0, masked)
	}, advance...)
	if single {
		g.p("ADDQ R10, DI")
		for i, s := range sides {
			if form[i] == 'S' {
				g.p("ADDQ $4, %s", s.base)
			} else {
				g.p("ADDQ R10, %s", s.base)
			}
		}
		g.p("MOVQ R13, CX")
		g.p("DECQ R9")
		g.p("JNZ row")
	}
	g.end()
}

// curve has its parameters in registers over the whole loop.
func (g *gen) curve(c struct {
	name string
	body func(g *gen)
},
) {
	g.begin(c.name)
	defer g.hoist(g.text.Len())
	g.p("VBROADCASTSS 48(AX), %s", g.v(10))
	g.p("VBROADCASTSS 52(AX), %s", g.v(11))
	g.loop(func(masked bool) {
		g.load("SI", 0, masked, g.v(0))
		c.body(g)
		g.store(g.v(0), "DI", 0, masked)
	}, g.next("SI"), g.next("DI"))
	g.end()
}

// grid has a number beside the parameters in a register.
func (g *gen) grid(c struct {
	name string
	body func(g *gen)
},
) {
	g.begin(c.name)
	defer g.hoist(g.text.Len())
	g.p("VBROADCASTSS 48(AX), %s", g.v(10))
	g.p("VBROADCASTSS 52(AX), %s", g.v(11))
	g.p("VBROADCASTSS (BX), %s", g.v(12))
	g.loop(func(masked bool) {
		g.load("SI", 0, masked, g.v(0))
		c.body(g)
		g.store(g.v(0), "DI", 0, masked)
	}, g.next("SI"), g.next("DI"))
	g.end()
}

// every writes every step-th number, a power of two: it takes every second one
// until one vector is left. The masks of the tail are those of the loads and of the
// store.
func (g *gen) every(name string, step int) {
	g.begin(name)
	if g.wide() {
		g.p("VMOVUPS even<>(SB), Z8")
	}
	pick := func() {
		for left := step; left > 1; left /= 2 {
			for i := 0; i < left; i += 2 {
				a, b, to := g.v(i), g.v(i+1), g.v(i/2)
				g.even(a, b)
				if a != to {
					g.p("VMOVAPS %s, %s", a, to)
				}
			}
		}
	}
	g.p("TESTQ CX, CX")
	g.p("JZ tail")
	g.label("loop")
	for i := range step {
		g.load("SI", i, false, g.v(i))
	}
	pick()
	g.store(g.v(0), "DI", 0, false)
	g.p("ADDQ $%d, SI", step*g.bytes)
	g.p("ADDQ $%d, DI", g.bytes)
	g.p("DECQ CX")
	g.p("JNZ loop")
	g.label("tail")
	for i := range step + 1 {
		if g.wide() {
			g.p("KMOVQ %d(DX), K1", 8*i)
		} else {
			g.p("VMOVUPS %d(DX), Y15", 32*i)
		}
		if i < step {
			g.load("SI", i, true, g.v(i))
			continue
		}
		pick()
		g.store(g.v(0), "DI", 0, true)
	}
	g.end()
}

// weigh adds rows, each times its weight: a vector of all of them at a time.
func (g *gen) weigh() {
	g.begin("Weigh")
	g.p("MOVQ 56(AX), R13")
	g.p("MOVQ 72(AX), R9")
	g.p("MOVQ 80(AX), R10")
	row := func(index, to string, masked bool) {
		g.p("MOVLQSX (R13)%s, R11", index)
		g.p("IMULQ R10, R11")
		g.p("ADDQ SI, R11")
		g.load("R11", 0, masked, to)
		g.p("VBROADCASTSS (BX)%s, %s", index, g.v(1))
		g.p("VMULPS %s, %s, %s", g.v(1), to, to)
	}
	g.loop(func(masked bool) {
		which := map[bool]string{true: "Last"}[masked]
		row("", g.v(0), masked)
		g.p("MOVQ $1, R12")
		g.label("row" + which)
		g.p("CMPQ R12, R9")
		g.p("JGE summed%s", which)
		row("(R12*4)", g.v(2), masked)
		g.p("VADDPS %s, %s, %s", g.v(2), g.v(0), g.v(0))
		g.p("INCQ R12")
		g.p("JMP row%s", which)
		g.label("summed" + which)
		g.store(g.v(0), "DI", 0, masked)
	}, g.next("SI"), g.next("DI"))
	g.end()
}

// even leaves every second number of two vectors in the first.
func (g *gen) even(a, b string) {
	if g.wide() {
		g.p("VPERMT2PS %s, Z8, %s", b, a)
		return
	}
	g.p("VSHUFPS $0x88, %s, %s, %s", b, a, a)
	g.p("VPERMPD $0xd8, %s, %s", a, a)
}

// evenTable is the index of every second number of two vectors.
func (g *gen) evenTable() string {
	if !g.wide() {
		return ""
	}
	var b strings.Builder
	for i := range 8 {
		fmt.Fprintf(&b, "DATA even<>+%d(SB)/8, $0x%08x%08x\n", 8*i, 4*i+2, 4*i)
	}
	return b.String() + "GLOBL even<>(SB), RODATA|NOPTR, $64\n"
}

// halves is how many vectors make the sixteen lanes of a reduction.
func (g *gen) halves() int { return 64 / g.bytes }

func (g *gen) acc(h int) string { return g.v(12 + h) }

// sums keeps sixteen lanes over the loop.
func (g *gen) sums(body func(h int, masked bool), advance ...string) {
	for h := range g.halves() {
		g.p("VXORPS %s, %s, %s", g.acc(h), g.acc(h), g.acc(h))
	}
	g.loop(func(masked bool) {
		for h := range g.halves() {
			body(h, masked)
		}
	}, advance...)
}

// most loops for the maxima of the lanes; V8 and V9 are zero but where a NaN was
// seen.
func (g *gen) most() {
	for h := range g.halves() {
		g.p("VMOVUPS %s, %s", g.c(float32(math.Inf(-1))), g.acc(h))
		g.p("VXORPS %s, %s, %s", g.v(8+h), g.v(8+h), g.v(8+h))
	}
	g.loop(func(masked bool) {
		for h := range g.halves() {
			g.load("SI", h, masked, g.v(0))
			g.past(masked, g.acc(h))
			g.where(3, g.v(0), g.v(0), g.v(0), g.v(8+h), g.v(1))
			g.p("VMAXPS %s, %s, %s", g.v(0), g.acc(h), g.acc(h))
		}
	}, "$64, SI")
}

// across joins the sixteen lanes of V(i) and, where vectors are halves, of the next
// one, pairwise: the first lane has the result. V0 is used.
func (g *gen) across(instruction string, i int) {
	if g.wide() {
		g.p("VEXTRACTF64X4 $1, Z%d, Y0", i)
		g.p("%s Y0, Y%d, Y%d", instruction, i, i)
	} else {
		g.p("%s Y%d, Y%d, Y%d", instruction, i+1, i, i)
	}
	g.p("VEXTRACTF128 $1, Y%d, X0", i)
	g.p("%s X0, X%d, X%d", instruction, i, i)
	for _, swap := range []int{0x4e, 0xb1} {
		g.p("VPERMILPS $%d, X%d, X0", swap, i)
		g.p("%s X0, X%d, X%d", instruction, i, i)
	}
}

// softmax writes rows of exp(x - max) / sum.
func (g *gen) softmax() {
	g.begin("Softmax")
	defer g.hoist(g.text.Len())
	g.p("MOVQ 72(AX), R9")
	g.p("MOVQ 80(AX), R10")
	g.label("row")
	g.p("MOVQ SI, R11")
	g.p("MOVQ DI, R12")
	g.p("MOVQ CX, R13")
	g.mark = "most"
	g.most()
	g.across("VMAXPS", 12)
	g.across("VADDPS", 8) // zero or NaN
	g.p("VADDPS X8, X12, X12")
	g.p("VBROADCASTSS X12, %s", g.v(10))
	g.p("MOVQ R11, SI")
	g.p("MOVQ R13, CX")
	g.mark = "exp"
	g.exps()
	g.across("VADDPS", 12)
	g.p("VMOVUPS %s, %s", g.c(1), g.v(1))
	g.p("VDIVSS X12, X1, X1")
	g.p("VBROADCASTSS X1, %s", g.v(11))
	g.p("MOVQ R12, DI")
	g.p("MOVQ R13, CX")
	g.mark = "scale"
	g.loop(func(masked bool) {
		for h := range g.halves() {
			g.load("DI", h, masked, g.v(0))
			g.p("VMULPS %s, %s, %s", g.v(11), g.v(0), g.v(0))
			g.store(g.v(0), "DI", h, masked)
		}
	}, "$64, DI")
	g.mark = ""
	g.p("LEAQ (R11)(R10*1), SI")
	g.p("LEAQ (R12)(R10*1), DI")
	g.p("MOVQ R13, CX")
	g.p("DECQ R9")
	g.p("JNZ row")
	g.end()
}

// exps loops for exp(x - V10) and its sums.
func (g *gen) exps() {
	g.sums(func(h int, masked bool) {
		g.load("SI", h, masked, g.v(0))
		g.p("VSUBPS %s, %s, %s", g.v(10), g.v(0), g.v(0))
		g.exp(g.v(0), g.v(1), g.v(2))
		g.store(g.v(0), "DI", h, masked)
		g.keep(g.v(0), masked)
		g.p("VADDPS %s, %s, %s", g.v(0), g.acc(h), g.acc(h))
	}, "$64, SI", "$64, DI")
}
