package main

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
)

// gen emits for one instruction set.
type gen struct {
	name    string
	reg     string // register prefix
	bytes   int    // of a vector
	text    strings.Builder
	kernels []string
	slides  []string // those of windows
	rows    []string // those of rows that are affine
	related string   // the table of relations
	numeric string   // that of arithmetic
	singles pool     // constants of four bytes
	doubles pool     // of eight
	mark    string   // before the labels of a kernel with several loops
}

func (g *gen) wide() bool { return g.reg == "Z" }

// v returns a vector register.
func (g *gen) v(i int) string { return fmt.Sprintf("%s%d", g.reg, i) }

func (g *gen) p(format string, a ...any) { fmt.Fprintf(&g.text, "\t"+format+"\n", a...) }

func (g *gen) label(s string) { fmt.Fprintf(&g.text, "\n%s:\n", s) }

// c returns the memory operand of a constant that fills a vector.
func (g *gen) c(x float32) string { return g.bits(math.Float32bits(x)) }

func (g *gen) bits(x uint32) string { return g.operand("k", &g.singles, uint64(x)<<32|uint64(x)) }

// pool is constants, each the eight bytes that fill a vector.
type pool []uint64

// operand returns the memory operand of a constant in the table of a name.
func (g *gen) operand(table string, of *pool, x uint64) string {
	i := slices.Index(*of, x)
	if i < 0 {
		i = len(*of)
		*of = append(*of, x)
	}
	return fmt.Sprintf("%s<>+%d(SB)", table, i*g.bytes)
}

// constant is the memory operand of a constant.
var constant = regexp.MustCompile(`[kd]<>\+\d+\(SB\)`)

// hoist keeps the constants of the kernel whose text begins at a place in registers, as
// far as AVX-512 has registers for them: a loop that loads a vector for each instruction
// waits for the loads.
func (g *gen) hoist(from int) {
	if !g.wide() {
		return
	}
	text := g.text.String()
	body, loads, in := text[from:], "", map[string]string{}
	body = constant.ReplaceAllStringFunc(body, func(operand string) string {
		if in[operand] == "" {
			if len(in) == 16 {
				return operand
			}
			in[operand] = fmt.Sprintf("Z%d", 16+len(in))
			loads += fmt.Sprintf("\tVMOVUPS %s, %s\n", operand, in[operand])
		}
		return in[operand]
	})
	if len(in) < 3 {
		return
	}
	g.text.Reset()
	g.text.WriteString(text[:from] + loads + body)
}

// table writes the constants that operands name.
func (g *gen) table(name string, of pool) string {
	var b strings.Builder
	for i, x := range of {
		for o := 0; o < g.bytes; o += 8 {
			fmt.Fprintf(&b, "DATA %s<>+%d(SB)/8, $0x%016x\n", name, i*g.bytes+o, x)
		}
	}
	fmt.Fprintf(&b, "GLOBL %s<>(SB), RODATA|NOPTR, $%d\n", name, len(of)*g.bytes)
	return b.String()
}

// open begins a kernel of operands of a type. The frame of 128 bytes makes the assembler
// check the stack, where the collector can stop a loop of calls.
func (g *gen) open(name, operands string) {
	fmt.Fprintf(&g.text, "\n// func %s(p *%s)\nTEXT ·%s(SB), 0, $128-8\n\tNO_LOCAL_POINTERS\n", name, operands, name)
	g.p("MOVQ p+0(FP), AX")
}

// begin opens a kernel; the offsets are those of args in kernels/vec.
func (g *gen) begin(name string) {
	name = g.name + name
	g.kernels = append(g.kernels, name)
	g.open(name, "args")
	for i, r := range []string{"DI", "SI", "BX", "CX", "DX", "R8"} {
		g.p("MOVQ %d(AX), %s", 8*i, r)
	}
}

// loop emits body for whole steps, then once more for the masked tail.
func (g *gen) loop(body func(masked bool), advance ...string) {
	g.p("TESTQ CX, CX")
	g.p("JZ %stail", g.mark)
	g.label(g.mark + "loop")
	body(false)
	for _, r := range advance {
		g.p("ADDQ %s", r)
	}
	g.p("DECQ CX")
	g.p("JNZ %sloop", g.mark)
	g.label(g.mark + "tail")
	g.p("TESTQ DX, DX")
	g.p("JZ %sdone", g.mark)
	if g.wide() {
		g.p("KMOVQ (DX), K1")
	}
	body(true)
	g.label(g.mark + "done")
}

func (g *gen) end() {
	g.p("VZEROUPPER")
	g.p("RET")
}

// at returns vector i behind a register.
func (g *gen) at(base string, i int) string { return fmt.Sprintf("%d(%s)", i*g.bytes, base) }

// load reads vector h of the step; lanes beyond the tail become zero.
func (g *gen) load(base string, h int, masked bool, to string) {
	from := fmt.Sprintf("%d(%s)", h*g.bytes, base)
	switch {
	case !masked:
		g.p("VMOVUPS %s, %s", from, to)
	case g.wide():
		g.p("VMOVUPS.Z %s, K1, %s", from, to)
	default:
		g.p("VMOVUPS %d(DX), Y15", h*g.bytes)
		g.p("VMASKMOVPS %s, Y15, %s", from, to)
	}
}

func (g *gen) store(from, base string, h int, masked bool) {
	to := fmt.Sprintf("%d(%s)", h*g.bytes, base)
	switch {
	case !masked:
		g.p("VMOVUPS %s, %s", from, to)
	case g.wide():
		g.p("VMOVUPS %s, K1, %s", from, to)
	default:
		g.p("VMASKMOVPS %s, Y15, %s", from, to)
	}
}

// keep clears the lanes beyond the tail.
func (g *gen) keep(x string, masked bool) {
	switch {
	case !masked:
	case g.wide():
		g.p("VMOVAPS.Z %s, K1, %s", x, x)
	default:
		g.p("VANDPS Y15, %s, %s", x, x)
	}
}

// round rounds by an immediate: 8 to even, 9 down, 10 up.
func (g *gen) round(how int, x, to string) {
	if g.wide() {
		g.p("VRNDSCALEPS $%d, %s, %s", how, x, to)
	} else {
		g.p("VROUNDPS $%d, %s, %s", how, x, to)
	}
}

// bySign sets to to neg where the sign bit of sel is set, else to pos.
func (g *gen) bySign(sel, pos, neg, to string) {
	if g.wide() {
		g.p("VPMOVD2M %s, K2", sel)
		g.p("VBLENDMPS %s, %s, K2, %s", neg, pos, to)
	} else {
		g.p("VBLENDVPS %s, %s, %s, %s", sel, neg, pos, to)
	}
}

// where replaces lanes of to by value where x compares with y.
func (g *gen) where(predicate int, y, x, value, to, tmp string) {
	if g.wide() {
		g.p("VCMPPS $%d, %s, %s, K2", predicate, y, x)
		g.p("VMOVUPS %s, K2, %s", value, to)
	} else {
		g.p("VCMPPS $%d, %s, %s, %s", predicate, y, x, tmp)
		g.p("VBLENDVPS %s, %s, %s, %s", tmp, value, to, to)
	}
}

// horner evaluates a polynomial in x, leading coefficient first.
func (g *gen) horner(x, to string, coefficients ...float32) {
	g.p("VMOVUPS %s, %s", g.c(coefficients[0]), to)
	for _, k := range coefficients[1:] {
		g.p("VFMADD213PS %s, %s, %s", g.c(k), x, to)
	}
}
