// Package reduce holds the operators that fold dimensions into one number: the
// Reduce family over any set of axes (reduce.go plans, accumulate.go computes)
// and ArgMax and ArgMin over one.
//
// A result depends on the shape and the axes alone, never on how a loop is
// split: each output is folded by one chunk in one order.
package reduce
