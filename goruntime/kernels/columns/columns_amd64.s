//go:build !portable && !race

#include "textflag.h"

// PAIRS puts the numbers of two columns side by side, LO those of the even pairs.
#define PAIRS(A, B, LO, HI) \
	VUNPCKLPS B, A, LO; \
	VUNPCKHPS B, A, HI

// QUADS puts pairs of numbers side by side.
#define QUADS(A, B, LO, HI) \
	VUNPCKLPD B, A, LO; \
	VUNPCKHPD B, A, HI

// ROWS writes the two rows that lie in the halves of A and B: the first at SI, the
// other at R13.
#define ROWS(A, B) \
	VPERM2F128 $0x20, B, A, Y14; \
	VPERM2F128 $0x31, B, A, Y15; \
	VMOVUPS Y14, (SI); \
	VMOVUPS Y15, (R13); \
	ADDQ DI, SI; \
	ADDQ DI, R13

// func turn8x4(dst unsafe.Pointer, from *unsafe.Pointer, offset, stride, rows int)
TEXT ·turn8x4(SB), $128-40
	MOVQ dst+0(FP), SI
	MOVQ from+8(FP), R13
	MOVQ offset+16(FP), R12
	MOVQ stride+24(FP), DI
	MOVQ 0(R13), AX
	MOVQ 8(R13), BX
	MOVQ 16(R13), CX
	MOVQ 24(R13), DX
	MOVQ 32(R13), R8
	MOVQ 40(R13), R9
	MOVQ 48(R13), R10
	MOVQ 56(R13), R11
square:
	VMOVUPS (AX)(R12*1), Y0
	VMOVUPS (BX)(R12*1), Y1
	VMOVUPS (CX)(R12*1), Y2
	VMOVUPS (DX)(R12*1), Y3
	VMOVUPS (R8)(R12*1), Y4
	VMOVUPS (R9)(R12*1), Y5
	VMOVUPS (R10)(R12*1), Y6
	VMOVUPS (R11)(R12*1), Y7
	ADDQ $32, R12
	PAIRS(Y0, Y1, Y8, Y9)
	PAIRS(Y2, Y3, Y10, Y11)
	PAIRS(Y4, Y5, Y12, Y13)
	PAIRS(Y6, Y7, Y14, Y15)
	QUADS(Y8, Y10, Y0, Y1)
	QUADS(Y9, Y11, Y2, Y3)
	QUADS(Y12, Y14, Y4, Y5)
	QUADS(Y13, Y15, Y6, Y7)
	LEAQ (SI)(DI*4), R13
	ROWS(Y0, Y4)
	ROWS(Y1, Y5)
	ROWS(Y2, Y6)
	ROWS(Y3, Y7)
	MOVQ R13, SI
	SUBQ $8, rows+32(FP)
	JNE square
	VZEROUPPER
	RET

// func turn4x8(dst unsafe.Pointer, from *unsafe.Pointer, offset, stride, rows int)
TEXT ·turn4x8(SB), $128-40
	MOVQ dst+0(FP), SI
	MOVQ from+8(FP), R13
	MOVQ offset+16(FP), R12
	MOVQ stride+24(FP), DI
	MOVQ 0(R13), AX
	MOVQ 8(R13), BX
	MOVQ 16(R13), CX
	MOVQ 24(R13), DX
square:
	VMOVUPS (AX)(R12*1), Y0
	VMOVUPS (BX)(R12*1), Y1
	VMOVUPS (CX)(R12*1), Y2
	VMOVUPS (DX)(R12*1), Y3
	ADDQ $32, R12
	QUADS(Y0, Y1, Y4, Y5)
	QUADS(Y2, Y3, Y6, Y7)
	LEAQ (SI)(DI*2), R13
	ROWS(Y4, Y6)
	ROWS(Y5, Y7)
	MOVQ R13, SI
	SUBQ $4, rows+32(FP)
	JNE square
	VZEROUPPER
	RET

// func zip8x4(dst, a, b unsafe.Pointer, blocks int)
TEXT ·zip8x4(SB), $128-32
	MOVQ dst+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), BX
	MOVQ blocks+24(FP), CX
block:
	VMOVUPS (SI), Y0
	VMOVUPS (BX), Y1
	PAIRS(Y0, Y1, Y2, Y3)
	VPERM2F128 $0x20, Y3, Y2, Y4
	VPERM2F128 $0x31, Y3, Y2, Y5
	VMOVUPS Y4, (DI)
	VMOVUPS Y5, 32(DI)
	ADDQ $32, SI
	ADDQ $32, BX
	ADDQ $64, DI
	DECQ CX
	JNZ block
	VZEROUPPER
	RET
