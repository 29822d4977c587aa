package elementwise

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// BitwiseAnd, BitwiseOr and BitwiseXor combine the bits of two tensors.
// https://onnx.ai/onnx/operators/onnx__BitwiseAnd.html (BitwiseOr, BitwiseXor)
// Departures: none.
var (
	BitwiseAnd = op.Declare("", "BitwiseAnd", func() op.Def {
		return bitwise(wholesOf(vec.BitAnd,
			rowOf(both[int8]), rowOf(both[int16]), rowOf(both[int32]), rowOf(both[int64]), rowOf(both[uint8]), rowOf(both[uint16]), rowOf(both[uint32]), rowOf(both[uint64])))
	})
	BitwiseOr = op.Declare("", "BitwiseOr", func() op.Def {
		return bitwise(wholesOf(vec.BitOr,
			rowOf(either[int8]), rowOf(either[int16]), rowOf(either[int32]), rowOf(either[int64]), rowOf(either[uint8]), rowOf(either[uint16]), rowOf(either[uint32]), rowOf(either[uint64])))
	})
	BitwiseXor = op.Declare("", "BitwiseXor", func() op.Def {
		return bitwise(wholesOf(vec.BitXor,
			rowOf(unlike[int8]), rowOf(unlike[int16]), rowOf(unlike[int32]), rowOf(unlike[int64]), rowOf(unlike[uint8]), rowOf(unlike[uint16]), rowOf(unlike[uint32]), rowOf(unlike[uint64])))
	})
)

func bitwise(table op.Table) op.Def {
	return op.Def{
		Versions: op.Versions{18: ""}, InPlace: op.AnyInput,
		Shape: broadcastAs(tensor.Undefined), Prepare: preparePair, Run: runPair, DTypes: table,
	}
}

// wholesOf is a table of an operation on bits.
func wholesOf(o vec.Bitwise, i8, i16, i32, i64, u8, u16, u32, u64 row) op.Table {
	return wholes(rowOfBits(o, i8), rowOfBits(o, i16), rowOfBits(o, i32), rowOfBits(o, i64),
		rowOfBits(o, u8), rowOfBits(o, u16), rowOfBits(o, u32), rowOfBits(o, u64))
}

// rowOfBits is the row of an operation on bits; what does not lie side by side goes to
// slow.
func rowOfBits(o vec.Bitwise, slow row) row {
	return func(out, a, b *tensor.View, at, i, j, n, sa, sb int) {
		w := out.DType.Width()
		switch dst := out.Raw()[at*w : (at+n)*w]; {
		case sa == 1 && sb == 1:
			vec.Bits(o, dst, a.Raw()[i*w:(i+n)*w], b.Raw()[j*w:(j+n)*w])
		case sa == 1 && sb == 0 && w == 1:
			vec.Bits(o, dst, a.Raw()[i:i+n], b.Raw()[j:j+1])
		case sa == 0 && sb == 1 && w == 1:
			vec.Bits(o, dst, b.Raw()[j:j+n], a.Raw()[i:i+1])
		default:
			slow(out, a, b, at, i, j, n, sa, sb)
		}
	}
}

func both[T integer](a, b T) T   { return a & b }
func either[T integer](a, b T) T { return a | b }
func unlike[T integer](a, b T) T { return a ^ b }

// wholes is a table for the whole numbers.
func wholes[F any](i8, i16, i32, i64, u8, u16, u32, u64 F) op.Table {
	return op.ByType(map[tensor.DType]F{
		tensor.I8: i8, tensor.I16: i16, tensor.I32: i32, tensor.I64: i64,
		tensor.U8: u8, tensor.U16: u16, tensor.U32: u32, tensor.U64: u64,
	})
}

// BitShift moves the bits of each element of X by the amount in Y. A negative
// amount, or one that is not below the number of bits, leaves the sign alone:
// -1 for a negative number to the right, else 0.
// https://onnx.ai/onnx/operators/onnx__BitShift.html   Departures: none.
var BitShift = op.Declare("", "BitShift", func() op.Def {
	return op.Def{
		Versions: op.Versions{11: "", 28: "signed integers"}, Attrs: op.Attrs(op.Required("direction", op.KindString)),
		InPlace: op.AnyInput, Shape: broadcastAs(tensor.Undefined),
		Prepare: func(c *op.Context) error {
			switch d := c.Attr.Str("direction"); d {
			case "LEFT":
				return prepareFormed(c, 0)
			case "RIGHT":
				return prepareFormed(c, 1)
			default:
				return errs.New(errs.Argument, "direction is %q: it must be LEFT or RIGHT", d)
			}
		},
		Run: runFormed,
		DTypes: wholes(shifts[int8](), shifts[int16](), shifts[int32](), shifts[int64](),
			shifts[uint8](), shifts[uint16](), shifts[uint32](), shifts[uint64]()),
	}
})

func shifts[T integer]() forms {
	return forms{
		shiftRow(rowOf(func(x, y T) T { return x << amount(y) }), func(dst, x []T, by uint64) {
			for k := range dst {
				dst[k] = x[k] << by
			}
		}),
		shiftRow(rowOf(func(x, y T) T { return x >> amount(y) }), func(dst, x []T, by uint64) {
			for k := range dst {
				dst[k] = x[k] >> by
			}
		}),
	}
}

// shiftRow is the row where all elements side by side are shifted by one amount, else
// other.
func shiftRow[T integer](other row, alike func(dst, x []T, by uint64)) row {
	return func(out, a, b *tensor.View, o, i, j, n, sa, sb int) {
		if sa == 1 && sb == 0 {
			alike(tensor.Elems[T](out)[o:o+n], tensor.Elems[T](a)[i:i+n], amount(tensor.Elems[T](b)[j]))
			return
		}
		other(out, a, b, o, i, j, n, sa, sb)
	}
}

// amount makes a negative amount one that is too great.
func amount[T integer](y T) uint64 {
	if y < 0 {
		return 1 << 63
	}
	return uint64(y)
}
