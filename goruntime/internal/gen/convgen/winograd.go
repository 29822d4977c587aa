package main

import (
	"fmt"
	"math"
	"strings"
)

// transforms are the kernels of Winograd's convolution: each works on a vector of
// tiles at a time and keeps what is between its two passes on the stack.
type transforms struct {
	isa
	text   strings.Builder
	consts []float32
}

func (g *transforms) p(format string, a ...any) { fmt.Fprintf(&g.text, "\t"+format+"\n", a...) }

func (g *transforms) v(i int) string { return fmt.Sprintf("%s%d", g.reg, i) }

// c returns the memory operand of a constant that fills a vector.
func (g *transforms) c(x float32) string {
	for i, k := range g.consts {
		if k == x {
			return fmt.Sprintf("k<>+%d(SB)", i*g.bytes)
		}
	}
	g.consts = append(g.consts, x)
	return fmt.Sprintf("k<>+%d(SB)", (len(g.consts)-1)*g.bytes)
}

func (g *transforms) table() string {
	var b strings.Builder
	for i, k := range g.consts {
		for o := 0; o < g.bytes; o += 8 {
			fmt.Fprintf(&b, "DATA k<>+%d(SB)/8, $0x%08[2]x%08[2]x\n", i*g.bytes+o, math.Float32bits(k))
		}
	}
	return b.String() + fmt.Sprintf("GLOBL k<>(SB), RODATA|NOPTR, $%d\n", len(g.consts)*g.bytes)
}

// between is a vector on the stack.
func (g *transforms) between(i, j int) string { return fmt.Sprintf("%d(SP)", (i*6+j)*g.bytes) }

// emit writes both kernels and the constants before them.
func (g *transforms) emit() string {
	g.input(false)
	g.input(true)
	g.output()
	return "\n" + g.table() + g.text.String()
}

// begin opens a kernel; the offsets are those of transform in winograd.go.
func (g *transforms) begin(name string) {
	name = g.name + name
	fmt.Fprintf(&g.text, "\n// func %s(p *transform)\nTEXT ·%s(SB), 0, $%d-8\n\tNO_LOCAL_POINTERS\n", name, name, 36*g.bytes+64)
	g.p("MOVQ p+0(FP), AX")
	for i, r := range []string{"DI", "SI", "BX", "R8", "CX", "R10"} {
		g.p("MOVQ %d(AX), %s", 8*i, r)
	}
}

// input reads the 36 numbers of a tile by a table of offsets. Close reads tiles of
// several rows into one vector: those of two vectors, by a table for each.
func (g *transforms) input(closely bool) {
	if closely {
		g.begin("InputClosely")
		g.p("MOVQ 56(AX), R11")
		g.p("MOVQ 64(AX), R12")
		g.p("MOVQ SI, R13")
	} else {
		g.begin("Input")
	}
	g.text.WriteString("\nloop:\n")
	if closely {
		g.p("MOVQ (R11), SI")
		g.p("ADDQ R13, SI")
		g.p("VMOVUPS (R12), %s", g.v(14))
	}
	for j := range 6 {
		if closely && g.reg == "Y" { // forward uses the register
			g.p("VMOVUPS 32(R12), Y13")
		}
		for i := range 6 {
			g.p("MOVQ %d(BX), DX", 8*(i*6+j))
			g.p("VMOVUPS (SI)(DX*1), %s", g.v(i))
			if closely {
				g.pick(g.v(i))
			}
		}
		for i, r := range g.forward() {
			g.p("VMOVUPS %s, %s", r, g.between(i, j))
		}
	}
	g.p("MOVQ DI, R9")
	for i := range 6 {
		for j := range 6 {
			g.p("VMOVUPS %s, %s", g.between(i, j), g.v(j))
		}
		for _, r := range g.forward() {
			g.p("VMOVUPS %s, (R9)", r)
			g.p("ADDQ R8, R9")
		}
	}
	if closely {
		g.p("ADDQ $8, R11")
		g.p("ADDQ $64, R12")
	} else {
		g.p("ADDQ $%d, SI", g.bytes)
	}
	g.p("ADDQ $%d, DI", g.bytes)
	g.p("DECQ CX")
	g.p("JNZ loop")
	g.p("VZEROUPPER")
	g.p("RET")
}

// pick takes the lanes of a vector and the one behind it that V14 names, of the second
// one where Y13 says so.
func (g *transforms) pick(x string) {
	next := fmt.Sprintf("%d(SI)(DX*1)", g.bytes)
	if g.reg == "Z" {
		g.p("VMOVUPS %s, Z15", next)
		g.p("VPERMT2PS Z15, Z14, %s", x)
		return
	}
	g.p("VPERMPS %s, Y14, %s", x, x)
	g.p("VPERMPS %s, Y14, Y15", next)
	g.p("VBLENDVPS Y13, Y15, %s, %s", x, x)
}

