// Package index holds the operators that pick or place elements by index or
// range: Gather, Slice and their kin.
package index
