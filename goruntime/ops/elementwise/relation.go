package elementwise

import (
	"github.com/goruntime/goruntime/goruntime/kernels/cast"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// relation is a test of two numbers.
type relation = vec.Relation

const (
	equal   = vec.Equal
	more    = vec.More
	less    = vec.Less
	notLess = vec.NotLess
	notMore = vec.NotMore
)

// relations is a table of a test for all numbers, the 16-bit floats as float32.
func relations(r relation) op.Table {
	return wholes(related[int8](r), related[int16](r), related[int32](r), related[int64](r),
		related[uint8](r), related[uint16](r), related[uint32](r), related[uint64](r)).And(op.ByType(map[tensor.DType]row{
		tensor.F32: related[float32](r), tensor.F64: related[float64](r),
		tensor.F16: relatedHalf[tensor.Half](r), tensor.BF16: relatedHalf[tensor.BFloat16](r),
	}))
}

func related[T number](r relation) row {
	return func(out, a, b *tensor.View, o, i, j, n, sa, sb int) {
		dst := tensor.Elems[bool](out)[o : o+n]
		x, y := tensor.Elems[T](a)[i:i+(n-1)*sa+1], tensor.Elems[T](b)[j:j+(n-1)*sb+1]
		switch {
		case sa == 0 && sb == 1:
			vec.Relate(mirrored[r], dst, y, x[:1])
		case sa == 1 && sb == 0:
			vec.Relate(r, dst, x, y[:1])
		case sa == 1 && sb == 1:
			vec.Relate(r, dst, x, y)
		default:
			relate(r, dst, x, y, sa, sb)
		}
	}
}

// mirrored is the relation of b to a.
var mirrored = [...]relation{equal: equal, more: less, less: more, notLess: notMore, notMore: notLess}

func relate[T number](r relation, dst []bool, x, y []T, sa, sb int) {
	switch r {
	case equal:
		for k := range dst {
			dst[k] = x[k*sa] == y[k*sb]
		}
	case more:
		for k := range dst {
			dst[k] = x[k*sa] > y[k*sb]
		}
	case less:
		for k := range dst {
			dst[k] = x[k*sa] < y[k*sb]
		}
	case notLess:
		for k := range dst {
			dst[k] = x[k*sa] >= y[k*sb]
		}
	case notMore:
		for k := range dst {
			dst[k] = x[k*sa] <= y[k*sb]
		}
	}
}

// relatedHalf relates blocks of elements as float32s.
func relatedHalf[H cast.Half](relation relation) row {
	return func(out, a, b *tensor.View, o, i, j, n, sa, sb int) {
		dst := tensor.Elems[bool](out)[o : o+n]
		x, y := tensor.Elems[H](a)[i:], tensor.Elems[H](b)[j:]
		test := relation
		if sa == 0 { // the one number goes last
			x, y, sa, sb, test = y, x, sb, sa, mirrored[relation]
		}
		var left, right [block]float32
		for len(dst) > 0 {
			part := dst[:min(block, len(dst))]
			l, r := left[:len(part)], right[:len(part)]
			if sb == 0 {
				r = r[:1]
			}
			x = widen(l, x, sa)
			y = widen(r, y, sb)
			vec.Relate(test, part, l, r)
			dst = dst[len(part):]
		}
	}
}
