package main

import (
	"fmt"
	"strings"
)

// A tall kernel computes few columns of as many rows as a vector has lanes: it turns a
// square of A, so that a vector holds one k of all rows, and adds its products with a number
// of B to the sums of each column. Registers 0 to lanes-1 hold the square; then come one
// that turning needs, one for a number of B, one for a mask, and the sums.

// lanes is how many numbers a vector has, and how many rows a tall kernel.
func (s isa) lanes() int { return s.bytes / 4 }

// tallName returns the name of the tall kernel of so many columns.
func (s isa) tallName(columns int) string { return fmt.Sprintf("%sTall%d", s.name, columns) }

const tallLoad = load + `	LEAQ (R9)(R9*2), R10
`

// quads are the registers that hold the addresses of rows 0, 4, 8 and 12.
var quads = []string{"R8", "R13", "BX", "DX"}

// tallRow returns the address of row r at the current k.
func tallRow(r int) string {
	return "(" + quads[r/4] + ")" + [...]string{"", "(R9*1)", "(R9*2)", "(R10*1)"}[r%4]
}

func (s isa) tall(b *strings.Builder, columns int) {
	p := func(format string, a ...any) { fmt.Fprintf(b, "\t"+format+"\n", a...) }
	sum := func(j int) string { return fmt.Sprintf("%s%d", s.reg, s.lanes()+3+j) }
	name := s.tallName(columns)
	fmt.Fprintf(b, "\n// func %s(p *tile)\nTEXT ·%s(SB), 0, $%d-8\n\tNO_LOCAL_POINTERS\n", name, name, max(128, columns*s.bytes))
	b.WriteString(tallLoad)
	p("MOVQ 64(AX), DX")
	if s.reg == "Z" {
		p("KMOVQ (DX), K1")
	} else {
		p("VMOVUPS (DX), Y%d", s.lanes()+2)
	}
	s.tallStart(b, p, columns, sum)
	for q := 1; q < s.lanes()/4; q++ {
		p("LEAQ (%s)(R9*4), %s", quads[q-1], quads[q])
	}
	p("TESTQ CX, CX")
	p("JZ store")
	b.WriteString("\nsquare:\n")
	p("CMPQ CX, $%d", s.lanes())
	p("JLT part")
	for r := range s.lanes() {
		p("VMOVUPS %s, %s%d", tallRow(r), s.reg, r)
	}
	b.WriteString("\nturn:\n")
	at := s.turn(p)
	for k := range s.lanes() {
		for j := range columns {
			if s.reg == "Z" {
				p("VFMADD231PS.BCST %d(R11), %s, %s", 4*j, at[k], sum(j))
				continue
			}
			p("VBROADCASTSS %d(R11), Y%d", 4*j, s.lanes()+1)
			p("VFMADD231PS Y%d, %s, %s", s.lanes()+1, at[k], sum(j))
		}
		p("ADDQ R12, R11")
		p("DECQ CX")
		p("JZ store")
	}
	for q := range s.lanes() / 4 {
		p("ADDQ $%d, %s", s.bytes, quads[q])
	}
	p("JMP square")
	b.WriteString("\npart:\n")
	for r := range s.lanes() {
		if s.reg == "Z" {
			p("VMOVUPS.Z %s, K1, Z%d", tallRow(r), r)
		} else {
			p("VMASKMOVPS %s, Y%d, Y%d", tallRow(r), s.lanes()+2, r)
		}
	}
	p("JMP turn")
	s.tallStore(b, p, columns, sum)
	p("VZEROUPPER")
	p("RET")
}

// turn writes the steps that turn the square, and returns the register of each k.
func (s isa) turn(p func(string, ...any)) []string {
	n := s.lanes()
	at := make([]string, n)
	for i := range at {
		at[i] = fmt.Sprintf("%s%d", s.reg, i)
	}
	free := fmt.Sprintf("%s%d", s.reg, n)
	// both puts what two instructions make of the vectors a and b in their places.
	both := func(low, high string, a, b int) {
		p("%s %s, %s, %s", low, at[b], at[a], free)
		p("%s %s, %s, %s", high, at[b], at[a], at[b])
		at[a], free = free, at[a]
	}
	for i := 0; i < n; i += 2 {
		both("VUNPCKLPS", "VUNPCKHPS", i, i+1)
	}
	for i := 0; i < n; i += 4 {
		both("VUNPCKLPD", "VUNPCKHPD", i, i+2)
		both("VUNPCKLPD", "VUNPCKHPD", i+1, i+3)
		at[i+1], at[i+2] = at[i+2], at[i+1]
	}
	// Vector 4g+c has, in its quarter q, number 4q+c of the rows 4g to 4g+3.
	if n == 8 {
		for c := range 4 {
			both("VPERM2F128 $0x20,", "VPERM2F128 $0x31,", c, 4+c)
		}
		return at
	}
	for c := range 4 {
		both("VSHUFF32X4 $0x88,", "VSHUFF32X4 $0xDD,", c, 4+c)
		both("VSHUFF32X4 $0x88,", "VSHUFF32X4 $0xDD,", 8+c, 12+c)
		both("VSHUFF32X4 $0x88,", "VSHUFF32X4 $0xDD,", c, 8+c)
		both("VSHUFF32X4 $0x88,", "VSHUFF32X4 $0xDD,", 4+c, 12+c)
	}
	return at
}

// tallStart sets the sums: to zero, to the bias of the columns, or to that of the rows.
func (s isa) tallStart(b *strings.Builder, p func(string, ...any), columns int, sum func(int) string) {
	p("MOVQ 72(AX), DX")
	p("CMPQ DX, $1")
	p("JEQ columns")
	p("CMPQ DX, $2")
	p("JEQ rows")
	for j := range columns {
		p("VXORPS %s, %s, %s", sum(j), sum(j), sum(j))
	}
	p("JMP ready")
	b.WriteString("\ncolumns:\n")
	for j := range columns {
		p("VBROADCASTSS %d(BX), %s", 4*j, sum(j))
	}
	p("JMP ready")
	b.WriteString("\nrows:\n")
	for j := range columns {
		p("VMOVUPS (BX), %s", sum(j))
	}
	b.WriteString("\nready:\n")
}

// tallStore writes the sums to the rows of C, one column at once where it lies so.
func (s isa) tallStore(b *strings.Builder, p func(string, ...any), columns int, sum func(int) string) {
	b.WriteString("\nstore:\n")
	p("MOVQ 80(AX), DX")
	p("TESTQ DX, DX")
	p("JZ plain")
	p("VXORPS %[1]s0, %[1]s0, %[1]s0", s.reg)
	for j := range columns {
		p("VMAXPS %s, %s0, %s", sum(j), s.reg, sum(j))
	}
	b.WriteString("\nplain:\n")
	if columns == 1 {
		p("CMPQ SI, $4")
		p("JNE apart")
		p("VMOVUPS %s, (DI)", sum(0))
		p("VZEROUPPER")
		p("RET")
		b.WriteString("\napart:\n")
	}
	for j := range columns {
		p("VMOVUPS %s, %d(SP)", sum(j), j*s.bytes)
	}
	p("XORQ DX, DX")
	b.WriteString("\nrow:\n")
	for j := range columns {
		p("MOVL %d(SP)(DX*4), AX", j*s.bytes)
		p("MOVL AX, %d(DI)", 4*j)
	}
	p("ADDQ SI, DI")
	p("INCQ DX")
	p("CMPQ DX, $%d", s.lanes())
	p("JLT row")
}
