// Package op is how an operator is written: Declare and Def (the declaration),
// Infer (what a shape rule sees), Context (what a kernel sees), Attrs (typed
// attributes), Table (kernels by element type), Rows (the rows of a matrix, however it
// lies) and Derive (what follows of the attributes alone, made once).
//
// It is not where operators are (ops/...) nor how they are run (exec). Its
// invariants: shape rules see only complete shapes; kernels write only to the
// outputs and the memory that their Context gives them, never to an input;
// nothing of a Context is kept after the call.
package op
