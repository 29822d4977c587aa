// Package signal holds the operators on signals: Fourier transforms, windows,
// the mel scale. All of them compute in float64, whatever the element type.
package signal
