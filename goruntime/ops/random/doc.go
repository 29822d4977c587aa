// Package random holds the operators that draw random numbers.
//
// Numbers come from Philox4x32-10 (J. Salmon, M. Moraes, R. Dror, D. Shaw,
// "Parallel random numbers: as easy as 1, 2, 3", 2011), which maps a key and a
// counter to four words of 32 bits. The key is the seed, as the bits of its f32, and
// 0; element i takes word i%4 of counter i/4, or, where it needs 64 bits, the words
// 2i%4 and 2i%4+1 of counter 2i/4. So a seeded output is the same in every run, on
// any number of threads and on every machine: what follows is computed by
// operations that IEEE 754 fixes to the last bit. Without a seed each run takes a
// key of its own.
package random
