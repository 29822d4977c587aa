package nn

import "math"

// coordinate returns where position p of the grid lies in dimension d.
func (s *sampler) coordinate(p, d int) float64 {
	r, n := len(s.dims), float64(s.dims[d])
	v := s.grid[p*r+r-1-d]
	if s.corners {
		v = (v + 1) / 2 * (n - 1)
	} else {
		v = ((v+1)*n - 1) / 2
	}
	if s.taps == 1 {
		v = math.RoundToEven(float64(float32(v))) // ties are those of float32
	}
	if v != v {
		v = math.Inf(-1)
	}
	switch low, high := s.border(d); {
	case v >= low && v <= high:
	case s.padding == "border":
		v = max(0, min(v, n-1))
	case s.padding == "reflection":
		v = reflect(v, low, high)
	}
	const far = 1 << 40
	return max(-far, min(v, far))
}

// border returns what a dimension reaches from and to.
func (s *sampler) border(d int) (low, high float64) {
	if s.corners {
		return 0, float64(s.dims[d] - 1)
	}
	return -0.5, float64(s.dims[d]) - 0.5
}

// reflect mirrors v at both borders until it lies between them.
func reflect(v, low, high float64) float64 {
	length := high - low
	if length <= 0 || math.IsInf(v, 0) {
		return low
	}
	at := math.Mod(math.Abs(v-low), 2*length)
	if at > length {
		at = 2*length - at
	}
	return low + at
}

// index returns which element of dimension d stands at i, -1 where 0 does.
func (s *sampler) index(i, d int) int {
	n := s.dims[d]
	switch {
	case i >= 0 && i < n:
		return i
	case s.padding == "zeros":
		return -1
	case s.padding == "border":
		return max(0, min(i, n-1))
	}
	low, high := s.border(d)
	return max(0, min(int(reflect(float64(i), low, high)), n-1))
}

// place lists the elements that position p is made of, and their weights; it
// returns how many there are.
func (s *sampler) place(p int, at *[mostCombos]int, weight *[mostCombos]float64) int {
	at[0], weight[0] = 0, 1
	count, step := 1, 1
	for d := len(s.dims) - 1; d >= 0; d-- {
		x := s.coordinate(p, d)
		low := int(math.Floor(x)) - (s.taps-1)/2
		// Each element found so far, with each tap of this dimension; from behind,
		// so that what is read is not yet written.
		kept := 0
		var index [4]int
		var part [4]float64
		for t := range s.taps {
			i := s.index(low+t, d)
			if i < 0 {
				continue
			}
			index[kept], part[kept] = i*step, 1
			if s.taps > 1 {
				part[kept] = s.filter.filter(x - float64(low+t))
			}
			kept++
		}
		for t := kept - 1; t >= 0; t-- {
			for k := count - 1; k >= 0; k-- {
				at[t*count+k], weight[t*count+k] = at[k]+index[t], weight[k]*part[t]
			}
		}
		count *= kept
		step *= s.dims[d]
	}
	return count
}
