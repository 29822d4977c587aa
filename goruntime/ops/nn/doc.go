// Package nn holds the operators of neural networks: convolution, pooling,
// normalization, recurrence.
package nn
