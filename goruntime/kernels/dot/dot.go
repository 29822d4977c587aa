// Package dot adds up products of float32s in float64, for rows of numbers that meet the
// same factors.
//
// The order of the additions depends on the number of products alone, so that the same
// numbers give the same bits wherever they lie and whatever they are computed with. A sum
// allocates nothing.
package dot

// lanes is how many sums are added up side by side; product i belongs to lane i modulo
// lanes.
const lanes = 16

// Factors are rows of factors.
type Factors struct {
	rows, n int
	padded  int       // n, as a multiple of lanes
	list    []float64 // [rows, padded], zeros behind the n of a row
}

// NewFactors returns rows of n factors each: those of row k begin at list[k*step].
func NewFactors(list []float32, rows, n, step int) Factors {
	f := Factors{rows: rows, n: n, padded: (n + lanes - 1) / lanes * lanes}
	f.list = make([]float64, rows*f.padded)
	for k := range rows {
		for i, y := range list[k*step:][:n] {
			f.list[k*f.padded+i] = float64(y)
		}
	}
	return f
}

// Rows returns the number of sums that Sums gives for a row.
func (f *Factors) Rows() int { return f.rows }

// Sums writes the sum of each row of x with each row of factors to out [rows, f.Rows()].
// Rows of x begin step numbers apart. Each product is exact.
func (f *Factors) Sums(out []float64, x []float32, rows, step int) {
	if rows == 0 || f.rows == 0 {
		return
	}
	if f.n == 0 {
		clear(out[:rows*f.rows])
		return
	}
	_ = x[:(rows-1)*step+f.n]
	f.sums(out[:rows*f.rows], x, rows, step)
}

// portable is the definition of sums: a sum for each lane, which are then halved until one
// is left.
func (f *Factors) portable(out []float64, x []float32, rows, step int) {
	for r := range rows {
		row := x[r*step:][:f.n]
		for k := range f.rows {
			out[r*f.rows+k] = portable(row, f.list[k*f.padded:][:f.n])
		}
	}
}

func portable(x []float32, y []float64) float64 {
	var sums [lanes]float64
	for i, v := range x {
		sums[i%lanes] += float64(float64(v) * y[i])
	}
	for half := lanes / 2; half > 0; half /= 2 {
		for i := range half {
			sums[i] += sums[i+half]
		}
	}
	return sums[0]
}
