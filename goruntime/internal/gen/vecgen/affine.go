package main

// affine multiplies rows by a number each and adds another, and rows where added says so;
// what is below a bound becomes it. The offsets are those of affine in kernels/vec.
func (g *gen) affine(name string, added bool) {
	name = g.name + name
	g.rows = append(g.rows, name)
	g.open(name, "affine")
	for i, r := range []string{"DI", "SI", "BX", "R8", "R9", "CX", "DX", "R10"} {
		g.p("MOVQ %d(AX), %s", 8*i, r)
	}
	g.p("VBROADCASTSS 104(AX), %s", g.v(12))
	g.label("row")
	g.p("VBROADCASTSS (R8), %s", g.v(10))
	g.p("VBROADCASTSS (R9), %s", g.v(11))
	g.p("MOVQ SI, R11")
	g.p("MOVQ DI, R12")
	advance := []string{g.next("R11"), g.next("R12")}
	if added {
		g.p("MOVQ BX, R13")
		advance = append(advance, g.next("R13"))
	}
	g.p("MOVQ 40(AX), CX")
	g.loop(func(masked bool) {
		g.load("R11", 0, masked, g.v(0))
		g.line(g.v(0))
		if added {
			g.load("R13", 0, masked, g.v(1))
			g.p("VADDPS %s, %s, %s", g.v(1), g.v(0), g.v(0))
		}
		g.p("VMAXPS %s, %s, %s", g.v(0), g.v(12), g.v(0)) // NaN stays: it is the second source
		g.store(g.v(0), "R12", 0, masked)
	}, advance...)
	for i, r := range []string{"DI", "SI", "BX", "R8", "R9"} {
		g.p("ADDQ %d(AX), %s", 64+8*i, r)
	}
	g.p("DECQ R10")
	g.p("JNZ row")
	g.end()
}
