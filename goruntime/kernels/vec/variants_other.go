//go:build !amd64 || portable || race

package vec

var vectorVariants []variant
