package main

import "fmt"

// kinds are the types of numbers, in the order of kernels/vec: what instructions call
// their size, and how a number fills a vector.
var kinds = []struct {
	name, size, fill string
	bytes            int
	unsigned         bool
}{
	{name: "I8", size: "B", fill: "VPBROADCASTB", bytes: 1},
	{name: "U8", size: "B", fill: "VPBROADCASTB", bytes: 1, unsigned: true},
	{name: "I16", size: "W", fill: "VPBROADCASTW", bytes: 2},
	{name: "U16", size: "W", fill: "VPBROADCASTW", bytes: 2, unsigned: true},
	{name: "I32", size: "D", fill: "VPBROADCASTD", bytes: 4},
	{name: "U32", size: "D", fill: "VPBROADCASTD", bytes: 4, unsigned: true},
	{name: "I64", size: "Q", fill: "VPBROADCASTQ", bytes: 8},
	{name: "U64", size: "Q", fill: "VPBROADCASTQ", bytes: 8, unsigned: true},
	{name: "F64", size: "PD", fill: "VBROADCASTSD", bytes: 8},
}

// arithmetics are in the order of kernels/vec. Those that do not tell signs apart have one
// kernel for both types of a size.
var arithmetics = []struct {
	name     string
	signless bool
	body     func(g *gen, kind int)
}{
	{"Plus", true, func(g *gen, kind int) { g.sized("ADD", kind) }},
	{"Minus", true, func(g *gen, kind int) { g.sized("SUB", kind) }},
	{"Times", true, (*gen).product},
	{"Larger", false, func(g *gen, kind int) { g.extremeOf("MAX", kind) }},
	{"Smaller", false, func(g *gen, kind int) { g.extremeOf("MIN", kind) }},
	{"Absolute", false, (*gen).magnitude},
	{"Negative", true, (*gen).opposite},
}

// sized sets V0 to V0 o V1.
func (g *gen) sized(o string, kind int) {
	k := kinds[kind]
	name := "VP" + o + k.size
	if k.size == "PD" {
		name = "V" + o + "PD"
	}
	g.p("%s %s, %s, %s", name, g.v(1), g.v(0), g.v(0))
}

// product multiplies bytes in pairs, and without AVX-512 longs by halves.
func (g *gen) product(kind int) {
	x, y, t, u := g.v(0), g.v(1), g.v(2), g.v(3)
	and, or := "VPAND", "VPOR"
	if g.wide() {
		and, or = "VPANDQ", "VPORQ"
	}
	switch size := kinds[kind].size; {
	case size == "B":
		g.p("VMOVUPS %s, %s", g.longs(0xff00ff00ff00ff00), u)
		g.p("VPMULLW %s, %s, %s", y, x, t)
		g.p("VPSRLW $8, %s, %s", x, x)
		g.p("%s %s, %s, %s", and, u, y, g.v(4))
		g.p("VPMULLW %s, %s, %s", g.v(4), x, x)
		g.p("VPSLLW $8, %s, %s", t, t)
		g.p("VPSRLW $8, %s, %s", t, t)
		g.p("%s %s, %s, %s", or, t, x, x)
	case size == "Q" && !g.wide():
		g.p("VPSRLQ $32, %s, %s", x, t)
		g.p("VPMULUDQ %s, %s, %s", y, t, t)
		g.p("VPSRLQ $32, %s, %s", y, u)
		g.p("VPMULUDQ %s, %s, %s", u, x, u)
		g.p("VPADDQ %s, %s, %s", u, t, t)
		g.p("VPSLLQ $32, %s, %s", t, t)
		g.p("VPMULUDQ %s, %s, %s", y, x, x)
		g.p("VPADDQ %s, %s, %s", t, x, x)
	case size == "PD":
		g.sized("MUL", kind)
	default:
		g.sized("MULL", kind)
	}
}

