package main

import (
	"fmt"
	"strings"
)

// lineRows is how many rows of pixels a kernel for single channels in lines computes at once
// at most.
const lineRows = 4

// lines emits what convolves single channels straight from the lines of their planes, for
// AVX-512: a mask for each column of the window leaves out what is not on the line.
type lines struct {
	rows, window, down, across int
	text                       strings.Builder
}

// picks is the first register of the lanes that every picks.
const picks = 16

// lineKinds are the windows and strides that have kernels: those whose weights and masks
// have registers.
var lineKinds = []lines{{window: 3, down: 1, across: 1}, {window: 3, down: 2, across: 1}, {window: 5, down: 1, across: 1}, {window: 5, down: 2, across: 1}, {window: 3, down: 1, across: 2}, {window: 3, down: 2, across: 2}}

func (g *lines) p(format string, a ...any) { fmt.Fprintf(&g.text, "\t"+format+"\n", a...) }

func (g *lines) label(s string) { fmt.Fprintf(&g.text, "\n%s:\n", s) }

func (g *lines) name() string {
	return fmt.Sprintf("avx512Lines%dw%dd%da%d", g.rows, g.window, g.down, g.across)
}

// eachLines calls f for every kernel.
func eachLines(f func(g *lines)) {
	for _, k := range lineKinds {
		for rows := 1; rows <= lineRows; rows++ {
			f(&lines{rows: rows, window: k.window, down: k.down, across: k.across})
		}
	}
}

func linesAssembly() string {
	var b strings.Builder
	eachLines(func(g *lines) { b.WriteString(g.emit()) })
	return b.String()
}

func linesDeclarations() string {
	var b, table strings.Builder
	eachLines(func(g *lines) {
		fmt.Fprintf(&b, "\n//go:noescape\nfunc %s(p *lineTile)\n", g.name())
		if g.rows == 1 {
			fmt.Fprintf(&table, "\t{%d, %d, %d}: {", g.window, g.down, g.across)
		}
		table.WriteString(g.name() + map[bool]string{true: "},\n", false: ", "}[g.rows == lineRows])
	})
	fmt.Fprintf(&b, "\nvar avx512Lines = map[lineKind][%d]func(*lineTile){\n%s}\n", lineRows, table.String())
	return b.String()
}

// weight is the register of the weight in a row and a column of the window.
func (g *lines) weight(y, x int) string { return fmt.Sprintf("Z%d", 7+y*g.window+x) }

func (g *lines) sum(r int) string { return fmt.Sprintf("Z%d", 3+r) }

// emit writes the kernel; the fields are those of lineTile in lines.go. Planes are the outer
// loop, blocks of rows the next, the vectors of a row the inner one.
func (g *lines) emit() string {
	fmt.Fprintf(&g.text, "\n// func %[1]s(p *lineTile)\nTEXT ·%[1]s(SB), 0, $128-8\n\tNO_LOCAL_POINTERS\n\tMOVQ p+0(FP), AX\n", g.name())
	g.p("MOVQ 32(AX), R12")
	g.p("MOVQ 96(AX), R9")
	if g.across == 2 {
		g.p("MOVQ 128(AX), DX")
		for x := range g.window {
			g.p("VMOVUPS %d(DX), Z%d", 64*x, picks+x)
		}
		g.p("MOVQ $0x7fff, DX")
		g.p("KMOVQ DX, K7")
	}
	g.label("plane")
	g.p("MOVQ 8(AX), DX")
	for t := range g.window * g.window {
		g.p("VBROADCASTSS %d(DX), Z%d", 4*t, 7+t)
	}
	g.p("MOVQ 0(AX), SI")
	g.p("MOVQ 24(AX), DI")
	g.p("MOVQ 40(AX), R8")
	g.p("MOVQ 64(AX), R13")
	g.label("block")
	g.p("MOVQ 48(AX), R10")
	g.p("MOVQ 72(AX), R11")
	g.p("MOVQ 120(AX), R15")
	g.p("MOVQ DI, BX")
	g.label("vector")
	masks := g.window + 1
	for i := range masks {
		g.p("KMOVQ %d(R10), K%d", 8*i, 1+i)
	}
	g.p("MOVQ 16(AX), DX")
	for r := range g.rows {
		g.p("VBROADCASTSS (DX), %s", g.sum(r))
	}
	for i := range (g.rows-1)*g.down + g.window {
		g.line(i)
	}
	g.p("CMPQ 112(AX), $0")
	g.p("JEQ plain")
	g.p("VXORPS Z0, Z0, Z0")
	for r := range g.rows { // MAX gives its second source where one is NaN: the sum
		g.p("VMAXPS %[1]s, Z0, %[1]s", g.sum(r))
	}
	g.label("plain")
	for r, to := range []string{"(BX)", "(BX)(R9*1)", "(BX)(R9*2)", "(DX)(R9*2)"}[:g.rows] {
		if r == 3 {
			g.p("LEAQ (BX)(R9*1), DX")
		}
		g.p("VMOVUPS %s, K%d, %s", g.sum(r), masks, to)
	}
	g.p("ADDQ $%d, R10", 8*masks)
	g.p("ADDQ $%d, R15", 64*g.across)
	g.p("ADDQ $64, BX")
	g.p("DECQ R11")
	g.p("JNZ vector")
	g.p("ADDQ $%d, R8", 8*g.rows*g.down)
	for range g.rows {
		g.p("ADDQ R9, DI")
	}
	g.p("DECQ R13")
	g.p("JNZ block")
	for _, f := range [][2]int{{80, 0}, {88, 24}, {104, 16}} {
		g.p("MOVQ %d(AX), DX", f[0])
		g.p("ADDQ DX, %d(AX)", f[1])
	}
	g.p("ADDQ $%d, 8(AX)", 4*g.window*g.window)
	g.p("DECQ 56(AX)")
	g.p("JNZ plane")
	g.p("VZEROUPPER")
	g.p("RET")
	return g.text.String()
}

// line adds what lies on input row i of a block to the sums that see it; a row in the
// padding is the line of zeros.
func (g *lines) line(i int) {
	g.p("MOVQ %d(R8), DX", 8*i)
	g.p("LEAQ (SI)(DX*1), CX")
	g.p("TESTQ DX, DX")
	g.p("CMOVQLT R12, CX")
	if g.across == 2 {
		g.every(i)
		return
	}
	for x := range g.window {
		g.p("VMOVUPS.Z %d(CX)(R15*1), K%d, Z0", 4*x, 1+x)
		g.add(i, x, "Z0")
	}
}

// add multiplies what lies under column x of input row i.
func (g *lines) add(i, x int, from string) {
	for r := range g.rows {
		if y := i - r*g.down; y >= 0 && y < g.window {
			g.p("VFMADD231PS %s, %s, %s", from, g.weight(y, x), g.sum(r))
		}
	}
}

// every picks what lies under three columns, two numbers apart, out of two vectors and the
// number behind them.
func (g *lines) every(i int) {
	g.p("VMOVUPS.Z (CX)(R15*1), K1, Z0")
	g.p("VMOVUPS.Z 64(CX)(R15*1), K2, Z1")
	for x := range 2 {
		g.p("VMOVAPS Z0, Z2")
		g.p("VPERMT2PS Z1, Z%d, Z2", picks+x)
		g.add(i, x, "Z2")
	}
	g.p("VPERMT2PS.Z Z1, Z%d, K7, Z0", picks+2)
	g.p("VBROADCASTSS 128(CX)(R15*1), K3, Z0")
	g.add(i, 2, "Z0")
}
