// Package optest runs operators in tests without a session: it infers, prepares
// and runs a Def on given tensors through a small op.Runtime, in every way in
// which exec may run it, and compares with the expected tensors.
//
// The ways are: all inputs constant; values known only during the run; tensors
// at odd addresses; loops split in two halves that run at once; loops run one
// iteration at a time, backwards; a second run on the same State with all
// tensors moved; output 0 in the memory of each input that the Def's InPlace
// names; where the Def takes columns, input 0 as columns, which give the bits of the
// dense run. Every way checks that inputs are not written and that nothing is
// written beside the outputs. Where the shapes of the outputs are known before,
// Run must not allocate Go memory.
package optest
