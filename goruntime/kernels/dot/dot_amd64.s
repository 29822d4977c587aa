//go:build !portable && !race

#include "textflag.h"

// WIDEN reads sixteen float32s of a row as float64s.
#define WIDEN \
	VCVTPS2PD 0(AX), Y8; \
	VCVTPS2PD 16(AX), Y9; \
	VCVTPS2PD 32(AX), Y10; \
	VCVTPS2PD 48(AX), Y11

// LAST is WIDEN for those that a mask has; the others are zeros.
#define LAST(AT, X, Y) \
	VMOVUPS AT(DX), X12; \
	VMASKMOVPS AT(AX), X12, X; \
	VCVTPS2PD X, Y

// PRODUCTS adds the products with sixteen factors to four sums. A product of two float32s
// is exact in float64, so that the fused addition rounds like one alone.
#define PRODUCTS(Y, S0, S1, S2, S3) \
	VFMADD231PD 0(Y), Y8, S0; \
	VFMADD231PD 32(Y), Y9, S1; \
	VFMADD231PD 64(Y), Y10, S2; \
	VFMADD231PD 96(Y), Y11, S3

// FOLD halves sixteen sums until two are left.
#define FOLD(S0, S1, S2, S3, LOW) \
	VADDPD S2, S0, S0; \
	VADDPD S3, S1, S1; \
	VADDPD S1, S0, S0; \
	VEXTRACTF128 $1, S0, X12; \
	VADDPD X12, LOW, LOW

// func sums2(b *block)
TEXT ·sums2(SB), NOSPLIT, $0-8
	MOVQ b+0(FP), R8
	MOVQ 0(R8), SI
	MOVQ 16(R8), R10
	MOVQ 48(R8), R9
	MOVQ 64(R8), DX
row:
	MOVQ 24(R8), DI
	MOVQ 40(R8), R11
two:
	CMPQ R11, $2
	JLT one
	MOVQ DI, BX
	MOVQ DI, R12
	ADDQ 32(R8), R12
	MOVQ R12, DI
	ADDQ 32(R8), DI
	MOVQ SI, AX
	MOVQ 56(R8), CX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7
	TESTQ CX, CX
	JZ twolast
twowhole:
	WIDEN
	PRODUCTS(BX, Y0, Y1, Y2, Y3)
	PRODUCTS(R12, Y4, Y5, Y6, Y7)
	ADDQ $64, AX
	ADDQ $128, BX
	ADDQ $128, R12
	DECQ CX
	JNZ twowhole
twolast:
	TESTQ DX, DX
	JZ twofold
	LAST(0, X8, Y8)
	LAST(16, X9, Y9)
	LAST(32, X10, Y10)
	LAST(48, X11, Y11)
	PRODUCTS(BX, Y0, Y1, Y2, Y3)
	PRODUCTS(R12, Y4, Y5, Y6, Y7)
twofold:
	FOLD(Y0, Y1, Y2, Y3, X0)
	FOLD(Y4, Y5, Y6, Y7, X4)
	VUNPCKLPD X4, X0, X1
	VUNPCKHPD X4, X0, X2
	VADDPD X2, X1, X1
	VMOVUPD X1, 0(R9)
	ADDQ $16, R9
	SUBQ $2, R11
	JMP two
one:
	TESTQ R11, R11
	JZ next
	MOVQ DI, BX
	MOVQ SI, AX
	MOVQ 56(R8), CX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	TESTQ CX, CX
	JZ onelast
onewhole:
	WIDEN
	PRODUCTS(BX, Y0, Y1, Y2, Y3)
	ADDQ $64, AX
	ADDQ $128, BX
	DECQ CX
	JNZ onewhole
onelast:
	TESTQ DX, DX
	JZ onefold
	LAST(0, X8, Y8)
	LAST(16, X9, Y9)
	LAST(32, X10, Y10)
	LAST(48, X11, Y11)
	PRODUCTS(BX, Y0, Y1, Y2, Y3)