// forward takes V0 to V5 to the six registers that it returns.
func (g *transforms) forward() []string {
	less := func(k float32, x, to int) { g.p("VFNMADD231PS %s, %s, %s", g.c(k), g.v(x), g.v(to)) }
	pair := func(k, by float32, plus, minus int) {
		g.p("VMOVAPS %s, %s", g.v(4), g.v(7))
		less(k, 2, 7)
		g.p("VMOVAPS %s, %s", g.v(3), g.v(8))
		less(k, 1, 8)
		g.p("VMULPS %s, %s, %s", g.c(by), g.v(8), g.v(8))
		g.p("VADDPS %s, %s, %s", g.v(8), g.v(7), g.v(plus))
		g.p("VSUBPS %s, %s, %s", g.v(8), g.v(7), g.v(minus))
	}
	g.p("VADDPS %s, %s, %s", g.v(4), g.v(0), g.v(6))
	less(2.5, 2, 6)
	pair(2, math.Sqrt2/2, 9, 10)
	pair(0.5, math.Sqrt2, 11, 12)
	g.p("VADDPS %s, %s, %s", g.v(5), g.v(1), g.v(13))
	less(2.5, 3, 13)
	return []string{g.v(6), g.v(9), g.v(10), g.v(11), g.v(12), g.v(13)}
}

// output reads the 36 sums of a tile and writes its four rows of four pixels,
// those of neighbouring tiles side by side.
func (g *transforms) output() {
	g.begin("Output")
	g.p("VBROADCASTSS 48(AX), %s", g.v(15))
	g.text.WriteString("\nloop:\n")
	g.p("MOVQ SI, R9")
	for i := range 6 {
		for j := range 6 { // rows first: they lie one behind the other
			g.p("VMOVUPS (R9), %s", g.v(j))
			g.p("ADDQ R8, R9")
		}
		for j, r := range g.backward() {
			g.p("VMOVUPS %s, %s", r, g.between(j, i))
		}
	}
	for j := range 4 {
		for i := range 6 {
			g.p("VMOVUPS %s, %s", g.between(j, i), g.v(i))
		}
		for i, r := range g.backward() {
			g.p("VADDPS %s, %s, %s", g.v(15), r, r)
			g.p("VMOVUPS %s, %s", r, g.between(j, i))
		}
	}
	g.p("MOVQ DI, R9")
	for i := range 4 {
		for j := range 4 {
			g.p("VMOVUPS %s, %s", g.between(j, i), g.v(j))
		}
		g.quads()
		g.p("ADDQ R10, R9")
	}
	g.p("ADDQ $%d, SI", g.bytes)
	g.p("ADDQ $%d, DI", 4*g.bytes)
	g.p("DECQ CX")
	g.p("JNZ loop")
	g.p("VZEROUPPER")
	g.p("RET")
}

// backward takes V0 to V5 to the four registers that it returns.
func (g *transforms) backward() []string {
	g.p("VADDPS %s, %s, %s", g.v(2), g.v(1), g.v(6))
	g.p("VSUBPS %s, %s, %s", g.v(2), g.v(1), g.v(7))
	g.p("VADDPS %s, %s, %s", g.v(4), g.v(3), g.v(8))
	g.p("VSUBPS %s, %s, %s", g.v(4), g.v(3), g.v(9))
	g.p("VADDPS %s, %s, %s", g.v(6), g.v(0), g.v(0))
	g.p("VADDPS %s, %s, %s", g.v(8), g.v(0), g.v(0))
	g.p("VMULPS %s, %s, %s", g.c(math.Sqrt2/2), g.v(7), g.v(10))
	g.p("VFMADD231PS %s, %s, %s", g.c(math.Sqrt2), g.v(9), g.v(10))
	g.p("VMULPS %s, %s, %s", g.c(0.5), g.v(6), g.v(11))
	g.p("VFMADD231PS %s, %s, %s", g.c(2), g.v(8), g.v(11))
	g.p("VFMADD231PS %s, %s, %s", g.c(math.Sqrt2/4), g.v(7), g.v(5))
	g.p("VFMADD231PS %s, %s, %s", g.c(2*math.Sqrt2), g.v(9), g.v(5))
	return []string{g.v(0), g.v(10), g.v(11), g.v(5)}
}

// quads transposes V0 to V3 in fours and stores the four pixels of each tile.
func (g *transforms) quads() {
	for h := range 2 {
		g.p("VUNPCKLPS %s, %s, %s", g.v(2*h+1), g.v(2*h), g.v(4+2*h))
		g.p("VUNPCKHPS %s, %s, %s", g.v(2*h+1), g.v(2*h), g.v(5+2*h))
	}
	for h := range 2 {
		g.p("VUNPCKLPD %s, %s, %s", g.v(6+h), g.v(4+h), g.v(8+2*h))
		g.p("VUNPCKHPD %s, %s, %s", g.v(6+h), g.v(4+h), g.v(9+2*h))
	}
	extract := map[string]string{"Z": "VEXTRACTF32X4", "Y": "VEXTRACTF128"}[g.reg]
	for lane := range g.bytes / 16 {
		for r := range 4 {
			g.p("%s $%d, %s, %d(R9)", extract, lane, g.v(8+r), 16*(4*lane+r))
		}
	}
}
