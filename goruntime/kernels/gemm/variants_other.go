//go:build !amd64 || portable || race

package gemm

var vectorVariants []variant
