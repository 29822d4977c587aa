//go:build !amd64 || portable || race

package igemm

var vectorVariants []variant
