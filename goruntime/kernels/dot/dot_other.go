//go:build !amd64 || portable || race

package dot

func rows(x, y []float32) float64 { return portable(x, y) }
