package igemm

// channel computes channel m of the image from the one that it sees, row by
// row. Differences from the zero points are multiplied, so pads count nothing
// and what Init has for them is not used.
func (v *Conv) channel(m int, row []int32) {
	last := len(v.s.Out) - 1
	kernel, width := v.s.Kernel[last], v.s.In[last]
	x := v.args.X[(v.image*v.s.C+m/v.mg)*v.pixels:][:v.pixels]
	zeroX, zeroW := int32(v.args.Zero), int32(0)
	if v.args.ZeroW != nil {
		zeroW = v.args.ZeroW[m]
	}
	for line := range v.outs / max(1, len(row)) {
		for i := range row {
			row[i] = v.args.Init[m]
		}
		for t := range v.taps {
			w := int32(int8(v.args.W[m*v.taps+t]^v.args.Bits)) - zeroW
			start := v.line(line, t/kernel)
			if start < 0 || w == 0 {
				continue
			}
			lo, hi := v.inside(t % kernel)
			if lo >= hi {
				continue
			}
			first, step := v.at[last][lo*kernel+t%kernel], v.s.Stride[last]
			in := x[start*width : (start+1)*width]
			if step == 1 {
				addProducts(row[lo:hi], in[first:first+hi-lo], v.args.Flip, zeroX, w)
				continue
			}
			for i := lo; i < hi; i++ {
				row[i] += w * (int32(in[first]^v.args.Flip) - zeroX)
				first += step
			}
		}
		v.args.Sink.Store(v.image, m, 1, line*len(row), len(row), row, 1, len(row))
	}
}

// inside returns the outputs of the last dimension at which element k of the
// window lies inside the input.
func (v *Conv) inside(k int) (lo, hi int) {
	last := len(v.s.Out) - 1
	list, kernel := v.at[last], v.s.Kernel[last]
	hi = v.s.Out[last]
	for lo < hi && list[lo*kernel+k] < 0 {
		lo++
	}
	for hi > lo && list[(hi-1)*kernel+k] < 0 {
		hi--
	}
	return lo, hi
}