onefold:
	FOLD(Y0, Y1, Y2, Y3, X0)
	VUNPCKHPD X0, X0, X1
	VADDSD X1, X0, X0
	VMOVSD X0, 0(R9)
	ADDQ $8, R9
next:
	ADDQ 8(R8), SI
	DECQ R10
	JNZ row
	VZEROUPPER
	RET

// The same by vectors of eight.

#define WIDEN8 \
	VCVTPS2PD 0(AX), Z8; \
	VCVTPS2PD 32(AX), Z9

#define LAST8 \
	VCVTPS2PD.Z 0(AX), K1, Z8; \
	VCVTPS2PD.Z 32(AX), K2, Z9

#define PRODUCTS8(Y, S0, S1) \
	VFMADD231PD 0(Y), Z8, S0; \
	VFMADD231PD 64(Y), Z9, S1

#define FOLD8(S0, S1, Y0, Y1, LOW) \
	VADDPD S1, S0, S0; \
	VEXTRACTF64X4 $1, S0, Y1; \
	VADDPD Y1, Y0, Y0; \
	VEXTRACTF128 $1, Y0, X12; \
	VADDPD X12, LOW, LOW

// func sums2by8(b *block)
TEXT ·sums2by8(SB), NOSPLIT, $0-8
	MOVQ b+0(FP), R8
	MOVQ 0(R8), SI
	MOVQ 16(R8), R10
	MOVQ 48(R8), R9
	MOVQ 72(R8), DX
	KMOVW DX, K1
	MOVQ DX, CX
	SHRQ $8, CX
	KMOVW CX, K2
row:
	MOVQ 24(R8), DI
	MOVQ 40(R8), R11
two:
	CMPQ R11, $2
	JLT one
	MOVQ DI, BX
	MOVQ DI, R12
	ADDQ 32(R8), R12
	MOVQ R12, DI
	ADDQ 32(R8), DI
	MOVQ SI, AX
	MOVQ 56(R8), CX
	VXORPD X0, X0, X0
	VXORPD X1, X1, X1
	VXORPD X4, X4, X4
	VXORPD X5, X5, X5
	TESTQ CX, CX
	JZ twolast
twowhole:
	WIDEN8
	PRODUCTS8(BX, Z0, Z1)
	PRODUCTS8(R12, Z4, Z5)
	ADDQ $64, AX
	ADDQ $128, BX
	ADDQ $128, R12
	DECQ CX
	JNZ twowhole
twolast:
	TESTQ DX, DX
	JZ twofold
	LAST8
	PRODUCTS8(BX, Z0, Z1)
	PRODUCTS8(R12, Z4, Z5)
twofold:
	FOLD8(Z0, Z1, Y0, Y1, X0)
	FOLD8(Z4, Z5, Y4, Y5, X4)
	VUNPCKLPD X4, X0, X1
	VUNPCKHPD X4, X0, X2
	VADDPD X2, X1, X1
	VMOVUPD X1, 0(R9)
	ADDQ $16, R9
	SUBQ $2, R11
	JMP two
one:
	TESTQ R11, R11
	JZ next
	MOVQ DI, BX
	MOVQ SI, AX
	MOVQ 56(R8), CX
	VXORPD X0, X0, X0
	VXORPD X1, X1, X1
	TESTQ CX, CX
	JZ onelast
onewhole:
	WIDEN8
	PRODUCTS8(BX, Z0, Z1)
	ADDQ $64, AX
	ADDQ $128, BX
	DECQ CX
	JNZ onewhole
onelast:
	TESTQ DX, DX
	JZ onefold
	LAST8
	PRODUCTS8(BX, Z0, Z1)
onefold:
	FOLD8(Z0, Z1, Y0, Y1, X0)
	VUNPCKHPD X0, X0, X1
	VADDSD X1, X0, X0
	VMOVSD X0, 0(R9)
	ADDQ $8, R9
next:
	ADDQ 8(R8), SI
	DECQ R10
	JNZ row
	VZEROUPPER
	RET
