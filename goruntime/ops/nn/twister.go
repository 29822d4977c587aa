package nn

// twister is the Mersenne Twister MT19937 with the seeding of NumPy's legacy
// RandomState: Dropout's mask for a seed is the one that numpy.random gives.
type twister struct {
	state [624]uint32
	at    int
}

func (t *twister) seed(s uint32) {
	for i := range t.state {
		t.state[i] = s
		s = 1812433253*(s^s>>30) + uint32(i) + 1
	}
	t.at = len(t.state)
}

// word returns the next 32 random bits.
func (t *twister) word() uint32 {
	const n, m = 624, 397
	if t.at == n {
		for i := range t.state {
			y := t.state[i]&0x80000000 | t.state[(i+1)%n]&0x7fffffff
			t.state[i] = t.state[(i+m)%n] ^ y>>1 ^ y&1*0x9908b0df
		}
		t.at = 0
	}
	y := t.state[t.at]
	t.at++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

// uniform returns a number in [0, 1) of 53 random bits.
func (t *twister) uniform() float64 {
	a, b := t.word()>>5, t.word()>>6
	return (float64(a)*(1<<26) + float64(b)) / (1 << 53)
}
