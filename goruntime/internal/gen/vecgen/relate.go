package main

import "fmt"

// relations are in the order of the enumeration in kernels/vec: what VCMPPS and VPCMPD
// call them; without AVX-512 a greater-than of whole numbers, turned or negated.
var relations = []struct {
	name               string
	float, whole       int
	equal, turned, not bool
}{
	{name: "Equal", float: 0, whole: 0, equal: true},
	{name: "More", float: 0x1e, whole: 6},
	{name: "Less", float: 0x11, whole: 1, turned: true},
	{name: "NotLess", float: 0x1d, whole: 5, turned: true, not: true},
	{name: "NotMore", float: 0x12, whole: 2, not: true},
}

// relate writes a byte for each number of whole vectors: 1 where it relates to a number,
// or to the one beside it.
func (g *gen) relate(r int, whole, single bool) string {
	is := relations[r]
	name := is.name + map[bool]string{false: "F32", true: "I32"}[whole] + map[bool]string{false: "VV", true: "VS"}[single]
	g.begin(name)
	if single {
		g.p("VBROADCASTSS (BX), %s", g.v(1))
	}
	g.p("VMOVUPS %s, %s", g.bits(0x01010101), g.v(5))
	if is.not && !g.wide() {
		g.p("VPCMPEQD Y6, Y6, Y6")
	}
	g.label("loop")
	g.p("VMOVUPS (SI), %s", g.v(0))
	if !single {
		g.p("VMOVUPS (BX), %s", g.v(1))
		g.p("ADDQ %s", g.next("BX"))
	}
	switch {
	case g.wide():
		instruction, how := "VCMPPS", is.float
		if whole {
			instruction, how = "VPCMPD", is.whole
		}
		g.p("%s $%d, Z1, Z0, K2", instruction, how)
		g.p("VPMOVM2B K2, X2")
		g.p("VPAND X5, X2, X2")
		g.p("VMOVDQU X2, (DI)")
	default:
		g.compare(r, whole)
		g.p("VEXTRACTI128 $1, Y2, X3")
		g.p("VPACKSSDW X3, X2, X2")
		g.p("VPACKSSWB X2, X2, X2")
		g.p("VPAND X5, X2, X2")
		g.p("VMOVQ X2, (DI)")
	}
	g.p("ADDQ %s", g.next("SI"))
	g.p("ADDQ $%d, DI", g.bytes/4)
	g.p("DECQ CX")
	g.p("JNZ loop")
	g.end()
	return g.name + name
}

// compare sets Y2 to ones where Y0 relates to Y1.
func (g *gen) compare(r int, whole bool) {
	is := relations[r]
	x, y := "Y0", "Y1"
	if is.turned {
		x, y = y, x
	}
	switch {
	case !whole:
		g.p("VCMPPS $%d, Y1, Y0, Y2", is.float)
		return
	case is.equal:
		g.p("VPCMPEQD Y1, Y0, Y2")
	default:
		g.p("VPCMPGTD %s, %s, Y2", y, x)
	}
	if is.not {
		g.p("VPXOR Y6, Y2, Y2")
	}
}

// relateAll emits the relations and returns the table of them.
func (g *gen) relateAll() string {
	table := ""
	for _, whole := range []bool{false, true} {
		table += "{"
		for r := range relations {
			table += fmt.Sprintf("{%s, %s}, ", g.relate(r, whole, false), g.relate(r, whole, true))
		}
		table += "}, "
	}
	return table
}
