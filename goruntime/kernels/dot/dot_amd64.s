//go:build !portable && !race

#include "textflag.h"

// FOUR adds the products of the four numbers at an offset to SUM. A product of two
// float32s is exact in float64, so that the fused addition rounds like one alone.
#define FOUR(AT, SUM) \
	VCVTPS2PD AT(SI), Y4; \
	VCVTPS2PD AT(DI), Y5; \
	VFMADD231PD Y4, Y5, SUM

// func rows16(x, y unsafe.Pointer, n int) float64
TEXT ·rows16(SB), NOSPLIT, $0-32
	MOVQ x+0(FP), SI
	MOVQ y+8(FP), DI
	MOVQ n+16(FP), CX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
row:
	FOUR(0, Y0)
	FOUR(16, Y1)
	FOUR(32, Y2)
	FOUR(48, Y3)
	ADDQ $64, SI
	ADDQ $64, DI
	DECQ CX
	JNZ row
	VADDPD Y2, Y0, Y0
	VADDPD Y3, Y1, Y1
	VADDPD Y1, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDPD X1, X0, X0
	VUNPCKHPD X0, X0, X1
	VADDSD X1, X0, X0
	VZEROUPPER
	MOVSD X0, ret+24(FP)
	RET
