//go:build !amd64 || portable || race

package dot

func (f *Factors) sums(out []float64, x []float32, rows, step int) { f.portable(out, x, rows, step) }
