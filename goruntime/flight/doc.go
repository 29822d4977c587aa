// Package flight is the Arrow Flight server: it scores record batches that clients
// of any language send by DoExchange. No client library of ours is needed.
//
// A model is named by the descriptor's path, [NAME] or [NAME, VERSION]. The client
// sends one schema, then batches; answers come in order, each with the app metadata of
// its batch. Repository finds models in a folder, a gate bounds what runs and waits,
// a batcher runs requests of several clients together where the manifest says so.
//
// Clients of ADBC, which speaks Flight SQL, score by prepared statements whose query is
// a model and whose parameters are the batches.
//
// Its invariants: what a request holds is given back when its stream ends, however it
// ends; a refusal is a gRPC status that says why; a model that is replaced serves the
// streams that began with it until they end.
package flight
