// Package elementwise holds the operators that compute each output element from
// the input elements at the same place, after broadcasting.
package elementwise
