package main

// joins are what windows do with V1, into V0: MAX gives its second source where one
// is NaN, which is what was joined before.
var joins = []struct {
	name string
	body func(g *gen)
}{
	{"Plus", func(g *gen) { g.p("VADDPS %s, %s, %s", g.v(1), g.v(0), g.v(0)) }},
	{"Larger", func(g *gen) {
		g.p("VMAXPS %s, %s, %s", g.v(0), g.v(1), g.v(0))
		g.where(3, g.v(1), g.v(1), g.v(1), g.v(0), g.v(3))
	}},
}

// windows joins the numbers under windows that are stride apart, row by row and plane
// by plane; the offsets are those of Windows' operands in kernels/vec. Every second
// number is picked out of two vectors, and its last step always is a masked one.
func (g *gen) windows(name string, stride int, join func(g *gen)) {
	name = g.name + name
	g.slides = append(g.slides, name)
	g.open(name, "windows")
	if stride == 2 && g.wide() {
		g.p("VMOVUPS even<>(SB), Z8")
	}
	g.p("MOVQ 0(AX), DI")
	g.p("MOVQ 8(AX), SI")
	g.p("MOVQ 24(AX), DX")
	g.p("MOVQ 40(AX), R10")
	g.p("MOVQ 80(AX), R9")
	g.label("plane")
	g.p("MOVQ 72(AX), R8")
	g.label("row")
	g.p("MOVQ SI, BX")
	g.p("MOVQ DI, R13")
	g.p("MOVQ 16(AX), CX")
	g.p("TESTQ CX, CX")
	g.p("JZ tail")
	g.label("loop")
	g.window("whole", stride, false, join)
	g.p("ADDQ $%d, BX", stride*g.bytes)
	g.p("ADDQ $%d, R13", g.bytes)
	g.p("DECQ CX")
	g.p("JNZ loop")
	g.label("tail")
	if stride == 1 {
		g.p("TESTQ DX, DX")
		g.p("JZ done")
	}
	if g.wide() {
		for i := range 2*stride - 1 {
			g.p("KMOVQ %d(DX), K%d", 8*i, []int{1, 3, 4}[i])
		}
	}
	g.window("masked", stride, true, join)
	g.label("done")
	g.p("ADDQ 48(AX), SI")
	g.p("ADDQ 56(AX), DI")
	g.p("DECQ R8")
	g.p("JNZ row")
	g.p("ADDQ 64(AX), SI")
	g.p("ADDQ 88(AX), DI")
	g.p("DECQ R9")
	g.p("JNZ plane")
	g.end()
}

// window joins what a vector of windows sees, from BX on, and stores it.
func (g *gen) window(mark string, stride int, masked bool, join func(g *gen)) {
	g.p("MOVQ 32(AX), R11")
	g.p("MOVQ BX, R12")
	g.strided(g.v(0), g.v(2), stride, masked)
	g.p("DECQ R11")
	g.p("JZ %sjoined", mark)
	g.label(mark)
	g.p("ADDQ R10, R12")
	g.strided(g.v(1), g.v(2), stride, masked)
	join(g)
	g.p("DECQ R11")
	g.p("JNZ %s", mark)
	g.label(mark + "joined")
	switch {
	case !masked:
		g.p("VMOVUPS %s, (R13)", g.v(0))
	case g.wide():
		g.p("VMOVUPS %s, K%d, (R13)", g.v(0), []int{1, 4}[stride-1])
	default:
		g.p("VMOVUPS %d(DX), Y15", []int{0, 64}[stride-1])
		g.p("VMASKMOVPS %s, Y15, (R13)", g.v(0))
	}
}

// strided reads a vector of numbers that are stride apart from R12 on.
func (g *gen) strided(to, other string, stride int, masked bool) {
	for i, v := range []string{to, other}[:stride] {
		switch from := g.at("R12", i); {
		case !masked:
			g.p("VMOVUPS %s, %s", from, v)
		case g.wide():
			g.p("VMOVUPS.Z %s, K%d, %s", from, []int{1, 3}[i], v)
		default:
			g.p("VMOVUPS %d(DX), Y15", 32*i)
			g.p("VMASKMOVPS %s, Y15, %s", from, v)
		}
	}
	if stride == 2 {
		g.even(to, other)
	}
}
