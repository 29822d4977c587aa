//go:build !portable && !race

#include "textflag.h"

// STEP takes a lane one cell on: SI has the cells, DI the numbers of the lane's row
// at LANE. The key is compared with the number; below it the next cell is the one
// behind next.
#define STEP(AT, LANE) \
	MOVL 8(SI)(AT*1), R13; \
	MOVQ LANE(DI)(R13*1), R13; \
	CMPQ 0(SI)(AT*1), R13; \
	MOVL 12(SI)(AT*1), AT; \
	LEAL 16(AT), R13; \
	CMOVLCS R13, AT

// TWICE takes two steps and adds to R15 where the second led elsewhere.
#define TWICE(AT, LANE) \
	STEP(AT, LANE); \
	MOVL AT, R12; \
	STEP(AT, LANE); \
	XORL AT, R12; \
	ORL R12, R15

#define STORE \
	MOVQ at+16(FP), R12; \
	MOVL AX, 0(R12); \
	MOVL BX, 4(R12); \
	MOVL CX, 8(R12); \
	MOVL DX, 12(R12); \
	MOVL R8, 16(R12); \
	MOVL R9, 20(R12); \
	MOVL R10, 24(R12); \
	MOVL R11, 28(R12)

// func walkLanes(cells, x unsafe.Pointer, at *uint32, blocks, stride, start, rounds int)
TEXT ·walkLanes(SB), NOSPLIT, $8-56
	MOVQ cells+0(FP), SI
	MOVQ x+8(FP), DI
block:
	MOVQ start+40(FP), AX
	MOVL AX, BX
	MOVL AX, CX
	MOVL AX, DX
	MOVL AX, R8
	MOVL AX, R9
	MOVL AX, R10
	MOVL AX, R11
	MOVQ rounds+48(FP), R12
	MOVQ R12, left-8(SP)
lanes:
	XORL R15, R15
	TWICE(AX, 0)
	TWICE(BX, 8)
	TWICE(CX, 16)
	TWICE(DX, 24)
	TWICE(R8, 32)
	TWICE(R9, 40)
	TWICE(R10, 48)
	TWICE(R11, 56)
	TESTL R15, R15
	JEQ leaves
	DECQ left-8(SP)
	JNE lanes
leaves:
	STORE
	ADDQ $32, at+16(FP)
	ADDQ stride+32(FP), DI
	DECQ blocks+24(FP)
	JNE block
	RET

// func walkOne(cells, x unsafe.Pointer, at *[Lanes]uint32)
TEXT ·walkOne(SB), NOSPLIT, $0-24
	MOVQ cells+0(FP), SI
	MOVQ x+8(FP), DI
	MOVQ at+16(FP), R12
	MOVL 0(R12), AX
	MOVL 4(R12), BX
	MOVL 8(R12), CX
	MOVL 12(R12), DX
	MOVL 16(R12), R8
	MOVL 20(R12), R9
	MOVL 24(R12), R10
	MOVL 28(R12), R11
one:
	XORL R15, R15
	TWICE(AX, 0)
	TWICE(BX, 0)
	TWICE(CX, 0)
	TWICE(DX, 0)
	TWICE(R8, 0)
	TWICE(R9, 0)
	TWICE(R10, 0)
	TWICE(R11, 0)
	TESTL R15, R15
	JNE one
	STORE
	RET
