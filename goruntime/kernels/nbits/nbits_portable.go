package nbits

// portable is the definition: each element summed over k ascending.
func portable(g *Args, n0, n1 int) {
	blocks, length := Blocks(g.K, g.Block), RowLength(g.K, g.Block)
	per, mask := 8/g.Bits, byte(1<<g.Bits-1)
	inOrder := !g.vectorized() || g.Bits != 4
	for n := n0; n < n1; n++ {
		weights := g.B[n*blocks*g.Block*g.Bits/8:]
		scales, zeros := g.Scales[n*blocks:(n+1)*blocks], g.Zeros[n*blocks:(n+1)*blocks]
		for m := range g.M {
			a, sum := g.A[m*length:(m+1)*length], float32(0)
			for k := range g.K {
				group := k / g.Block
				if g.Groups != nil {
					group = int(g.Groups[k])
				}
				q := weights[k/per] >> (k % per * g.Bits) & mask
				x := k
				if !inOrder {
					x = k&^31 + k%32/2 + k%2*16
				}
				sum += a[x] * ((float32(q) - zeros[group]) * scales[group])
			}
			g.C[m*g.N+n] = sum
		}
	}
}
