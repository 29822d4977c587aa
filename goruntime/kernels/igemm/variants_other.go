//go:build !amd64 || portable || race

package igemm

var vectorVariants []variant

var elementVariants []elementVariant

var turnVariants []turnVariant

var fewVariants []fewVariant
