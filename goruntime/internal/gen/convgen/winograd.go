package main

import (
	"fmt"
	"math"
	"strings"
)

// transforms are the kernels of Winograd's convolution: each works on a tile of as many
// channels, or filters, as a vector has lanes, and keeps what is between its two passes
// on the stack.
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

// between is a vector on the stack, which the kernels align.
func (g *transforms) between(i, j int) string { return fmt.Sprintf("%d(R13)", (i*6+j)*g.bytes) }

// emit writes both kernels and the constants before them.
func (g *transforms) emit() string {
	g.input()
	g.output()
	return "\n" + g.table() + g.text.String()
}

// begin opens a kernel; the offsets are those of transform in winograd.go.
func (g *transforms) begin(name string) {
	name = g.name + name
	fmt.Fprintf(&g.text, "\n// func %s(p *transform)\nTEXT ·%s(SB), 0, $%d-8\n\tNO_LOCAL_POINTERS\n", name, name, 36*g.bytes+64)
	g.p("MOVQ p+0(FP), AX")
	for i, r := range []string{"DI", "SI", "BX", "R8", "CX", "R10", "R11"} {
		g.p("MOVQ %d(AX), %s", 8*i, r)
	}
	g.p("LEAQ 63(SP), R13")
	g.p("ANDQ $~63, R13")
}

// input reads the 36 numbers of a tile by a table of offsets.
func (g *transforms) input() {
	g.begin("Input")
	g.text.WriteString("\nloop:\n")
	for j := range 6 {
		for i := range 6 {
			g.p("MOVQ %d(BX), DX", 8*(i*6+j))
			g.p("VMOVUPS (SI)(DX*1), %s", g.v(i))
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
	g.p("ADDQ $%d, SI", 4*g.bytes)
	g.p("ADDQ R11, DI")
	g.p("DECQ CX")
	g.p("JNZ loop")
	g.p("VZEROUPPER")
	g.p("RET")
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

// output reads the 36 sums of a tile and writes its four rows of four pixels. Times zero,
// pixels that are not finite make the sum of the lane NaN, which stays.
func (g *transforms) output() {
	g.begin("Output")
	g.p("MOVQ 56(AX), BX")
	g.p("VMOVUPS (BX), %s", g.v(15))
	g.p("VBROADCASTSS 64(AX), %s", g.v(14))
	g.p("VXORPS %[1]s, %[1]s, %[1]s", g.v(12))
	g.p("VMOVAPS %s, %s", g.v(12), g.v(13))
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
		g.p("LEAQ %d(DI), R9", j*g.bytes)
		for _, r := range g.backward() {
			g.p("VADDPS %s, %s, %s", g.v(15), r, r)
			g.p("VFMADD231PS %s, %s, %s", g.v(12), r, g.v(13))
			g.p("VMAXPS %[1]s, %[2]s, %[1]s", r, g.v(14)) // NaN stays: it is the second source
			g.p("VMOVUPS %s, (R9)", r)
			g.p("ADDQ R10, R9")
		}
	}
	g.p("ADDQ R11, SI")
	g.p("ADDQ $%d, DI", 4*g.bytes)
	g.p("DECQ CX")
	g.p("JNZ loop")
	g.p("MOVQ 72(AX), DX")
	g.p("VADDPS (DX), %[1]s, %[1]s", g.v(13))
	g.p("VMOVUPS %s, (DX)", g.v(13))
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
