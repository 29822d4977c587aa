package tensor

import "fmt"

// DType is the element type of a tensor. The numbers are those of ONNX's
// TensorProto.DataType (onnx.proto), so that models, C and Python need no
// translation.
type DType uint8

// The element types of ONNX 1.23. Undefined is no type.
const (
	Undefined DType = 0
	F32       DType = 1
	U8        DType = 2
	I8        DType = 3
	U16       DType = 4
	I16       DType = 5
	I32       DType = 6
	I64       DType = 7
	Str       DType = 8
	Bool      DType = 9
	F16       DType = 10
	F64       DType = 11
	U32       DType = 12
	U64       DType = 13
	C64       DType = 14 // complex of two f32
	C128      DType = 15 // complex of two f64
	BF16      DType = 16
	F8E4M3FN  DType = 17
	F8E4M3UZ  DType = 18 // float8e4m3fnuz
	F8E5M2    DType = 19
	F8E5M2UZ  DType = 20 // float8e5m2fnuz
	U4        DType = 21
	I4        DType = 22
	F4E2M1    DType = 23
	F8E8M0    DType = 24
	U2        DType = 25
	I2        DType = 26
	F6E2M3    DType = 27
	F6E3M2    DType = 28

	// NumDTypes bounds arrays that are indexed by DType.
	NumDTypes = 29

	// Other marks a value that is no tensor: a sequence, an optional or a map
	// (package values). It is no element type and indexes no table.
	Other DType = 255
)

type dtypeInfo struct {
	name string // our short name
	onnx string // the name inside "tensor(...)" in the operator schemas
	bits int    // bits an element takes in memory
}

// A string element is 16 bytes {address, length}. Types below a byte are
// packed, the first element in the low bits, as in TensorProto.raw_data.
var dtypes = [256]dtypeInfo{
	Undefined: {"undefined", "", 0},
	F32:       {"f32", "float", 32}, U8: {"u8", "uint8", 8}, I8: {"i8", "int8", 8},
	U16: {"u16", "uint16", 16}, I16: {"i16", "int16", 16}, I32: {"i32", "int32", 32},
	I64: {"i64", "int64", 64}, Str: {"str", "string", 128}, Bool: {"bool", "bool", 8},
	F16: {"f16", "float16", 16}, F64: {"f64", "double", 64}, U32: {"u32", "uint32", 32},
	U64: {"u64", "uint64", 64}, C64: {"c64", "complex64", 64}, C128: {"c128", "complex128", 128},
	BF16: {"bf16", "bfloat16", 16}, F8E4M3FN: {"f8e4m3fn", "float8e4m3fn", 8},
	F8E4M3UZ: {"f8e4m3fnuz", "float8e4m3fnuz", 8}, F8E5M2: {"f8e5m2", "float8e5m2", 8},
	F8E5M2UZ: {"f8e5m2fnuz", "float8e5m2fnuz", 8}, U4: {"u4", "uint4", 4}, I4: {"i4", "int4", 4},
	F4E2M1: {"f4e2m1", "float4e2m1", 4}, F8E8M0: {"f8e8m0", "float8e8m0", 8},
	U2: {"u2", "uint2", 2}, I2: {"i2", "int2", 2},
	F6E2M3: {"f6e2m3", "float6e2m3", 6}, F6E3M2: {"f6e3m2", "float6e3m2", 6},
	Other: {"no tensor", "", 0},
}

// String returns the short name: f32, i64, bool, ...
func (d DType) String() string {
	if name := dtypes[d].name; name != "" {
		return name
	}
	return fmt.Sprintf("dtype(%d)", uint8(d))
}

// ONNX returns the name that the operator schemas use inside "tensor(...)":
// float, int64, float8e4m3fn, ...
func (d DType) ONNX() string {
	return dtypes[d].onnx
}

// ParseONNX returns the DType that the schemas call name, or Undefined.
func ParseONNX(name string) DType {
	for d := F32; d < NumDTypes; d++ {
		if dtypes[d].onnx == name {
			return d
		}
	}
	return Undefined
}

// Valid reports whether d is one of the element types above but Undefined.
func (d DType) Valid() bool { return d > Undefined && d < NumDTypes }

// Bits returns the bits that an element takes in memory: 2 to 128.
func (d DType) Bits() int { return dtypes[d].bits }

// Bytes returns how many bytes n elements of d take; elements below a byte are
// packed and the last byte is padded with zero bits.
func (d DType) Bytes(n int) int { return (n*dtypes[d].bits + 7) / 8 }

// Align returns the alignment in bytes that an element of d has in Go and in
// NumPy.
func (d DType) Align() int {
	switch b := dtypes[d].bits; {
	case d == C64:
		return 4
	case b > 64:
		return 8
	case b <= 8:
		return 1
	default:
		return b / 8
	}
}

// Float reports whether d is a floating-point type of any width.
func (d DType) Float() bool {
	return classOf[d] == classFloat
}

// Half reports whether d is a floating-point type of 16 bits.
func (d DType) Half() bool { return d == F16 || d == BF16 }

// Integer reports whether d is a signed or unsigned integer (bool is not).
func (d DType) Integer() bool { return classOf[d] == classSigned || classOf[d] == classUnsigned }

// Signed reports whether d is a signed integer.
func (d DType) Signed() bool { return classOf[d] == classSigned }

// Unsigned reports whether d is an unsigned integer.
func (d DType) Unsigned() bool { return classOf[d] == classUnsigned }

type class uint8

const (
	classOther class = iota
	classFloat
	classSigned
	classUnsigned
)

var classOf = [256]class{
	F16: classFloat, BF16: classFloat, F32: classFloat, F64: classFloat,
	F8E4M3FN: classFloat, F8E4M3UZ: classFloat, F8E5M2: classFloat, F8E5M2UZ: classFloat,
	F4E2M1: classFloat, F6E2M3: classFloat, F6E3M2: classFloat, F8E8M0: classFloat,
	I2: classSigned, I4: classSigned, I8: classSigned, I16: classSigned, I32: classSigned, I64: classSigned,
	U2: classUnsigned, U4: classUnsigned, U8: classUnsigned, U16: classUnsigned, U32: classUnsigned, U64: classUnsigned,
}
