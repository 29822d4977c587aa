package igemm

import "encoding/binary"

// windows copies what the windows at outputs from p on cover to the rows of a, by lines
// of the last dimension. What lies behind a row up to its depth is multiplied by zero.
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
}

// windowLine copies what n windows from output first of the last dimension on see of a
// line of the input, below 0 of none. Without dilation that lies side by side.
func (v *Conv) windowLine(a, x []byte, line, first, n int) {
	last := len(v.at) - 1
	kernel, depth, length := v.s.Kernel[last], Depths(v.k), v.s.Kernel[last]*v.cg
	// The windows [lo, hi) lie side by side on the line.
	lo, hi := n, n
	if line >= 0 && v.s.Dilation[last] == 1 {
		lo, hi = v.within(first, n)
	}
	for r := 0; r < n; r++ {
		if r == lo && lo < hi {
			at := (line*v.s.In[last] + v.at[last][(first+r)*kernel]) * v.cg
			copyRuns(a[r*depth:], depth, x[at:], v.s.Stride[last]*v.cg, length, hi-lo)
			r = hi - 1
			continue
		}
		dst, list := a[r*depth:][:length], v.at[last][(first+r)*kernel:][:kernel]
		if line < 0 {
			v.pad(dst)
			continue
		}
		for k, at := range list {
			if to := dst[k*v.cg : (k+1)*v.cg]; at < 0 {
				v.pad(to)
			} else {
				copy(to, x[(line*v.s.In[last]+at)*v.cg:])
			}
		}
	}
}

// within returns which of n windows from output first of the last dimension on see nothing
// but the input.
func (v *Conv) within(first, n int) (lo, hi int) {
	last := len(v.at) - 1
	kernel := v.s.Kernel[last]
	inside := func(r int) bool {
		list := v.at[last][(first+r)*kernel:][:kernel]
		return list[0] >= 0 && list[kernel-1] >= 0
	}
	for lo < n && !inside(lo) {
		lo++
	}
	for hi = n; hi > lo && !inside(hi-1); {
		hi--
	}
	return lo, hi
}

// copyRuns copies n runs of bytes, which begin step apart in src and depth apart in dst.
// Short ones are some words that may overlap.
func copyRuns(dst []byte, depth int, src []byte, step, length, n int) {
	words := binary.LittleEndian
	for i := range n {
		to, from := dst[i*depth:][:length], src[i*step:][:length]
		switch {
		case length > 24 || length < 4:
			copy(to, from)
		case length > 16:
			low, middle, high := words.Uint64(from), words.Uint64(from[8:]), words.Uint64(from[length-8:])
			words.PutUint64(to, low)
			words.PutUint64(to[8:], middle)
			words.PutUint64(to[length-8:], high)
		case length >= 8:
			low, high := words.Uint64(from), words.Uint64(from[length-8:])
			words.PutUint64(to, low)
			words.PutUint64(to[length-8:], high)
		default:
			low, high := words.Uint32(from), words.Uint32(from[length-4:])
			words.PutUint32(to, low)
			words.PutUint32(to[length-4:], high)
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
