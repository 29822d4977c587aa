package op

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// ProductShape appends to dst the shape of the product of a [Batch..., M, K] and
// b [Batch..., K, N], as numpy.matmul has it: a vector is a row of a, a column of b.
//
// Errors: errs.Shape.
func ProductShape(dst, a, b tensor.Shape) (tensor.Shape, error) {
	if len(a) == 0 || len(b) == 0 {
		return nil, errs.New(errs.Shape, "shapes %v and %v: a scalar cannot be multiplied", a, b)
	}
	if ka, kb := a[len(a)-1], b[max(0, len(b)-2)]; ka != kb {
		return nil, errs.New(errs.Shape, "shapes %v and %v: the inner dimensions %d and %d must be equal", a, b, ka, kb)
	}
	out, err := BroadcastShape(dst, a[:max(0, len(a)-2)], b[:max(0, len(b)-2)])
	if err != nil {
		return nil, err
	}
	if len(a) > 1 {
		out = append(out, a[len(a)-2])
	}
	if len(b) > 1 {
		out = append(out, b[len(b)-1])
	}
	return out, nil
}
