package main

import (
	"fmt"
	"strings"
)

// width is what differs between the instruction sets in the loops over elements.
type width struct {
	name  string
	reg   string // register prefix
	lanes int
}

var widths = []width{{"avx512", "Z", 16}, {"avx2", "Y", 8}}

// The loops over elements, in the order of the enumeration in quantize.go.
var loops = []struct {
	name string
	body func(w width, p printer)
}{
	{"ToU8", func(w width, p printer) { w.quantize(p, "VPACKUSWB") }},
	{"ToI8", func(w width, p printer) { w.quantize(p, "VPACKSSWB") }},
	{"FromU8", func(w width, p printer) { w.dequantize(p, "VPMOVZXBD") }},
	{"FromI8", func(w width, p printer) { w.dequantize(p, "VPMOVSXBD") }},
	{"Span", width.span},
	{"Rescale", width.rescale},
	{"RequantizeU8", func(w width, p printer) { w.requantize(p, "VPACKUSWB", true) }},
	{"RequantizeI8", func(w width, p printer) { w.requantize(p, "VPACKSSWB", true) }},
	{"RequantizeAllU8", func(w width, p printer) { w.requantize(p, "VPACKUSWB", false) }},
	{"RequantizeAllI8", func(w width, p printer) { w.requantize(p, "VPACKSSWB", false) }},
	{"AddU8", func(w width, p printer) { w.addProducts(p, "VPMOVZXBD") }},
	{"AddI8", func(w width, p printer) { w.addProducts(p, "VPMOVSXBD") }},
}

func (w width) declarations() string {
	var b strings.Builder
	b.WriteString(header + "package igemm\n")
	for _, l := range loops {
		fmt.Fprintf(&b, "\n//go:noescape\nfunc %s%s(p *stretch)\n", w.name, l.name)
	}
	if w.lanes == 16 {
		b.WriteString("\n//go:noescape\nfunc turn16(p *block16)\n")
	} else {
		b.WriteString("\n//go:noescape\nfunc turn4(p *block4)\n")
	}
	fmt.Fprintf(&b, "\nvar %sLoops = [...]func(*stretch){", w.name)
	for i, l := range loops {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(w.name + l.name)
	}
	b.WriteString("}\n")
	return b.String()
}

func (w width) assembly() string {
	var b strings.Builder
	b.WriteString(header + "#include \"textflag.h\"\n#include \"funcdata.h\"\n")
	for _, l := range loops {
		p := func(format string, a ...any) {
			if strings.HasSuffix(format, ":") {
				format = "\n" + format
			} else {
				format = "\t" + format
			}
			fmt.Fprintf(&b, format+"\n", a...)
		}
		// A frame of 128 bytes makes the assembler check the stack, where the
		// collector can stop a loop of calls.
		fmt.Fprintf(&b, "\n// func %s%s(p *stretch)\nTEXT ·%s%s(SB), 0, $128-8\n\tNO_LOCAL_POINTERS\n", w.name, l.name, w.name, l.name)
		for i, r := range []string{"DI", "SI", "CX", "R8", "R9", "R10"} {
			if i == 0 {
				p("MOVQ p+0(FP), AX")
			}
			p("MOVQ %d(AX), %s", 8*i, r)
		}
		l.body(w, p)
		p("VZEROUPPER")
		p("RET")
	}
	if w.lanes == 16 {
		b.WriteString(turn())
	} else {
		b.WriteString(turn4())
	}
	return b.String()
}

func (w width) v(i int) string { return fmt.Sprintf("%s%d", w.reg, i) }

// each wraps the body of a loop over whole vectors.
func (w width) each(p printer, body func(), advance ...string) {
	p("loop:")
	body()
	for _, a := range advance {
		p("ADDQ %s", a)
	}
	p("DECQ CX")
	p("JNZ loop")
}

// bounds loads the range, without the zero point, and the zero point.
func (w width) bounds(p printer) {
	p("VBROADCASTSS 48(AX), %s", w.v(4))
	p("VBROADCASTSS 52(AX), %s", w.v(5))
	p("VBROADCASTSS 56(AX), %s", w.v(6))
	p("VPBROADCASTD 60(AX), %s", w.v(7))
}

