package tensor

// Item returns element i for people to read: a bool, a string, an int64, a uint64,
// a float32 (of the narrower types too), a float64 or a complex128. For types below a
// byte i counts elements too.
func (v *View) Item(i int) any { return items[v.DType](v, i) }

var items = [NumDTypes]func(*View, int) any{
	F32: item(func(x float32) any { return x }), F64: item(func(x float64) any { return x }),
	F16:  item(func(x Half) any { return x.Float32() }),
	BF16: item(func(x BFloat16) any { return x.Float32() }),
	I8:   item(func(x int8) any { return int64(x) }), I16: item(func(x int16) any { return int64(x) }),
	I32: item(func(x int32) any { return int64(x) }), I64: item(func(x int64) any { return x }),
	U8: item(func(x uint8) any { return uint64(x) }), U16: item(func(x uint16) any { return uint64(x) }),
	U32: item(func(x uint32) any { return uint64(x) }), U64: item(func(x uint64) any { return x }),
	Bool: item(func(x bool) any { return x }), Str: item(func(x string) any { return x }),
	C64: item(func(x complex64) any { return complex128(x) }), C128: item(func(x complex128) any { return x }),
	F8E4M3FN: small, F8E4M3UZ: small, F8E5M2: small, F8E5M2UZ: small, F8E8M0: small, F4E2M1: small, F6E2M3: small, F6E3M2: small,
	U4: func(v *View, i int) any { return uint64(v.code(i)) }, U2: func(v *View, i int) any { return uint64(v.code(i)) },
	I4: func(v *View, i int) any { return int64(int8(v.code(i)<<4) >> 4) },
	I2: func(v *View, i int) any { return int64(int8(v.code(i)<<6) >> 6) },
}

func item[T any](f func(T) any) func(*View, int) any {
	return func(v *View, i int) any { return f(Elems[T](v)[i]) }
}

func small(v *View, i int) any { return SmallOf(v.DType).Value(v.code(i)) }

// code returns the bits of element i of a type of at most a byte.
func (v *View) code(i int) uint8 {
	return Code(v.Raw(), i, v.DType.Bits())
}
