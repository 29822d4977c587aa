// Package attention holds the operators of attention: scaled dot products with
// masks, caches and heads that share keys, rotary positions and linear attention.
//
// Sums are of float32, of float64 for f64; halves are widened first and rounded
// once at the end. A row of the result does not depend on the other rows.
package attention
