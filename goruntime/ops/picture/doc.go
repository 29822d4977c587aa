// Package picture holds the operator that reads image files. Libraries decode the
// files; what this package adds are the colours: the chroma samples between those that
// a file has, and the arithmetic from luma and chroma to red, green and blue, as the
// reference decoders of JPEG and WebP have them.
package picture
