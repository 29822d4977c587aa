// Package goruntime runs ONNX models in Go, without cgo, and its results own
// their memory. This page is the tour: the life of one run, from bytes to array.
//
// # From bytes to a session
//
// Package onnx maps the model file (package mapped) and reads its wire format
// into Model, Graph and Node. Nothing is copied: names and tensors alias the
// map. Package schema knows the official operators; package graph writes out
// gradients (package gradient), replaces names by numbers, inlines functions, puts
// nodes in order and finds for each its op.Def: what the operator's file in ops/...
// declares by op.Declare, written down when the first model asks for it. A model that
// needs what is not there fails here, with all of it listed. The result is an
// exec.Session.
//
// # From shapes to a program
//
// The first run with inputs of certain types and shapes makes a specialization.
// exec walks the graph once: shape rules give the shape of every value, what the
// shapes decide is computed now (the arithmetic of Shape, Gather, Concat), an If
// whose condition is known is replaced by its branch, operators that only give
// memory another shape become names, elementwise steps and normalizations that nobody
// looks between are fused (kernels/chain), kernels pack constant weights. Package
// plan, a pure function, then decides where every value lives: it leaves the run (the
// I/O arena), or dies in it (an offset in one slab of the execution arena), or
// is written over an input that dies, or where a later step joins it to others. Eight specializations are kept.
//
// # From feeds to results
//
// A run takes a frame of its specialization, points it at the caller's inputs,
// takes one slab and the memory of the outputs (package arena), and calls the
// kernels in order. Kernels in kernels/... are generated assembly with a plain
// twin; they split their work over the threads of package pool. A kernel's
// output is at its final place from the start. In steady state a run allocates
// nothing, neither from the system nor from the Go heap.
//
// A matrix that is fed may lie as columns, those of a record batch, or in parts, those
// of requests that run together: operators that take it so (op.Def.Columns) read it in
// place, for others a step gathers its rows.
//
// Sequences, optionals and maps (package values) are counted trees of tensors; loops
// run their bodies as units of their own and move what they carry by handle.
//
// # From results to leases
//
// What leaves the run moves by handle: no byte is copied. A lease (package
// lease) is a counted header outside the Go heap. Whoever drops the last
// reference, in Go or in C, puts the block on its arena's return list, where the
// next run finds it. Session, context and arenas may be long gone by then.
//
// # Another engine
//
// What runs a model is an exec.Engine. The pages above are the runtime's own; package
// ortengine runs whole models in ONNX Runtime, under the same sessions, arenas and leases.
//
// # Around the core
//
// capi exports this to C and holds the Python extension; package pyapi is the
// control plane that gopy wraps. Package arrowio reads feeds out of Arrow record
// batches and makes batches of results; package flight serves models to Arrow Flight
// clients, and cmd/goruntime is the command that does so. Errors are errs.Error
// everywhere, with a code that C and Python share. Decisions and what they cost are
// in RATIONALE.md; internal/lint checks the rules of the house.
package goruntime
