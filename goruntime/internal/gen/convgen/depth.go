package main

import (
	"fmt"
	"strings"
)

// Limits of the kernels for convolutions of single channels.
const (
	deepPixels  = 8 // of a tile
	deepStrides = 2
)

// deep emits what convolves channels that lie side by side in vectors: the tiles, and
// the transposes from planes to such vectors and back.
type deep struct {
	isa
	text strings.Builder
}

func (g *deep) p(format string, a ...any) { fmt.Fprintf(&g.text, "\t"+format+"\n", a...) }

func (g *deep) label(s string) { fmt.Fprintf(&g.text, "\n%s:\n", s) }

func (g *deep) v(i int) string { return fmt.Sprintf("%s%d", g.reg, i) }

func (g *deep) lanes() int { return g.bytes / 4 }

// emit returns all kernels.
func (g *deep) emit() string {
	for stride := 1; stride <= deepStrides; stride++ {
		for pixels := 1; pixels <= deepPixels; pixels++ {
			g.tile(pixels, stride)
		}
	}
	g.toChannels()
	g.toPlanes()
	return g.text.String()
}

// declarations returns the Go side of the kernels.
func (g *deep) declarations() string {
	var b, table strings.Builder
	for stride := 1; stride <= deepStrides; stride++ {
		var row []string
		for pixels := 1; pixels <= deepPixels; pixels++ {
			name := fmt.Sprintf("%sDeep%dx%d", g.name, pixels, stride)
			row = append(row, name)
			fmt.Fprintf(&b, "\n//go:noescape\nfunc %s(p *deepTile)\n", name)
		}
		fmt.Fprintf(&table, "\t{%s},\n", strings.Join(row, ", "))
	}
	for _, name := range []string{"ToChannels", "ToPlanes"} {
		fmt.Fprintf(&b, "\n//go:noescape\nfunc %s%s(p *turn)\n", g.name, name)
	}
	fmt.Fprintf(&b, "\nvar %sDeep = [%d][%d]func(*deepTile){\n%s}\n", g.name, deepStrides, deepPixels, table.String())
	return b.String()
}

// begin opens a kernel whose first fields go to registers.
func (g *deep) begin(name, of string, registers ...string) {
	fmt.Fprintf(&g.text, "\n// func %[1]s%[2]s(p *%[3]s)\nTEXT ·%[1]s%[2]s(SB), 0, $128-8\n\tNO_LOCAL_POINTERS\n\tMOVQ p+0(FP), AX\n", g.name, name, of)
	for i, r := range registers {
		g.p("MOVQ %d(AX), %s", 8*i, r)
	}
}

func (g *deep) end() {
	g.p("VZEROUPPER")
	g.p("RET")
}

// tile computes some pixels of each row, a vector of channels each. The fields are
// those of deepTile in depth.go.
func (g *deep) tile(pixels, stride int) {
	g.begin(fmt.Sprintf("Deep%dx%d", pixels, stride), "deepTile", "SI", "BX", "R8", "DI", "DX", "CX", "R9", "R10", "R11", "R12")
	g.label("row")
	for p := range pixels {
		g.p("VMOVUPS (DX), %s", g.v(1+p))
	}
	g.p("MOVQ BX, R13")
	g.p("XORQ R15, R15")
	g.label("tap")
	g.p("MOVQ (R8)(R15*8), AX")
	g.p("VMOVUPS (R13), %s", g.v(0))
	for p := range pixels {
		g.p("VFMADD231PS %d(SI)(AX*1), %s, %s", p*stride*g.bytes, g.v(0), g.v(1+p))
	}
	g.p("ADDQ $%d, R13", g.bytes)
	g.p("INCQ R15")
	g.p("CMPQ R15, CX")
	g.p("JLT tap")
	g.p("TESTQ R12, R12")
	g.p("JZ plain")
	g.p("VXORPS %[1]s, %[1]s, %[1]s", g.v(0))
	for p := range pixels { // MAX gives its second source where one is NaN: the sum
		g.p("VMAXPS %[2]s, %[1]s, %[2]s", g.v(0), g.v(1+p))
	}
	g.label("plain")
	for p := range pixels {
		g.p("VMOVUPS %s, %d(DI)", g.v(1+p), p*g.bytes)
	}
	g.p("ADDQ R10, SI")
	g.p("ADDQ R11, DI")
	g.p("DECQ R9")
	g.p("JNZ row")
	g.end()
}

// blocks emits body for whole blocks of as many pixels as a vector has lanes, then
// for the rest.
func (g *deep) blocks(body func(masked bool), advance ...string) {
	g.p("TESTQ CX, CX")
	g.p("JZ tail")
	g.label("loop")
	body(false)
	for _, r := range advance {
		g.p("ADDQ %s", r)
	}
	g.p("DECQ CX")
	g.p("JNZ loop")
	g.label("tail")
	g.p("TESTQ DX, DX")
	g.p("JZ done")
	if g.reg == "Z" {
		g.p("KMOVQ (DX), K1")
	}
	body(true)
	g.label("done")
	g.end()
}

