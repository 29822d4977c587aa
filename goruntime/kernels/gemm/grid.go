package gemm

// Work is what threads share: some products of [M, K] by [K, N], of which every row goes
// through some steps afterwards.
type Work struct {
	Products, M, N, K, Steps int
	InPlace                  bool // B is no panels: bands of columns may begin anywhere
}

// Grid cuts products of [M, N] into parts that threads share: bands of rows by bands of
// columns, alike but for a tile. Neighbouring parts share their rows, so that a thread
// whose parts are neighbours finds in its cache what it computed of the rows before. How a
// product is cut changes no bit of it.
type Grid struct {
	M, N, K      int
	Down, Across int // bands of rows, and of columns
	Unit         int // columns that stay together
}

// What a part costs beside its products and half a row of them, in which B goes into the
// first cache, in multiply-adds: being claimed, and every step of what follows in each line
// that lies side by side, of up to longest numbers.
const (
	partCost = 16 << 10
	lineCost = 1500
	longest  = 1024
)

// streamed is as many rows as take as long as reading B does; of up to keptBytes a thread
// reads it once.
const (
	streamed  = 3
	keptBytes = 512 << 10
)

// grain is how much work is worth handing out.
const grain = 256 << 10

// mostParts is how many parts a thread gets at most.
const mostParts = 8

// NewGrid returns how up to threads threads share the work.
func NewGrid(w Work, threads int) Grid {
	best := Grid{M: w.M, N: w.N, K: w.K, Down: 1, Across: 1, Unit: Panel}
	if w.InPlace {
		best.Unit = F32.variant().lanes
	}
	if threads <= 1 || w.Products*(w.M+streamed)*w.N*w.K < grain {
		return best
	}
	least := best.cost(&w, threads)
	tiles, units := best.tiles(), best.units()
	for down := 1; down <= tiles && down <= mostParts*threads; down++ {
		for across := 1; across <= units && w.Products*down*across <= mostParts*threads; across++ {
			g := best
			g.Down, g.Across = down, across
			if c := g.cost(&w, threads); c < least {
				best, least = g, c
			}
		}
	}
	return best
}

// cost estimates how long the busiest thread works.
func (g Grid) cost(w *Work, threads int) int {
	bands := g.Down * g.Across
	turns := (w.Products*bands + threads - 1) / threads
	average := g.M * g.N * g.K / bands
	largest := min(g.M, (g.tiles()+g.Down-1)/g.Down*F32.variant().rows) * min(g.N, (g.units()+g.Across-1)/g.Across*g.Unit) * g.K
	reads := turns * g.N * g.K / g.Across * streamed
	if 4*g.N*g.K/g.Across <= keptBytes {
		reads = reads * min(threads, g.Down) / g.Down
	}
	part := average + g.N/g.Across*g.K/2 + g.lines()*w.Steps*lineCost + partCost
	return turns*part + reads + max(0, largest-average) + largest/2
}

// lines returns how many lines a part has: bands of whole rows are one.
func (g Grid) lines() int {
	rows := g.M / g.Down
	if g.Across == 1 {
		return rows*g.N/longest + 1
	}
	return rows * (g.N/g.Across/longest + 1)
}

func (g Grid) tiles() int { return (g.M + F32.variant().rows - 1) / F32.variant().rows }
func (g Grid) units() int { return (g.N + g.Unit - 1) / g.Unit }

// Parts returns how many parts a product has.
func (g Grid) Parts() int { return g.Down * g.Across }

// Grain returns how many parts are worth handing out.
func (g Grid) Grain() int {
	return max(1, grain/max(1, (g.M+streamed)*g.N*g.K/g.Parts()))
}

// Cover returns the rows and columns of the first of the parts [lo, hi) and as many more
// as lie in a rectangle with it, and the part behind them.
func (g Grid) Cover(lo, hi int) (m0, m1, n0, n1, next int) {
	row, column := lo/g.Across, lo%g.Across
	rows, columns := 1, min(g.Across-column, hi-lo)
	if columns == g.Across {
		rows = (hi - lo) / g.Across
	}
	return g.Row(row), g.Row(row + rows), g.Column(column), g.Column(column + columns), lo + rows*columns
}

// Row returns the first row of a band of them; behind the last band, M.
func (g Grid) Row(band int) int { return min(g.M, g.tiles()*band/g.Down*F32.variant().rows) }

// Column returns the first column of a band of them; behind the last band, N.
func (g Grid) Column(band int) int { return min(g.N, g.units()*band/g.Across*g.Unit) }
