package picture

// vp8 are the colours of lossy WebP files: ITU-R BT.601 in video range, in arithmetic
// of 14 bits, and chroma samples in between by 9, 3, 3 and 1 sixteenths of the nearest
// four, in the roundings of the format's reference decoder.
var vp8 = colour{between: diamond, rgb: vp8Row}

func diamond(dst, near, far []byte, _, _, _ bool) {
	edge := func(i int) byte { return byte((3*int32(near[i]) + int32(far[i]) + 2) >> 2) }
	dst[0] = edge(0)
	for i := 1; i < len(near); i++ {
		n0, n1, f0, f1 := int32(near[i-1]), int32(near[i]), int32(far[i-1]), int32(far[i])
		sum := n0 + n1 + f0 + f1 + 8
		dst[2*i-1] = byte(((sum+2*(n1+f0))>>3 + n0) >> 1)
		if 2*i < len(dst) {
			dst[2*i] = byte(((sum+2*(n0+f1))>>3 + n1) >> 1)
		}
	}
	if len(dst)%2 == 0 {
		dst[len(dst)-1] = edge(len(near) - 1)
	}
}

func vp8Row(rgb, y, u, v []byte) {
	for x := range y {
		l, b, r := int32(y[x])*19077>>8, int32(u[x]), int32(v[x])
		rgb[3*x] = clamp((l + r*26149>>8 - 14234) >> 6)
		rgb[3*x+1] = clamp((l - b*6419>>8 - r*13320>>8 + 8708) >> 6)
		rgb[3*x+2] = clamp((l + b*33050>>8 - 17685) >> 6)
	}
}
