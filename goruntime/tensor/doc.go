// Package tensor holds what a tensor is: element types, shapes, borrowed views
// and owned tensors, the other kinds of values (sequences, optionals, maps) and
// the numbers that Go has no type for (float16, bfloat16, float8, 4-bit).
//
// It holds no operator and allocates no element memory: that comes from arenas.
// Tensors are always dense, row-major and in native byte order.
package tensor
