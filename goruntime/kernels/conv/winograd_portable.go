package conv

import (
	"math"
	"unsafe"
)

// portableInput is the definition of the transform of inputs, tile by tile and channel
// by channel.
func portableInput(t *transform) {
	for i := range t.n {
		for lane := range portableLanes {
			var d, e [6][6]float32
			// SAFETY: there are 36 offsets; inputs and points are inside the scratch.
			for k, at := range unsafe.Slice((*int)(t.offset), points) {
				// SAFETY: as above.
				d[k%6][k/6] = *(*float32)(unsafe.Add(t.src, at+4*(4*i*portableLanes+lane)))
			}
			for j := range d {
				for k, x := range forward(&d[j]) {
					e[k][j] = x
				}
			}
			for j := range e {
				for k, x := range forward(&e[j]) {
					// SAFETY: as above.
					*(*float32)(unsafe.Add(t.dst, (j*6+k)*t.step+i*t.next+4*lane)) = x
				}
			}
		}
	}
}

func forward(d *[6]float32) [6]float32 {
	const a, b = math.Sqrt2 / 2, math.Sqrt2
	e, f := d[4]-2*d[2], a*(d[3]-2*d[1])
	g, h := d[4]-0.5*d[2], b*(d[3]-0.5*d[1])
	return [6]float32{d[0] - 2.5*d[2] + d[4], e + f, e - f, g + h, g - h, d[1] - 2.5*d[3] + d[5]}
}

// portableOutput is the definition of the transform of sums to pixels. In seen, a lane
// whose pixels are not all finite is NaN.
func portableOutput(t *transform) {
	for i := range t.n {
		for lane := range portableLanes {
			var m [6][6]float32
			var half [4][6]float32
			for k := range points {
				// SAFETY: sums and pixels are inside the scratch.
				m[k/6][k%6] = *(*float32)(unsafe.Add(t.src, k*t.step+i*t.next+4*lane))
			}
			for j := range m {
				for k, x := range backward(&m[j]) {
					half[k][j] = x
				}
			}
			// SAFETY: the bias is a vector.
			bias := *(*float32)(unsafe.Add(t.bias, 4*lane))
			seen := (*float32)(unsafe.Add(t.seen, 4*lane)) // SAFETY: it is a vector too
			for j := range half {
				for k, x := range backward(&half[j]) {
					x += bias
					if *seen += 0 * x; x < t.low {
						x = t.low
					}
					// SAFETY: as above.
					*(*float32)(unsafe.Add(t.dst, k*t.row+4*((4*i+j)*portableLanes+lane))) = x
				}
			}
		}
	}
}

func backward(m *[6]float32) [4]float32 {
	const a, b = math.Sqrt2 / 2, math.Sqrt2
	s1, d1, s2, d2 := m[1]+m[2], m[1]-m[2], m[3]+m[4], m[3]-m[4]
	return [4]float32{m[0] + s1 + s2, a*d1 + b*d2, 0.5*s1 + 2*s2, a*a*a*d1 + b*b*b*d2 + m[5]}
}
