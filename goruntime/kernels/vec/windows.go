package vec

import (
	"runtime"
	"unsafe"
)

// Join is what becomes of the numbers under a window.
type Join int

// The joins, in the order of the generated tables.
const (
	Total   Join = iota // their sum, from the first to the last
	Largest             // or NaN
	joins
)

// Windows are windows that slide over rows of numbers. Neighbouring ones are Stride
// numbers apart, 1 or 2, and each sees Taps numbers, Tap apart: numbers of its row, or
// of the rows below. Distances are in numbers.
type Windows struct {
	N, Stride         int // windows of a row
	Taps, Tap         int
	Rows, From, To    int // distances of rows, where they are read and written
	Planes, Out, Into int // distances of planes of rows
}

// windows is what the kernels read; vecgen has the offsets.
type windows struct {
	dst    unsafe.Pointer // 0
	src    unsafe.Pointer // 8
	n      int            // 16, whole vectors of a row
	mask   unsafe.Pointer // 24, of the last vector, nil where there is none
	taps   int            // 32
	tap    int            // 40, bytes, as all distances here
	from   int            // 48
	to     int            // 56
	out    int            // 64, from behind the last row of a plane to the next plane
	rows   int            // 72
	planes int            // 80
	into   int            // 88
	all    int            // windows of a row, for the portable kernels
	stride int
}

// Run writes what each window joins to dst, which lies apart from src.
func (w *Windows) Run(j Join, dst, src []float32) {
	if w.N <= 0 || w.Rows <= 0 || w.Planes <= 0 {
		return
	}
	// The last number that is read and the last that is written.
	_ = src[(w.Planes-1)*w.Out+(w.Rows-1)*w.From+(w.N-1)*w.Stride+(w.Taps-1)*w.Tap]
	_ = dst[(w.Planes-1)*w.Into+(w.Rows-1)*w.To+w.N-1]
	v := chosen()
	k := windows{
		dst: first(dst), src: first(src), taps: w.Taps, tap: 4 * w.Tap, from: 4 * w.From, to: 4 * w.To,
		out: 4 * (w.Out - w.Rows*w.From), into: 4 * (w.Into - w.Rows*w.To), rows: w.Rows, planes: w.Planes, all: w.N, stride: w.Stride,
	}
	k.n, k.mask = v.steps(w.N, w.Stride)
	v.windows[j][w.Stride-1](borrow(&k))
	runtime.KeepAlive(&k)
}

// steps returns the whole vectors of n numbers that are picked stride apart, and the
// mask of what is left. Of every second one there always is some: a whole vector reads
// too far.
func (v *variant) steps(n, stride int) (whole int, mask unsafe.Pointer) {
	if stride == 1 {
		whole, n = n/v.lanes, n%v.lanes
		switch {
		case n == 0:
			return whole, nil
		case v.lanes == lanes:
			return whole, unsafe.Pointer(&tails.bits[n])
		}
		return whole, unsafe.Pointer(&tails.words[n])
	}
	whole = (n - 1) / v.lanes
	n -= whole * v.lanes
	if v.lanes == lanes {
		return whole, unsafe.Pointer(&everies[stride/4].bits[n])
	}
	return whole, unsafe.Pointer(&everies[stride/4].words[n])
}

// slidden is the definition for both strides.
func slidden(join func(x, y float32) float32) [2]func(*windows) {
	f := func(w *windows) {
		for p := range w.planes {
			for r := range w.rows {
				// SAFETY: the caller's slices hold what is read and written.
				src := unsafe.Add(w.src, p*(w.out+w.rows*w.from)+r*w.from)
				// SAFETY: as above.
				dst := unsafe.Slice((*float32)(unsafe.Add(w.dst, p*(w.into+w.rows*w.to)+r*w.to)), w.all)
				for i := range dst {
					for t := range w.taps {
						// SAFETY: as above.
						x := *(*float32)(unsafe.Add(src, 4*i*w.stride+t*w.tap))
						if t > 0 {
							x = join(dst[i], x)
						}
						dst[i] = x
					}
				}
			}
		}
	}
	return [2]func(*windows){f, f}
}
