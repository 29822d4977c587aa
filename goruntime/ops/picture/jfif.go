package picture

// jfif are the colours of JPEG files: those of the JFIF (ITU-T T.871, section 7) in
// arithmetic of 16 bits behind the point, and chroma samples in between as the
// specification of ImageDecoder has them.
var jfif = colour{between: smooth, rgb: jfifRow}

// smooth interpolates linearly: pixels lie 1/4 and 3/4 of the way between samples.
// What lies halfway between two values is rounded down and up in turn. Rows of one or
// two samples are repeated.
func smooth(dst, near, far []byte, across, down, odd bool) {
	if !across {
		bias := int32(1)
		if odd {
			bias = 2
		}
		for x := range dst {
			dst[x] = byte((3*int32(near[x]) + int32(far[x]) + bias) >> 2)
		}
		return
	}
	if len(near) <= 2 {
		for x := range dst {
			dst[x] = near[x/2]
		}
		return
	}
	at := func(i int) int32 { return int32(near[i]) }
	even, uneven, shift := int32(1), int32(2), 2
	if down {
		at = func(i int) int32 { return 3*int32(near[i]) + int32(far[i]) }
		even, uneven, shift = 8, 7, 4
	}
	before, here := at(0), at(0)
	for i := range near {
		after := at(min(i+1, len(near)-1))
		dst[2*i] = byte((3*here + before + even) >> shift)
		if 2*i+1 < len(dst) {
			dst[2*i+1] = byte((3*here + after + uneven) >> shift)
		}
		before, here = here, after
	}
}

func jfifRow(rgb, y, cb, cr []byte) {
	const half, bits = 1 << 15, 16
	for x := range y {
		l, b, r := int32(y[x]), int32(cb[x])-128, int32(cr[x])-128
		rgb[3*x] = clamp(l + (91881*r+half)>>bits)
		rgb[3*x+1] = clamp(l + (-22554*b-46802*r+half)>>bits)
		rgb[3*x+2] = clamp(l + (116130*b+half)>>bits)
	}
}
