// Package load asks a Flight server for answers as fast as it gives them, and measures.
// It is the client of goruntime bench-serve, and works against any server that scores
// by DoExchange as ours does.
//
// A batch is made once for the schema that the server describes and its bytes are sent
// again and again; of an answer the client keeps nothing. So what is measured is the
// server. Every stream has a connection of its own, as clients on other machines have.
//
// Its invariants: the first answer of a stream is read as Arrow and must have the rows
// of the batch; all later ones must be it, byte for byte; an answer that is anything
// else is an error, not a number in a table.
package load
