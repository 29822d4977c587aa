package columns

import (
	"runtime"
	"unsafe"
)

// strip is how many columns are turned before the next ones are read.
const strip = 64

// Transpose writes n rows of k elements to dst, one behind the other: element j of row
// i is src[i+j*step]. Dst does not overlap src.
func Transpose[T any](dst, src []T, n, k, step int) {
	if n == 0 || k == 0 {
		return
	}
	_, _ = dst[n*k-1], src[n-1+(k-1)*step]
	width := int(unsafe.Sizeof(dst[0]))
	if k == 2 && width == 4 {
		done := zip(unsafe.Pointer(&dst[0]), unsafe.Pointer(&src[0]), unsafe.Pointer(&src[step]), n)
		dst, src, n = dst[2*done:], src[done:], n-done
	}
	v := variantOf(width)
	if v == nil || n < v.side || k < v.side {
		turnPortable(dst, src, n, k, step)
		return
	}
	var from [strip]unsafe.Pointer
	for done := 0; done < k; {
		c := min(done, k-v.side) // what is no square at the end overlaps the last
		w := min(strip, k-c) / v.side * v.side
		for j := range w {
			from[j] = unsafe.Pointer(&src[(c+j)*step])
		}
		for at := 0; at < n; at += rowsAtOnce {
			for j := 0; j < w; j += v.side {
				v.squares(unsafe.Pointer(&dst[c]), &borrow(&from)[j], j*width, at, min(n, at+rowsAtOnce), k*width, width)
			}
		}
		done = c + w
	}
	runtime.KeepAlive(src)
	runtime.KeepAlive(&from) // live during the calls: a stack that moves takes it along
}

// borrow hides from escape analysis that p is passed on: no kernel keeps it, but the
// compiler cannot see that through a table, and would put it on the heap.
func borrow[T any](p *T) *T {
	at := uintptr(unsafe.Pointer(p))
	// SAFETY: the pointer is used during the call only, while p is alive; as an argument it
	// is adjusted like any other when the stack moves.
	return *(**T)(unsafe.Pointer(&at))
}

// squares turns the rows [lo, hi) of side columns, which lie at bytes from the first one
// of a row. There are side rows before hi.
func (v *variant) squares(dst unsafe.Pointer, from *unsafe.Pointer, at, lo, hi, stride, width int) {
	if rows := (hi - lo) / v.side * v.side; rows > 0 {
		// SAFETY: dst has rows of stride bytes, in which the columns lie.
		v.turn(unsafe.Add(dst, lo*stride+at), from, lo*width, stride, rows)
	}
	if (hi-lo)%v.side > 0 {
		lo = hi - v.side
		// SAFETY: as above.
		v.turn(unsafe.Add(dst, lo*stride+at), from, lo*width, stride, v.side)
	}
}

// turnPortable is the definition: few rows one by one, else runs of them that stay in the
// cache until the next column.
func turnPortable[T any](dst, src []T, n, k, step int) {
	const few, run = 8, 16
	for i := 0; n < few && i < n; i++ {
		at := i
		row := dst[i*k : (i+1)*k]
		for j := range row {
			row[j] = src[at]
			at += step
		}
	}
	if n < few {
		return
	}
	for i := 0; i < n; i += run {
		some := min(run, n-i)
		for j := range k {
			to := dst[i*k+j:]
			for r, x := range src[i+j*step:][:some] {
				to[r*k] = x
			}
		}
	}
}