// toBytes cuts vector 0 to the range, rounds, adds the zero point and stores
// bytes. MAX gives its second source where one is NaN: the lower end.
func (w width) toBytes(p printer, pack string) {
	p("VMAXPS %s, %s, %s", w.v(5), w.v(0), w.v(0))
	p("VMINPS %s, %s, %s", w.v(6), w.v(0), w.v(0))
	p("VCVTPS2DQ %s, %s", w.v(0), w.v(0))
	p("VPADDD %s, %s, %s", w.v(7), w.v(0), w.v(0))
	if w.lanes == 16 {
		p("VPMOVDB Z0, X0")
		p("VMOVDQU X0, (DI)")
		return
	}
	p("VEXTRACTI128 $1, Y0, X1")
	p("VPACKSSDW X1, X0, X0")
	p("%s X0, X0, X0", pack)
	p("VMOVQ X0, (DI)")
}

func (w width) quantize(p printer, pack string) {
	w.bounds(p)
	w.each(p, func() {
		p("VMOVUPS (SI), %s", w.v(0))
		p("VDIVPS %s, %s, %s", w.v(4), w.v(0), w.v(0))
		w.toBytes(p, pack)
	}, fmt.Sprintf("$%d, SI", 4*w.lanes), fmt.Sprintf("$%d, DI", w.lanes))
}

// requantize scales sums, each by its own scale or all by one.
func (w width) requantize(p printer, pack string, own bool) {
	w.bounds(p)
	advance := []string{fmt.Sprintf("$%d, SI", 4*w.lanes), fmt.Sprintf("$%d, DI", w.lanes)}
	if own {
		advance = append(advance, fmt.Sprintf("$%d, R9", 4*w.lanes))
	}
	w.each(p, func() {
		p("VCVTDQ2PS (SI), %s", w.v(0))
		if own {
			p("VMULPS (R9), %s, %s", w.v(0), w.v(0))
		} else {
			p("VMULPS %s, %s, %s", w.v(4), w.v(0), w.v(0))
		}
		w.toBytes(p, pack)
	}, advance...)
}

// addProducts adds a weight times the bytes, less the zero point, to sums.
func (w width) addProducts(p printer, widen string) {
	p("VPBROADCASTD 60(AX), %s", w.v(7))
	p("VPBROADCASTD 64(AX), %s", w.v(6))
	w.each(p, func() {
		p("%s (SI), %s", widen, w.v(0))
		p("VPSUBD %s, %s, %s", w.v(7), w.v(0), w.v(0))
		p("VPMULLD %s, %s, %s", w.v(6), w.v(0), w.v(0))
		p("VPADDD (DI), %s, %s", w.v(0), w.v(0))
		p("VMOVUPS %s, (DI)", w.v(0))
	}, fmt.Sprintf("$%d, SI", w.lanes), fmt.Sprintf("$%d, DI", 4*w.lanes))
}

// turn transposes 16 x 16 bytes: rows i and i+8 interleaved four times; then it flips
// them.
func turn() string {
	var b strings.Builder
	p := func(format string, a ...any) { fmt.Fprintf(&b, "\t"+format+"\n", a...) }
	b.WriteString("\n// func turn16(p *block16)\nTEXT ·turn16(SB), 0, $128-8\n\tNO_LOCAL_POINTERS\n")
	p("MOVQ p+0(FP), AX")
	for i, r := range []string{"DI", "R8", "SI", "R9"} {
		p("MOVQ %d(AX), %s", 8*i, r)
	}
	for i := range 16 {
		p("VMOVDQU (SI), X%d", i)
		p("ADDQ R9, SI")
	}
	for stage := range 4 {
		from, to := stage%2*16, 16-stage%2*16
		for i := range 8 {
			p("VPUNPCKLBW X%d, X%d, X%d", from+i+8, from+i, to+2*i)
			p("VPUNPCKHBW X%d, X%d, X%d", from+i+8, from+i, to+2*i+1)
		}
	}
	p("VPBROADCASTQ 32(AX), X16")
	for i := range 16 {
		p("VPXORQ X16, X%d, X%d", i, i)
		p("VMOVDQU X%d, (DI)", i)
		p("ADDQ R8, DI")
	}
	p("VZEROUPPER")
	p("RET")
	return b.String()
}

