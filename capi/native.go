//go:build pyext

package main

// The Python extension: the native_*.c files of this folder, compiled in under
// the tag pyext. Include paths of Python and NumPy come from the environment.

// #cgo CFLAGS: -Wno-missing-field-initializers -Wno-cast-function-type -fvisibility=hidden
import "C"
