//go:build (!amd64 && !arm64) || portable || race

package conv

var vectorVariants []variant
