// Package ortengine is ONNX Runtime as an engine: whole models run there, under the
// arenas, leases, limits and counters of a session.
//
// The library, libonnxruntime, is no part of the program: it is loaded when the first
// session asks for it, once in a process, and stays. Programs that want it are built
// with the tag ort and cgo; in others Load says so. The bindings are those of
// github.com/yalue/onnxruntime_go. Their tensors refuse shapes without dimensions or
// without elements, and each of their calls is a crossing into C, so a run goes through
// shim.c, which makes the same calls of the same C layer in one crossing.
//
// An input is lent to the library where it lies; strings, and numbers at odd addresses,
// are copied and counted. An output whose shape the model's declaration or the shape
// rules of the operators settle is a block of the I/O arena that the library writes to.
// Any other is memory of the library, which the arena adopts: the value that owns it
// is released when the last lease ends, which may be long after the session.
//
// What the library keeps inside is not seen from here: inner values, plans, traces,
// the memory of intermediates. Asking for them is an error.
//
// Invariants: the library is never unloaded; a frame is used by one run at a time; no
// pointer to Go memory stays in C after a run.
package ortengine
