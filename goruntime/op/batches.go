package op

import "github.com/goruntime/goruntime/goruntime/tensor"

// BatchOffsets returns, for each item of the broadcast shape batch, where the
// item of a tensor with the leading dimensions s lies whose items are size
// elements apart: matrices of a product that broadcasts.
func BatchOffsets(batch, s tensor.Shape, size int) []int {
	list := make([]int, batch.Elements())
	for i := range list {
		at, step, rest := 0, 1, i
		for d := 1; d <= len(s); d++ {
			full := batch[len(batch)-d]
			x := rest % full
			rest /= full
			if own := s[len(s)-d]; own > 1 {
				at += x * step
			}
			step *= s[len(s)-d]
		}
		list[i] = at * size
	}
	return list
}
