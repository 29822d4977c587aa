package main

import (
	"fmt"
	"strings"
)

// recode goes from numbers to codes and on to others in one loop. The parameters are
// those of Recoding in kernels/vec, in its order; AVX-512 keeps them in registers.
func (g *gen) recode() {
	g.begin("Recode")
	const held = 10
	for i := range held {
		if g.wide() {
			g.p("VBROADCASTSS %d(BX), Z%d", 4*i, 16+i)
		}
	}
	g.p("VXORPS %[1]s, %[1]s, %[1]s", g.v(1))
	g.p("VMOVUPS %s, %s", g.c(1), g.v(2))
	param := func(i int) string {
		if g.wide() {
			return fmt.Sprintf("Z%d", 16+i)
		}
		g.p("VBROADCASTSS %d(BX), Y3", 4*i)
		return "Y3"
	}
	with := func(instruction string, i int, x string) { g.p("%s %s, %s, %s", instruction, param(i), x, x) }
	whole := func(low int) {
		// MAX and MIN give their second source where one is NaN: the bound, then the number.
		g.p("VMAXPS %s, %s, %s", param(low), g.v(0), g.v(0))
		g.p("VMINPS %[1]s, %[2]s, %[1]s", g.v(0), param(low+1))
		g.p("VADDPS %[1]s, %[2]s, %[2]s", g.c(1.5*(1<<23)), g.v(0))
		g.p("VSUBPS %[1]s, %[2]s, %[2]s", g.c(1.5*(1<<23)), g.v(0))
	}
	g.loop(func(masked bool) {
		g.load("SI", 0, masked, g.v(0))
		with("VMULPS", 0, g.v(0))
		whole(1)
		with("VMULPS", 3, g.v(0))
		g.p("VMULPS %s, %s, %s", param(4), g.v(0), g.v(4))
		with("VADDPS", 5, g.v(4))
		g.clamp(g.v(4), g.v(1), g.v(2))
		g.p("VMULPS %[1]s, %[2]s, %[2]s", g.v(4), g.v(0))
		with("VDIVPS", 6, g.v(0))
		whole(7)
		with("VMULPS", 9, g.v(0))
		g.store(g.v(0), "DI", 0, masked)
	}, g.next("SI"), g.next("DI"))
	g.end()
}

// recodeBytes is recode where codes are bytes, by a table of what becomes of each: four
// vectors of codes are packed, looked up and taken apart again. The offsets are those of
// Recoding.
func (g *gen) recodeBytes() {
	g.begin("RecodeBytes")
	for i, at := range []int{0, 4, 8, 36} { // Times, Least, Most, Back
		g.p("VBROADCASTSS %d(BX), Z%d", at, 16+i)
	}
	g.p("VPBROADCASTD 40(BX), Z20")
	g.p("VPBROADCASTD 44(BX), Z21")
	for i := range 4 {
		g.p("VMOVDQU64 %d(BX), Z%d", 48+64*i, 22+i)
		g.p("VMOVDQU64 apart<>+%d(SB), Z%d", 64*i, 26+i)
	}
	g.p("MOVQ $0x1111111111111111, R9")
	g.p("KMOVQ R9, K2")
	g.p("CMPQ CX, $4")
	g.p("JLT rest")
	g.label("four")
	g.recoded(4, false)
	g.p("ADDQ $256, SI")
	g.p("ADDQ $256, DI")
	g.p("SUBQ $4, CX")
	g.p("CMPQ CX, $4")
	g.p("JGE four")
	g.label("rest")
	g.loop(func(masked bool) { g.recoded(1, masked) }, g.next("SI"), g.next("DI"))
	g.end()
}

// recoded recodes up to four vectors: Z0 to Z3.
func (g *gen) recoded(n int, masked bool) {
	for i := range n {
		x := g.v(i)
		g.load("SI", i, masked, x)
		g.p("VMULPS Z16, %[1]s, %[1]s", x)
		g.p("VMAXPS Z17, %[1]s, %[1]s", x)
		g.p("VMINPS %[1]s, Z18, %[1]s", x)
		g.p("VCVTPS2DQ %[1]s, %[1]s", x)
		g.p("VPSUBD Z20, %[1]s, %[1]s", x)
	}
	second, other := g.v(n-1), g.v(n/2) // without more vectors one is packed with itself
	g.p("VPACKUSDW %s, Z0, Z4", g.v(n/4))
	g.p("VPACKUSDW %s, %s, Z5", second, other)
	g.p("VPACKUSWB Z5, Z4, Z4")
	g.p("VPMOVB2M Z4, K3")
	g.p("VMOVDQA64 Z4, Z5")
	g.p("VPERMI2B Z23, Z22, Z4")
	g.p("VPERMI2B Z25, Z24, Z5")
	g.p("VPBLENDMB Z5, Z4, K3, Z4")
	for i := range n {
		x := g.v(i)
		g.p("VPERMB.Z Z4, Z%d, K2, %s", 26+i, x)
		g.p("VPADDD Z21, %[1]s, %[1]s", x)
		g.p("VCVTDQ2PS %[1]s, %[1]s", x)
		g.p("VMULPS Z19, %[1]s, %[1]s", x)
		g.store(x, "DI", i, masked)
	}
}

// apartTable says for four vectors which byte of the packed ones belongs to each number.
func (g *gen) apartTable() string {
	if !g.wide() {
		return ""
	}
	var b strings.Builder
	for v := range 4 {
		for i := 0; i < 16; i += 2 {
			at := func(i int) int { return i/4*16 + 4*v + i%4 }
			fmt.Fprintf(&b, "DATA apart<>+%d(SB)/8, $0x%08x%08x\n", 64*v+4*i, at(i+1), at(i))
		}
	}
	return b.String() + "GLOBL apart<>(SB), RODATA|NOPTR, $256\n"
}
