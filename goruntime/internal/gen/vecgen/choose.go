package main

// choose takes each number from one side where its byte is not zero, else from the other.
// Whole vectors only; the offsets are those of args in kernels/vec.
func (g *gen) choose(form string) {
	g.begin("Choose" + form)
	g.p("MOVQ 56(AX), R9")
	sides := []struct{ base, all string }{{"SI", g.v(10)}, {"BX", g.v(11)}}
	for i, s := range sides {
		if form[i] == 'S' {
			g.p("VBROADCASTSS (%s), %s", s.base, s.all)
		}
	}
	g.p("VPXOR X5, X5, X5")
	g.label("loop")
	for i, s := range sides {
		if form[i] == 'V' {
			g.p("VMOVUPS (%s), %s", s.base, s.all)
			g.p("ADDQ %s", g.next(s.base))
		}
	}
	g.p("VPMOVZXBD (R9), %s", g.v(0))
	if g.wide() {
		g.p("VPTESTMD Z0, Z0, K2")
		g.p("VBLENDMPS Z10, Z11, K2, Z0")
	} else {
		g.p("VPCMPEQD Y5, Y0, Y0")
		g.p("VBLENDVPS Y0, Y11, Y10, Y0")
	}
	g.p("VMOVUPS %s, (DI)", g.v(0))
	g.p("ADDQ $%d, R9", g.bytes/4)
	g.p("ADDQ %s", g.next("DI"))
	g.p("DECQ CX")
	g.p("JNZ loop")
	g.end()
}
