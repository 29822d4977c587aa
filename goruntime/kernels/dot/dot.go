// Package dot adds up products of float32s in float64.
//
// The order of the additions depends on the number of products alone, so that the same
// numbers give the same bits wherever they lie. It allocates nothing.
package dot

// lanes is how many sums are added up side by side, of whole rows of so many products.
const lanes = 16

// Wide returns the sum of x[i]*y[i] over the numbers of x; y has as many. Each product is
// exact.
func Wide(x, y []float32) float64 {
	whole := len(x) / lanes * lanes
	y = y[:len(x)]
	sum := rows(x[:whole], y[:whole])
	for i := whole; i < len(x); i++ {
		sum += float64(float64(x[i]) * float64(y[i]))
	}
	return sum
}

// portable is the definition of rows: a sum for each lane, which are then halved until one
// is left.
func portable(x, y []float32) float64 {
	var sums [lanes]float64
	for len(x) >= lanes {
		for i := range sums {
			sums[i] += float64(float64(x[i]) * float64(y[i]))
		}
		x, y = x[lanes:], y[lanes:]
	}
	for half := lanes / 2; half > 0; half /= 2 {
		for i := range half {
			sums[i] += sums[i+half]
		}
	}
	return sums[0]
}