// extremeOf sets V0 to one of V0 and V1, or NaN where one is.
func (g *gen) extremeOf(o string, kind int) {
	k := kinds[kind]
	x, y, t, u := g.v(0), g.v(1), g.v(2), g.v(3)
	switch {
	case k.size == "PD":
		// Of two zeros each is the second of one of the two.
		g.p("V%sPD %s, %s, %s", o, y, x, t)
		g.p("V%sPD %s, %s, %s", o, x, y, u)
		g.p("V%sPD %s, %s, %s", map[string]string{"MAX": "AND", "MIN": "OR"}[o], u, t, t)
		g.p("VADDPD %s, %s, %s", y, x, g.v(4))
		if g.wide() {
			g.p("VCMPPD $3, %s, %s, K2", y, x)
			g.p("VMOVUPD %s, K2, %s", g.v(4), t)
		} else {
			g.p("VCMPPD $3, %s, %s, %s", y, x, u)
			g.p("VBLENDVPD %s, %s, %s, %s", u, g.v(4), t, t)
		}
		g.p("VMOVAPD %s, %s", t, x)
	case k.size == "Q" && !g.wide():
		a, b := x, y
		if k.unsigned {
			a, b = g.v(4), g.v(5)
			g.p("VXORPD %s, %s, %s", g.longs(1<<63), x, a)
			g.p("VXORPD %s, %s, %s", g.longs(1<<63), y, b)
		}
		if o == "MAX" {
			a, b = b, a
		}
		g.p("VPCMPGTQ %s, %s, %s", b, a, t) // V1 takes V0's place
		g.p("VBLENDVPD %s, %s, %s, %s", t, y, x, x)
	default:
		if k.unsigned {
			k.size = "U" + k.size
		} else {
			k.size = "S" + k.size
		}
		g.p("VP%s%s %s, %s, %s", o, k.size, y, x, x)
	}
}

// magnitude sets V0 to its magnitude.
func (g *gen) magnitude(kind int) {
	x, t := g.v(0), g.v(2)
	switch k := kinds[kind]; {
	case k.unsigned:
	case k.size == "PD":
		g.size(x, x)
	case k.size == "Q" && !g.wide():
		g.p("VXORPD %s, %s, %s", t, t, t)
		g.p("VPCMPGTQ %s, %s, %s", x, t, t)
		g.p("VXORPD %s, %s, %s", t, x, x)
		g.p("VPSUBQ %s, %s, %s", t, x, x)
	default:
		g.p("VPABS%s %s, %s", k.size, x, x)
	}
}

func (g *gen) opposite(kind int) {
	x, t := g.v(0), g.v(2)
	if kinds[kind].size == "PD" {
		g.p("VXORPD %s, %s, %s", g.longs(1<<63), x, x)
		return
	}
	g.p("VXORPD %s, %s, %s", t, t, t)
	g.p("VPSUB%s %s, %s, %s", kinds[kind].size, x, t, x)
}

// arithmetic goes through whole vectors of numbers, and others or one.
func (g *gen) arithmetic(o, kind int, single bool) string {
	k := kinds[kind]
	name := "Number" + arithmetics[o].name + k.name + map[bool]string{false: "VV", true: "VS"}[single]
	g.begin(name)
	if single {
		g.p("%s (BX), %s", k.fill, g.v(6))
	}
	g.label("loop")
	g.p("VMOVUPS (SI), %s", g.v(0))
	if single {
		g.p("VMOVAPS %s, %s", g.v(6), g.v(1))
	} else {
		g.p("VMOVUPS (BX), %s", g.v(1))
		g.p("ADDQ %s", g.next("BX"))
	}
	arithmetics[o].body(g, kind)
	g.p("VMOVUPS %s, (DI)", g.v(0))
	g.p("ADDQ %s", g.next("SI"))
	g.p("ADDQ %s", g.next("DI"))
	g.p("DECQ CX")
	g.p("JNZ loop")
	g.end()
	return g.name + name
}

// numbers emits the arithmetic and returns the table of it.
func (g *gen) numbers() string {
	table := ""
	for o, a := range arithmetics {
		table += "\n\t\t{"
		last := ""
		for kind, k := range kinds {
			if !a.signless || !k.unsigned {
				last = fmt.Sprintf("{%s, %s}, ", g.arithmetic(o, kind, false), g.arithmetic(o, kind, true))
			}
			table += last
		}
		table += "},"
	}
	return table + "\n\t"
}
