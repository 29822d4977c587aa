package igemm

// Convolutions of single channels of two dimensions: the channel is copied into
// a plane with its pads, so that each element of the filter adds to long runs.

// extent returns the height (0) or width (1) of the plane that the windows cover.
func (v *Conv) extent(d int) int {
	return (v.s.Out[d]-1)*v.s.Stride[d] + (v.s.Kernel[d]-1)*v.s.Dilation[d] + 1
}

// padded returns the size of the plane, 0 where there is none.
func (v *Conv) padded() int {
	if len(v.s.Out) != 2 || v.s.BeginPads[0] < 0 || v.s.BeginPads[1] < 0 {
		return 0
	}
	return v.extent(0) * v.extent(1)
}

// directSums is how many sums a part of a direct convolution keeps.
func (v *Conv) directSums() int { return max(v.rowLength(), v.padded()) }

// plane computes channel m of the image.
func (v *Conv) plane(m int, x []byte, sums []int32) {
	v.padPlane(m/v.mg, x)
	width, rows, cols := v.extent(1), v.s.Out[0], v.s.Out[1]
	if v.s.Stride[0] == 1 && v.s.Stride[1] == 1 {
		v.addFilter(m, sums[:(rows-1)*width+cols], x)
		for r := range rows {
			v.args.Sink.Store(v.image, m, 1, r*cols, cols, sums[r*width:], 1, cols)
		}
		return
	}
	step := v.s.Stride[1]
	for r := range rows {
		v.addFilter(m, sums[:(cols-1)*step+1], x[r*v.s.Stride[0]*width:])
		for i := 1; i < cols; i++ {
			sums[i] = sums[i*step]
		}
		v.args.Sink.Store(v.image, m, 1, r*cols, cols, sums, 1, cols)
	}
}

// padPlane copies channel c of the image into the plane.
func (v *Conv) padPlane(c int, x []byte) {
	zero, width := v.args.Zero^v.args.Flip, v.extent(1)
	for i := range x {
		x[i] = zero
	}
	src := v.args.X[(v.image*v.s.C+c)*v.pixels:][:v.pixels]
	top, left := v.s.BeginPads[0], v.s.BeginPads[1]
	for r := 0; r < v.s.In[0] && top+r < v.extent(0) && left < width; r++ {
		copy(x[(top+r)*width+left:(top+r+1)*width], src[r*v.s.In[1]:(r+1)*v.s.In[1]])
	}
}

// addFilter sets the sums to what they start from and adds the products of filter
// m with the runs that begin under its elements.
func (v *Conv) addFilter(m int, sums []int32, x []byte) {
	zeroW, width := int32(0), v.extent(1)
	if v.args.ZeroW != nil {
		zeroW = v.args.ZeroW[m]
	}
	for i := range sums {
		sums[i] = v.args.Init[m]
	}
	for t := range v.taps {
		w := int32(int8(v.args.W[m*v.taps+t]^v.args.Bits)) - zeroW
		if w == 0 {
			continue
		}
		from := t/v.s.Kernel[1]*v.s.Dilation[0]*width + t%v.s.Kernel[1]*v.s.Dilation[1]
		addProducts(sums, x[from:from+len(sums)], v.args.Flip, int32(v.args.Zero), w)
	}
}
