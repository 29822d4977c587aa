package main

// normals are the normalizations of rows, in the order of the enumeration in kernels/vec.
var normals = []struct {
	name             string
	centered, biased bool
}{
	{name: "Normalize", centered: true, biased: true},
	{name: "NormalizeScaled", centered: true},
	{name: "NormalizeSquares"},
}

// normalize writes rows of (x - mean) / sqrt(variance + r) * b + c, or of x / sqrt(mean of
// squares + r) * b. Sums are in sixteen lanes, joined pairwise; what is under the root and
// behind it is computed as one number, of 64 bits where squares are not centered.
func (g *gen) normalize(i int) {
	n := normals[i]
	g.begin(n.name)
	g.p("MOVQ 72(AX), R9")
	g.p("MOVQ 80(AX), R10")
	g.p("MOVQ CX, R13")
	g.label("row")
	g.p("MOVQ SI, R11")
	g.p("MOVQ DI, R12")
	if n.centered {
		g.mark = "sum"
		g.sums(func(h int, masked bool) {
			g.load("SI", h, masked, g.v(0))
			g.p("VADDPS %s, %s, %s", g.v(0), g.acc(h), g.acc(h))
		}, "$64, SI")
		g.across("VADDPS", 12)
		g.p("VCVTSI2SSQ 64(AX), X11, X11")
		g.p("VDIVSS X11, X12, X10")
		g.p("VBROADCASTSS X10, %s", g.v(10))
		g.again("SI", "R11")
	} else {
		g.p("VXORPS X10, X10, X10")
	}
	g.mark = "square"
	g.sums(func(h int, masked bool) {
		g.load("SI", h, masked, g.v(0))
		if !n.centered {
			g.p("VMULPS %[1]s, %[1]s, %[1]s", g.v(0))
			g.p("VADDPS %s, %s, %s", g.v(0), g.acc(h), g.acc(h))
			return
		}
		g.p("VSUBPS %s, %s, %s", g.v(10), g.v(0), g.v(0))
		g.keep(g.v(0), masked)
		g.p("VFMADD231PS %s, %s, %s", g.v(0), g.v(0), g.acc(h))
	}, "$64, SI")
	g.across("VADDPS", 12)
	if n.centered {
		g.p("VDIVSS X11, X12, X12")
		g.p("VADDSS 52(AX), X12, X12")
		g.p("VCVTSS2SD X12, X12, X12")
	} else {
		g.p("VCVTSS2SD X12, X12, X12")
		g.p("VCVTSI2SDQ 64(AX), X11, X11")
		g.p("VDIVSD X11, X12, X12")
		g.p("VMOVSS 52(AX), X11")
		g.p("VCVTSS2SD X11, X11, X11")
		g.p("VADDSD X11, X12, X12")
	}
	g.p("VSQRTSD X12, X12, X12")
	g.p("MOVQ $0x3ff0000000000000, CX")
	g.p("MOVQ CX, X0")
	g.p("VDIVSD X12, X0, X0")
	g.p("VCVTSD2SS X0, X0, X0")
	g.p("VBROADCASTSS X0, %s", g.v(11))
	g.p("TESTQ R8, R8")
	g.p("JZ scale")
	g.p("VMOVSS X10, (R8)")
	g.p("VMOVSS X11, 4(R8)")
	g.p("ADDQ $8, R8")
	g.label("scale")
	g.again("SI", "R11")
	g.p("MOVQ 16(AX), BX")
	advance := []string{"$64, SI", "$64, BX", "$64, DI"}
	if n.biased {
		g.p("MOVQ 56(AX), R15")
		advance = append(advance, "$64, R15")
	}
	g.mark = "write"
	g.loop(func(masked bool) {
		for h := range g.halves() {
			g.load("SI", h, masked, g.v(0))
			g.load("BX", h, masked, g.v(1))
			if n.centered {
				g.p("VSUBPS %s, %s, %s", g.v(10), g.v(0), g.v(0))
			}
			g.p("VMULPS %s, %s, %s", g.v(11), g.v(0), g.v(0))
			if n.biased {
				g.load("R15", h, masked, g.v(2))
				g.p("VFMADD213PS %s, %s, %s", g.v(2), g.v(1), g.v(0))
			} else {
				g.p("VMULPS %s, %s, %s", g.v(1), g.v(0), g.v(0))
			}
			g.store(g.v(0), "DI", h, masked)
		}
	}, advance...)
	g.mark = ""
	g.p("LEAQ (R11)(R10*1), SI")
	g.p("LEAQ (R12)(R10*1), DI")
	g.p("MOVQ R13, CX")
	g.p("DECQ R9")
	g.p("JNZ row")
	g.end()
}

// again goes back to where a register began a row.
func (g *gen) again(register, from string) {
	g.p("MOVQ %s, %s", from, register)
	g.p("MOVQ R13, CX")
}

// normalTable lists the kernels.
func (g *gen) normalTable() string {
	list := ""
	for i, n := range normals {
		list += comma(i) + g.name + n.name
	}
	return "[normals]func(*args){" + list + "}"
}
