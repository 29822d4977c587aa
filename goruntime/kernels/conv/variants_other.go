//go:build !amd64 || portable || race

package conv

var vectorVariants []variant