// turn4 transposes up to four rows of blocks of 16 bytes, and flips them: the bytes of a
// column are brought together as words, of which those of the rows are picked. Each store
// is followed by one that begins where its bytes end.
func turn4() string {
	var b strings.Builder
	p := func(format string, a ...any) { fmt.Fprintf(&b, "\t"+format+"\n", a...) }
	b.WriteString("\n// func turn4(p *block4)\nTEXT ·turn4(SB), 0, $128-8\n\tNO_LOCAL_POINTERS\n")
	p("MOVQ p+0(FP), AX")
	for i, r := range []string{"DI", "R12", "R8", "R9", "R10", "R11", "CX"} {
		p("MOVQ %d(AX), %s", 8*i, r)
	}
	p("VPBROADCASTQ 56(AX), X15")
	p("VMOVDQU 64(AX), X14")
	b.WriteString("\nloop:\n")
	for i, r := range []string{"R8", "R9", "R10", "R11"} {
		p("VMOVDQU (%s), X%d", r, i)
		p("ADDQ $16, %s", r)
	}
	for i, half := range []string{"L", "H"} {
		p("VPUNPCK%sBW X1, X0, X%d", half, 4+i)
		p("VPUNPCK%sBW X3, X2, X%d", half, 6+i)
	}
	for i := range 4 {
		p("VPUNPCK%sWD X%d, X%d, X%d", []string{"L", "H"}[i%2], 6+i/2, 4+i/2, 8+i)
		p("VPXOR X15, X%d, X%d", 8+i, 8+i)
		p("VPSHUFB X14, X%d, X%d", 8+i, 8+i)
		p("VMOVDQU X%d, (DI)", 8+i)
		p("ADDQ R12, DI")
	}
	p("DECQ CX")
	p("JNZ loop")
	p("VZEROUPPER")
	p("RET")
	return b.String()
}

func (w width) dequantize(p printer, widen string) {
	p("VBROADCASTSS 48(AX), %s", w.v(4))
	p("VPBROADCASTD 60(AX), %s", w.v(7))
	w.each(p, func() {
		p("%s (SI), %s", widen, w.v(0))
		p("VPSUBD %s, %s, %s", w.v(7), w.v(0), w.v(0))
		p("VCVTDQ2PS %s, %s", w.v(0), w.v(0))
		p("VMULPS %s, %s, %s", w.v(4), w.v(0), w.v(0))
		p("VMOVUPS %s, (DI)", w.v(0))
	}, fmt.Sprintf("$%d, SI", w.lanes), fmt.Sprintf("$%d, DI", 4*w.lanes))
}

// span leaves the least and the greatest number of each lane at DI. MIN and MAX
// give their second source, the extreme so far, where the number is NaN.
func (w width) span(p printer) {
	p("VMOVUPS (DI), %s", w.v(0))
	p("VMOVUPS 64(DI), %s", w.v(1))
	w.each(p, func() {
		p("VMOVUPS (SI), %s", w.v(2))
		p("VMINPS %s, %s, %s", w.v(0), w.v(2), w.v(0))
		p("VMAXPS %s, %s, %s", w.v(1), w.v(2), w.v(1))
	}, fmt.Sprintf("$%d, SI", 4*w.lanes))
	p("VMOVUPS %s, (DI)", w.v(0))
	p("VMOVUPS %s, 64(DI)", w.v(1))
}

// rescale is base + float(sum - zero*column) * (factor*scale), each step rounded.
func (w width) rescale(p printer) {
	p("VBROADCASTSS 48(AX), %s", w.v(4))
	p("VPBROADCASTD 60(AX), %s", w.v(7))
	w.each(p, func() {
		p("VPMULLD (R8), %s, %s", w.v(7), w.v(1))
		p("VMOVDQU%s (SI), %s", map[int]string{16: "32", 8: ""}[w.lanes], w.v(0))
		p("VPSUBD %s, %s, %s", w.v(1), w.v(0), w.v(0))
		p("VCVTDQ2PS %s, %s", w.v(0), w.v(0))
		p("VMULPS (R9), %s, %s", w.v(4), w.v(1))
		p("VMULPS %s, %s, %s", w.v(1), w.v(0), w.v(0))
		p("VADDPS (R10), %s, %s", w.v(0), w.v(0))
		p("VMOVUPS %s, (DI)", w.v(0))
	}, fmt.Sprintf("$%d, SI", 4*w.lanes), fmt.Sprintf("$%d, DI", 4*w.lanes), fmt.Sprintf("$%d, R8", 4*w.lanes), fmt.Sprintf("$%d, R9", 4*w.lanes), fmt.Sprintf("$%d, R10", 4*w.lanes))
}
