//go:build !amd64 || portable || race

package gemm

var vectors [elements][]variant