// toChannels reads some pixels of each plane and writes a vector for each pixel. The
// fields are those of turn in depth.go.
func (g *deep) toChannels() {
	g.begin("ToChannels", "turn", "DI", "SI", "BX", "R8", "CX", "DX")
	g.blocks(func(masked bool) {
		if masked && g.reg == "Y" {
			g.p("VMOVUPS (DX), Y15")
		}
		for i := range g.lanes() {
			g.p("MOVQ %d(BX), AX", 8*i)
			switch {
			case !masked:
				g.p("VMOVUPS (SI)(AX*1), %s", g.v(i))
			case g.reg == "Z":
				g.p("VMOVUPS.Z (SI)(AX*1), K1, %s", g.v(i))
			default:
				g.p("VMASKMOVPS (SI)(AX*1), Y15, %s", g.v(i))
			}
		}
		for i, r := range g.transpose() {
			g.p("MOVQ %d(R8), AX", 8*i)
			g.p("VMOVUPS %s, (DI)(AX*1)", r)
		}
	}, fmt.Sprintf("$%d, SI", g.bytes), fmt.Sprintf("$%d, R8", 8*g.lanes()))
}

// toPlanes reads a vector for each pixel and writes them to the planes, the last one
// first: planes that are not there are named as the last one.
func (g *deep) toPlanes() {
	g.begin("ToPlanes", "turn", "DI", "SI", "BX", "R8", "CX", "DX")
	g.blocks(func(masked bool) {
		for i := range g.lanes() {
			g.p("MOVQ %d(R8), AX", 8*i)
			g.p("VMOVUPS (SI)(AX*1), %s", g.v(i))
		}
		columns := g.transpose()
		if masked && g.reg == "Y" {
			g.p("VMOVUPS (DX), Y0")
		}
		for i := g.lanes() - 1; i >= 0; i-- {
			g.p("MOVQ %d(BX), AX", 8*i)
			switch {
			case !masked:
				g.p("VMOVUPS %s, (DI)(AX*1)", columns[i])
			case g.reg == "Z":
				g.p("VMOVUPS %s, K1, (DI)(AX*1)", columns[i])
			default:
				g.p("VMASKMOVPS %s, Y0, (DI)(AX*1)", columns[i])
			}
		}
	}, fmt.Sprintf("$%d, R8", 8*g.lanes()), fmt.Sprintf("$%d, DI", g.bytes))
}

// transpose turns the square of the first registers and returns where its columns
// are. Registers beyond them are used.
func (g *deep) transpose() []string {
	n := g.lanes()
	from, to := 0, n
	step := func(f func(at func(i int) string, into func(i int) string)) {
		f(func(i int) string { return g.v(from + i) }, func(i int) string { return g.v(to + i) })
		from, to = to, from
	}
	step(func(at, into func(int) string) {
		for i := 0; i < n; i += 2 {
			g.p("VUNPCKLPS %s, %s, %s", at(i+1), at(i), into(i))
			g.p("VUNPCKHPS %s, %s, %s", at(i+1), at(i), into(i+1))
		}
	})
	step(func(at, into func(int) string) {
		for i := 0; i < n; i += 4 {
			for h := range 2 {
				g.p("VUNPCKLPD %s, %s, %s", at(i+2+h), at(i+h), into(i+2*h))
				g.p("VUNPCKHPD %s, %s, %s", at(i+2+h), at(i+h), into(i+2*h+1))
			}
		}
	})
	// Register 4g+c now holds columns c, 4+c, ... of rows 4g to 4g+3, in lanes of four.
	columns := make([]string, n)
	if g.reg == "Y" {
		step(func(at, into func(int) string) {
			for c := range 4 {
				g.p("VPERM2F128 $0x20, %s, %s, %s", at(4+c), at(c), into(c))
				g.p("VPERM2F128 $0x31, %s, %s, %s", at(4+c), at(c), into(4+c))
				columns[c], columns[4+c] = into(c), into(4+c)
			}
		})
		return columns
	}
	step(func(at, into func(int) string) {
		for c := range 4 {
			for h, pick := range []int{0x44, 0xee} {
				g.p("VSHUFF32X4 $%d, %s, %s, %s", pick, at(4+c), at(c), into(4*c+2*h))
				g.p("VSHUFF32X4 $%d, %s, %s, %s", pick, at(12+c), at(8+c), into(4*c+2*h+1))
			}
		}
	})
	step(func(at, into func(int) string) {
		for c := range 4 {
			for h := range 2 {
				g.p("VSHUFF32X4 $0x88, %s, %s, %s", at(4*c+2*h+1), at(4*c+2*h), into(4*c+2*h))
				g.p("VSHUFF32X4 $0xdd, %s, %s, %s", at(4*c+2*h+1), at(4*c+2*h), into(4*c+2*h+1))
				columns[8*h+c], columns[8*h+4+c] = into(4*c+2*h), into(4*c+2*h+1)
			}
		}
	})
	return columns
}
