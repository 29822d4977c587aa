package conv

import (
	"runtime"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/kernels/cpu"
	"github.com/goruntime/goruntime/goruntime/kernels/lanes"
)

//go:generate go run ../../internal/gen/convgen .

// tileRows is how many filters a tile has at most.
const tileRows = 6

// tile is what a kernel reads: a few filters over a run of pixels. Each sum
// starts from the bias and goes over the taps in their order. Convgen has the
// offsets.
type tile struct {
	w      unsafe.Pointer // 0, the weights of the first filter
	stepW  int            // 8, bytes from filter to filter
	x      unsafe.Pointer // 16, what the first pixel's offsets count from
	offset unsafe.Pointer // 24, of each tap, in bytes
	y      unsafe.Pointer // 32
	stepY  int            // 40, bytes from filter to filter
	k      int            // 48, taps
	bias   unsafe.Pointer // 56, of the first filter, or nil
	mask   unsafe.Pointer // 64, of the last vector
	relu   int            // 72, 0 or 1
	rows   int            // for the portable kernel, which serves every size
	cols   int
}

// variant is one implementation of the tiles.
type variant struct {
	name  string
	level cpu.Level
	lanes int // of a vector
	vecs  int // of the largest tile
	run   func(t *tile, rows, vecs int)
	// The transforms of Winograd's convolution.
	input, output func(t *transform)
	// The tiles of single channels, and what turns planes to vectors and back.
	deep                 func(t *deepTile)
	toChannels, toPlanes func(t *turn)
	// What convolves single channels in lines, by rows of a block; nil where there is none.
	lines map[lineKind][lineRows]func(*lineTile)
}

// variants, the best first; portable is the definition.
var variants = append(vectorVariants, variant{
	"portable", cpu.Portable, portableLanes, 4,
	func(t *tile, _, _ int) { portable(t) }, portableInput, portableOutput, portableDeep, portableToChannels, portableToPlanes, nil,
})

func chosen() *variant { return cpu.Pick(variants, func(v *variant) cpu.Level { return v.level }) }

// row computes n pixels that lie side by side for rows filters, from those that
// t begins with.
func (v *variant) row(t tile, rows, n int) {
	w, bias, x, y := t.w, t.bias, t.x, t.y
	for j := 0; j < n; j += v.lanes * v.vecs {
		t.cols = min(v.lanes*v.vecs, n-j)
		vecs := (t.cols + v.lanes - 1) / v.lanes
		t.mask = lanes.Mask(v.lanes, t.cols-(vecs-1)*v.lanes)
		// SAFETY: all offsets are inside the tensors by the caller's contract.
		t.x = unsafe.Add(x, 4*j)
		for i := 0; i < rows; i += tileRows {
			t.rows = min(tileRows, rows-i)
			// SAFETY: as above.
			t.w, t.y = unsafe.Add(w, i*t.stepW), unsafe.Add(y, i*t.stepY+4*j)
			if bias != nil {
				// SAFETY: as above.
				t.bias = unsafe.Add(bias, 4*i)
			}
			v.run(borrow(&t), t.rows, vecs)
			runtime.KeepAlive(&t) // live during the call: a stack that moves takes it along
		}
	}
}

// borrow hides from escape analysis that t is passed on: no kernel keeps it, but
// the compiler cannot see that through a table, and would put it on the heap.
func borrow[T any](t *T) *T {
	p := uintptr(unsafe.Pointer(t))
	// SAFETY: the pointer is used during the call only, while t is alive; as an
	// argument it is adjusted like any other when the stack moves.
	return *(**T)(unsafe.Pointer(&p))
}

// portable is the definition of a tile.
func portable(t *tile) {
	// SAFETY: there is an offset for each tap; filters, pixels and sums of the
	// tile are inside the tensors.
	offsets := unsafe.Slice((*int)(t.offset), t.k)
	for r := range t.rows {
		// SAFETY: as above.
		w := unsafe.Slice((*float32)(unsafe.Add(t.w, r*t.stepW)), t.k)
		// SAFETY: as above.
		y := unsafe.Slice((*float32)(unsafe.Add(t.y, r*t.stepY)), t.cols)
		clear(y)
		if t.bias != nil {
			// SAFETY: as above.
			b := unsafe.Slice((*float32)(t.bias), t.rows)[r]
			for j := range y {
				y[j] = b
			}
		}
		for k, at := range offsets {
			// SAFETY: as above.
			x := unsafe.Slice((*float32)(unsafe.Add(t.x, at)), t.cols)
			for j := range y {
				y[j] += w[k] * x[j]
			}
		}
		for j, v := range y {
			if t.relu != 0 && v < 0 {
				y[j] = 0
			}
		}
	}
}
