// Package neon writes the assembly of kernels for arm64, whose vectors of four float32s
// every such processor has.
package neon

import (
	"fmt"
	"strings"
)

// The largest tile: its sums, four numbers of each of its rows of A, and two vectors of B
// fill the 32 registers.
const (
	Rows   = 6
	Vecs   = 4
	firstA = Rows * Vecs
	firstB = firstA + Rows
)

// Tile is a kernel that adds products of A, a few rows of numbers that follow each other
// over k, by B, up to four vectors for each k. Fields are the offsets of what its one
// parameter, a pointer to a struct, holds.
type Tile struct {
	A, StepA, B, C, StepC, K, Bias, Relu int
	StepB                                int // from k to k; -1 where Offsets lead to each k
	Offsets                              int // a list of offsets from B
	From                                 int // where sums start from; -1 where that is the bias of the rows, or zero for nil
}

// Name returns the name of the kernel of a size.
func Name(rows, vecs int) string { return fmt.Sprintf("neon%dx%d", rows, vecs) }

// Declarations returns the Go file of a package whose kernels take a *tile.
func Declarations(header, pkg string) string {
	var b, table strings.Builder
	b.WriteString(header + "package " + pkg + "\n")
	for r := 1; r <= Rows; r++ {
		var row []string
		for v := 1; v <= Vecs; v++ {
			row = append(row, Name(r, v))
			fmt.Fprintf(&b, "\n//go:noescape\nfunc %s(p *tile)\n", Name(r, v))
		}
		fmt.Fprintf(&table, "\t{%s},\n", strings.Join(row, ", "))
	}
	fmt.Fprintf(&b, "\nvar neonTiles = [%d][%d]func(*tile){\n%s}\n", Rows, Vecs, table.String())
	return b.String()
}

// Assembly returns the kernels of all sizes.
func (t Tile) Assembly(header string) string {
	var b strings.Builder
	b.WriteString(header + "#include \"textflag.h\"\n#include \"funcdata.h\"\n")
	for r := 1; r <= Rows; r++ {
		for v := 1; v <= Vecs; v++ {
			k := kernel{Tile: t, rows: r, vecs: v}
			k.emit()
			b.WriteString(k.text.String())
		}
	}
	return b.String()
}

// kernel is one of them. R0 is the parameter, R3 B, R4 its step or the offsets, R5 C, R6
// its step, R7 k, R8 the bias, R10 to R15 the rows of A.
type kernel struct {
	Tile
	text       strings.Builder
	rows, vecs int
}

func (k *kernel) p(format string, a ...any) { fmt.Fprintf(&k.text, "\t"+format+"\n", a...) }
func (k *kernel) label(name string)         { fmt.Fprintf(&k.text, "\n%s:\n", name) }

// sums lists the vectors of a row.
func (k *kernel) sums(row int) string {
	list := make([]string, k.vecs)
	for v := range list {
		list[v] = fmt.Sprintf("V%d.S4", row*Vecs+v)
	}
	return "[" + strings.Join(list, ", ") + "]"
}

func (k *kernel) emit() {
	name := Name(k.rows, k.vecs)
	// A frame of 128 bytes makes the assembler check the stack, where the collector can
	// stop a loop of calls.
	fmt.Fprintf(&k.text, "\n// func %s(p *tile)\nTEXT ·%s(SB), 0, $128-8\n\tNO_LOCAL_POINTERS\n", name, name)
	k.p("MOVD p+0(FP), R0")
	for _, f := range []struct{ at, register int }{{k.A, 10}, {k.StepA, 2}, {k.B, 3}, {k.C, 5}, {k.StepC, 6}, {k.K, 7}, {k.Bias, 8}} {
		k.p("MOVD %d(R0), R%d", f.at, f.register)
	}
	for r := 1; r < k.rows; r++ {
		k.p("ADD R2, R%d, R%d", 9+r, 10+r)
	}
	if k.StepB >= 0 {
		k.p("MOVD %d(R0), R4", k.StepB)
	} else {
		k.p("MOVD %d(R0), R4", k.Offsets)
		k.p("MOVD R3, R20")
	}
	k.start()
	k.p("CMP $4, R7")
	k.p("BLT few")
	k.label("four")
	for r := range k.rows {
		k.p("VLD1.P 16(R%d), [V%d.S4]", 10+r, firstA+r)
	}
	for lane := range 4 {
		k.add(lane)
	}
	k.p("SUB $4, R7")
	k.p("CMP $4, R7")
	k.p("BGE four")
	k.label("few")
	k.p("CBZ R7, store")
	k.label("one")
	for r := range k.rows {
		k.p("FMOVS.P 4(R%d), F%d", 10+r, firstA+r)
	}
	k.add(0)
	k.p("SUB $1, R7")
	k.p("CBNZ R7, one")
	k.label("store")
	k.relu()
	for r := range k.rows {
		k.p("VST1 %s, (R5)", k.sums(r))
		if r < k.rows-1 {
			k.p("ADD R6, R5")
		}
	}
	k.p("RET")
}

