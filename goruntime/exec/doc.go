// Package exec runs graphs: Session holds a compiled model, its arenas and its
// specializations; a Call is one run of it, with what it is fed and what it gives.
//
// What runs a model is an Engine; the rest of this package, from here on, is the
// runtime's own.
//
// A unit is a graph with the values wanted from it. Each signature of input
// types and shapes gets a program (a specialization): the walk over the graph
// evaluates what the shapes decide, puts the branch of a decided If in its
// place, turns same-memory operators into renames, fuses steps, and asks package plan
// where everything lives. Whether a matrix that is fed lies as columns or in parts is
// part of the signature. A frame is a program's mutable half, used by one run at a
// time: tensors bound to memory, contexts with prepared kernels. Running a
// prepared frame allocates nothing.
//
// Invariants: a program is never changed after it was made; a frame is owned by
// one run; a handle is owned by one buffer of one frame, or by a Result.
package exec
