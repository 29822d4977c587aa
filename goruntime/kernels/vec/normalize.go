package vec

import (
	"math"
	"runtime"
	"unsafe"
)

// The normalizations of rows, in the order of the generated tables.
const (
	centered = iota
	centeredScaled
	squares
	normals
)

// Normalize writes (x - mean) / sqrt(variance + epsilon) * scale + bias of each row of
// len(scale) numbers of src to dst, which may be src. Bias may be nil. Where stats is not
// nil it has the mean of each row and 1 / sqrt(variance + epsilon), two numbers a row.
func Normalize(dst, src, scale, bias, stats []float32, epsilon float32) {
	form := centeredScaled
	if bias != nil {
		form, bias = centered, bias[:len(scale)]
	}
	normalizeRows(form, dst, src, scale, bias, stats, epsilon)
}

// NormalizeSquares writes x / sqrt(mean of squares + epsilon) * scale of each row of
// len(scale) numbers of src to dst, which may be src. Where stats is not nil it has 0 and
// 1 / sqrt(mean of squares + epsilon) of each row.
func NormalizeSquares(dst, src, scale, stats []float32, epsilon float32) {
	normalizeRows(squares, dst, src, scale, nil, stats, epsilon)
}

// normalizeRows runs a normalization, whose step is lanes in every variant.
func normalizeRows(form int, dst, src, scale, bias, stats []float32, epsilon float32) {
	n := len(scale)
	if n == 0 || len(dst) == 0 {
		return
	}
	rows := len(dst) / n
	src = src[:rows*n]
	if stats != nil {
		stats = stats[:2*rows]
	}
	a := newArgs(dst[:n], src, lanes)
	a.b, a.c, a.acc = first(scale), first(bias), first(stats)
	a.r, a.rows, a.step = epsilon, rows, 4*n
	chosen().normalize[form](borrow(&a))
	runtime.KeepAlive(&a)
}

// normalize is the definition of both that are centered.
func normalize(a *args) {
	scale := a.slice(a.b)
	for row := range a.rows {
		a.next(row)
		var acc [lanes]float32
		for i, x := range a.slice(a.a) {
			acc[i%lanes] += x
		}
		mean := fold(&acc) / float32(a.all)
		acc = [lanes]float32{}
		for i, x := range a.slice(a.a) {
			d := x - mean
			acc[i%lanes] += float32(d * d)
		}
		inv := float32(1 / math.Sqrt(float64(fold(&acc)/float32(a.all)+a.r)))
		a.tell(row, mean, inv)
		dst := a.slice(a.dst)
		for i, x := range a.slice(a.a) {
			dst[i] = float32((x-mean)*inv) * scale[i]
		}
		if a.c != nil {
			for i, c := range a.slice(a.c) {
				dst[i] += c
			}
		}
	}
}

// tell keeps what is known of a row, where it is wanted.
func (a *args) tell(row int, mean, inv float32) {
	if a.acc != nil {
		// SAFETY: there are two numbers for each row.
		stats := unsafe.Slice((*float32)(a.acc), 2*a.rows)
		stats[2*row], stats[2*row+1] = mean, inv
	}
}

// normalizeSquares is the definition of the other.
func normalizeSquares(a *args) {
	scale := a.slice(a.b)
	for row := range a.rows {
		a.next(row)
		var acc [lanes]float32
		for i, x := range a.slice(a.a) {
			acc[i%lanes] += float32(x * x)
		}
		inv := float32(1 / math.Sqrt(float64(fold(&acc))/float64(a.all)+float64(a.r)))
		a.tell(row, 0, inv)
		dst := a.slice(a.dst)
		for i, x := range a.slice(a.a) {
			dst[i] = float32(x*inv) * scale[i]
		}
	}
}