// add adds the products of one k, whose numbers of A are in a lane, and goes on to the next.
func (k *kernel) add(lane int) {
	if k.StepB < 0 {
		k.p("MOVD.P 8(R4), R19")
		k.p("ADD R19, R20, R3")
	}
	for v := 0; v < k.vecs; v += 2 {
		some := min(2, k.vecs-v)
		if some == 2 {
			k.p("FLDPQ %d(R3), (F%d, F%d)", 16*v, firstB, firstB+1)
		} else {
			k.p("FMOVQ %d(R3), F%d", 16*v, firstB)
		}
		for r := range k.rows {
			for i := range some {
				k.fmla(r*Vecs+v+i, firstB+i, firstA+r, lane)
			}
		}
	}
	if k.StepB >= 0 {
		k.p("ADD R4, R3")
	}
}

// start sets the sums: to zero, to the bias of the columns, to that of the rows, or to what
// C holds.
func (k *kernel) start() {
	if k.From < 0 {
		k.p("CBNZ R8, rows")
		k.zero()
		k.p("B ready")
		k.biasOfRows()
		k.label("ready")
		return
	}
	k.p("MOVD %d(R0), R1", k.From)
	for i, to := range []string{"columns", "rows", "add"} {
		k.p("CMP $%d, R1", 1+i)
		k.p("BEQ %s", to)
	}
	k.zero()
	k.p("B ready")
	k.label("columns")
	for r := range k.rows {
		k.p("VLD1 (R8), %s", k.sums(r))
	}
	k.p("B ready")
	k.biasOfRows()
	k.p("B ready")
	k.label("add")
	k.p("MOVD R5, R1")
	for r := range k.rows {
		k.p("VLD1 (R1), %s", k.sums(r))
		if r < k.rows-1 {
			k.p("ADD R6, R1")
		}
	}
	k.label("ready")
}

func (k *kernel) zero() {
	for r := range k.rows {
		for v := range k.vecs {
			k.p("VEOR V%[1]d.B16, V%[1]d.B16, V%[1]d.B16", r*Vecs+v)
		}
	}
}

func (k *kernel) biasOfRows() {
	k.label("rows")
	for r := range k.rows {
		for v := range k.vecs {
			k.p("VLD1R (R8), [V%d.S4]", r*Vecs+v)
		}
		if r < k.rows-1 {
			k.p("ADD $4, R8")
		}
	}
}

// relu replaces what is below zero by zero; NaN and the zero of either sign stay.
func (k *kernel) relu() {
	k.p("MOVD %d(R0), R1", k.Relu)
	k.p("CBZ R1, plain")
	for r := range k.rows {
		for v := range k.vecs {
			x := r*Vecs + v
			k.word(0x4ea0e800|x<<5|firstB, "fcmlt v%d.4s, v%d.4s, #0.0", firstB, x)
			k.word(0x4e601c00|firstB<<16|x<<5|x, "bic v%[1]d.16b, v%[1]d.16b, v%[2]d.16b", x, firstB)
		}
	}
	k.label("plain")
}

// fmla adds the vector n times a lane of the vector m to d.
func (k *kernel) fmla(d, n, m, lane int) {
	code := 0x4f801000 | lane&1<<21 | m>>4<<20 | m&15<<16 | lane>>1<<11 | n<<5 | d
	k.word(code, "fmla v%d.4s, v%d.4s, v%d.s[%d]", d, n, m, lane)
}

// word writes an instruction that Go's assembler has no name for.
func (k *kernel) word(code int, format string, a ...any) {
	k.p("WORD $0x%08x // %s", code, fmt.Sprintf(format, a...))
}
