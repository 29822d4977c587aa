//go:build !amd64 || portable || race

package cast

var variants []variant
