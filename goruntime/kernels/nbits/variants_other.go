//go:build !amd64 || portable || race

package nbits

var vectorVariants []variant
