package igemm

// windows copies what the windows at outputs from p on cover to the rows of a, by lines
// of the last dimension.
func (v *Conv) windows(a, x []byte, p, rows int) {
	last := len(v.at) - 1
	kernel, length, depth := v.s.Kernel[last], v.s.Out[last], Depths(v.k)
	for done := 0; done < rows; {
		first := (p + done) % length
		n := min(rows-done, length-first)
		for t := range v.taps / kernel {
			v.windowLine(a[done*depth+t*kernel*v.cg:], x, v.line((p+done)/length, t), first, n)
		}
		done += n
	}
	if depth > v.k {
		for r := range rows {
			clear(a[r*depth+v.k : (r+1)*depth])
		}
	}
}

// windowLine copies what n windows from output first of the last dimension on see of a
// line of the input, below 0 of none. Without dilation that lies side by side.
func (v *Conv) windowLine(a, x []byte, line, first, n int) {
	last := len(v.at) - 1
	kernel, depth := v.s.Kernel[last], Depths(v.k)
	for r := range n {
		dst, list := a[r*depth:][:kernel*v.cg], v.at[last][(first+r)*kernel:][:kernel]
		switch start := line * v.s.In[last]; {
		case line < 0:
			v.pad(dst)
		case v.s.Dilation[last] == 1 && list[0] >= 0 && list[kernel-1] >= 0:
			copy(dst, x[(start+list[0])*v.cg:])
		default:
			for k, at := range list {
				if to := dst[k*v.cg : (k+1)*v.cg]; at < 0 {
					v.pad(to)
				} else {
					copy(to, x[(start+at)*v.cg:])
				}
			}
		}
	}
}

func (v *Conv) pad(dst []byte) {
	for i := range dst {
		dst[i] = v.args.Zero
	}
}

// line returns the row of the input under element t of the window's outer
// dimensions at a row of the output, or -1.
func (v *Conv) line(p, t int) int {
	i, step := 0, 1
	for d := len(v.at) - 2; d >= 0; d-- {
		n, k := v.s.Out[d], v.s.Kernel[d]
		at := v.at[d][p%n*k+t%k]
		if at < 0 {
			return -1
		}
		i += at * step
		step *= v.s.In[d]
		p /= n
		t /= k
	}
	return i
}
