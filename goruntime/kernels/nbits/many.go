package nbits

import (
	"runtime"
	"unsafe"
)

// From manyRows on, the weights of Columns columns, widePart of each, are widened to memory
// for wideRows rows. That much stays in the first cache, and what the lanes of the sums
// hold between parts in the second.
const (
	manyRows = 12
	wideRows = 32
	widePart = 512
	wide     = 3 // columns of a tile
)

// Columns is how many columns Run takes at once: callers split between such.
const Columns = 4 * wide

// tile is what a kernel reads: some rows with wide columns of widened weights. nbitsgen has
// the offsets.
type tile struct {
	a     unsafe.Pointer // 0
	lda   int            // 8, in bytes as all strides here
	w     unsafe.Pointer // 16
	ldw   int            // 24
	steps int            // 32, of 32 weights
	c     unsafe.Pointer // 40
	ldc   int            // 48
	sums  unsafe.Pointer // 56: of all lanes
	from  int            // 64: not 0 where they begin with sums
	leave int            // 72: not 0 where they end there
}

// wideRoom is what is kept of the columns: their weights, and the sums of each row.
type wideRoom struct {
	weights [Columns * widePart]float32
	sums    [wideRows * Columns][sumsBytes / 8 / 4]float32
	_       [64]byte // for the room to begin at a line of the cache
}

// lined returns the room that begins at the next line of the cache.
func (r *wideRoom) lined() *wideRoom {
	p := hidden(r)
	// SAFETY: the room is a line longer than what is used of it.
	return (*wideRoom)(unsafe.Add(p, -uintptr(p)&63))
}

// many computes the columns [n0, n1) of many rows. Each element is summed as columns does:
// its bits do not tell how many rows there are.
func (v *variant) many(g *Args, n0, n1 int) {
	var memory wideRoom
	room := memory.lined()
	var sums [atOnce][sumsBytes]byte
	for m := 0; m < g.M; m += wideRows {
		rows := min(wideRows, g.M-m)
		tiled := rows - rows%v.tall
		for n := n0; n < n1; n += Columns {
			end := min(n1, n+Columns)
			whole := n + (end-n)/wide*wide
			v.tiles(g, m, tiled, n, whole, room)
			for k := m; k < m+rows; k += v.rows {
				v.columns(g, k, whole, end, &sums)
			}
			for j := n; j < whole && tiled < rows; j += atOnce {
				v.columns(g, m+tiled, j, min(whole, j+atOnce), &sums)
			}
		}
	}
	runtime.KeepAlive(g)
	runtime.KeepAlive(&memory)
}

// tiles computes rows from m on, and the columns [n0, n1), in whole tiles.
func (v *variant) tiles(g *Args, m, rows, n0, n1 int, room *wideRoom) {
	blocks, length := Blocks(g.K, g.Block), RowLength(g.K, g.Block)
	part := widePart / g.Block
	for b := 0; b < blocks; b += part {
		count := min(part, blocks-b)
		size := count * g.Block
		for n := n0; n < n1; n++ {
			at := n*blocks + b
			p := strip{
				b: unsafe.Pointer(&g.B[at*g.Block*g.Bits/8]), scales: unsafe.Pointer(&g.Scales[at]), zeros: unsafe.Pointer(&g.Zeros[at]),
				blocks: count, parts: g.Block / 32, c: hidden(&room.weights[(n-n0)*size]),
			}
			v.widen[g.Bits/8](borrow(&p))
			runtime.KeepAlive(&p)
		}
		t := tile{lda: 4 * length, ldw: 4 * size, steps: size / 32, ldc: 4 * g.N, from: b, leave: max(0, blocks-b-part)}
		for r := 0; r < rows; r += v.tall {
			t.a = unsafe.Pointer(&g.A[(m+r)*length+b*g.Block])
			for n := n0; n < n1; n += wide {
				t.w, t.c = hidden(&room.weights[(n-n0)*size]), unsafe.Pointer(&g.C[(m+r)*g.N+n])
				t.sums = hidden(&room.sums[r*Columns+(n-n0)*v.tall])
				v.tile(borrow(&t))
				runtime.KeepAlive(&t)
			}
		}
	}
	runtime.KeepAlive(room)
}
