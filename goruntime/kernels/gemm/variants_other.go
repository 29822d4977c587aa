//go:build (!amd64 && !arm64) || portable || race

package gemm

var vectors [elements][]variant
