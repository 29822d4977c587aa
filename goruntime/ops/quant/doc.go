// Package quant holds the operators on quantized numbers: between floating point
// and small integers, and products and convolutions of integers.
//
// Sums of products of 8-bit numbers are exact modulo 2^32 whatever the kernel.
package quant
