// Package arrowio turns Arrow record batches into the feeds of a model and results
// into record batches. Nothing that can be lent is copied; what must be is counted.
//
// What a column costs:
//
//	non-null numbers, also sliced                       0
//	fixed_size_list of numbers, nested too; tensors     0
//	list, large_list whose lists are equally long       0, after a look at the offsets
//	utf8, large_utf8, string_view, dictionaries of them views of their bytes
//	K columns of one type for one input [N, K]          0 where all that reads it takes
//	                                                    columns, else 1 (interleave)
//	nulls, with a fill value, of lists and in them too  1 (nulls)
//	booleans                                            1 (bits)
//	another element type that the manifest allows       1 (conversion)
//	requests that run together (Join)                   0 where all that reads them takes
//	                                                    columns, or parts of rows of any
//	                                                    shape, else 1 (coalesce)
//
// Results become arrays whose buffers are blocks of the I/O arena: the last release
// of the last slice gives the block back. Booleans are packed (bits) and strings put side
// by side (conversion), a copy each.
//
// Its invariants: a batch is validated before any of it is lent, since neither Arrow's
// readers nor Flight look inside; what a run reads lives until Feeds.Release.
package arrowio
