package conv

import "github.com/goruntime/goruntime/goruntime/kernels/gemm"

// split makes blocks of tiles that fit into the cache, and as many as threads want.
func (w *winograd) split(images, threads int) {
	most := min(mostTiles, max(fewestTiles/2, tileBytes/(4*points*(w.length+gemm.Panel))))
	w.across = (w.wide + most - 1) / most
	w.sides()
	w.down = (w.tall*w.columns + most - 1) / most
	for w.sides(); threads > 1 && images*w.across*w.down < 2*threads && w.rows > 1 && w.rows*w.columns >= 2*fewestTiles; w.sides() {
		w.down = min(w.tall, 2*w.down) // whole rows: their pixels lie one behind the other
	}
	w.down = alike(images*w.across, w.down, w.tall, threads)
	w.sides()
}

// sides settles how large a block is.
func (w *winograd) sides() {
	w.down = max(1, w.down)
	w.columns, w.rows = (w.wide+w.across-1)/w.across, (w.tall+w.down-1)/w.down
}

// vector is how many bytes a pixel of as many channels as there are lanes takes.
func (w *winograd) vector() int { return 4 * w.lanes }

// width is how many pixels lie in a row under a block.
func (w *winograd) width() int { return 4*w.columns + 2 }

// apart is how many floats lie between the matrices of two points. One vector more
// than they have keeps the 36 from sharing a set of the cache.
func (w *winograd) apart(columns int) int { return w.rows*w.columns*columns + 16 }

// image and pixels are how many floats the inputs and the pixels of a block take, a
// vector each. Transposes go on to a whole number of vectors.
func (w *winograd) image() int  { return ((4*w.rows+2)*w.width() + w.lanes) * w.lanes }
func (w *winograd) pixels() int { return (16*w.rows*w.columns + w.lanes) * w.lanes }

// floats returns how much scratch a block needs.
func (w *winograd) floats() int {
	return w.image() + points*(w.apart(w.length)+w.apart(gemm.Panel)) + w.pixels() + gemm.Panel + widest
}

// rectangle is a block of tiles.
type rectangle struct{ y, x, rows, columns int }

// block returns block i of an image; the last ones may be smaller than the first.
func (w *winograd) block(i int) rectangle {
	y, x := i/w.across, i%w.across
	r := rectangle{y: w.tall * y / w.down, x: w.wide * x / w.across}
	r.rows, r.columns = w.tall*(y+1)/w.down-r.y, w.wide*(x+1)/w.across-r.x
	return r
}
