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

// NEXT takes a lane one cell on in the form of 8 bytes: SI has the cells, DI the keys
// of the lane's row at LANE. The borrow of the comparison is what is added to next.
#define NEXT(AT, LANE) \
	MOVWLZX 4(SI)(AT*8), R13; \
	MOVL LANE(DI)(R13*8), R13; \
	CMPL 0(SI)(AT*8), R13; \
	MOVWLZX 6(SI)(AT*8), AT; \
	ADCL $0, AT

// NEXTTWICE takes two steps and adds to R15 where the second led elsewhere.
#define NEXTTWICE(AT, LANE) \
	NEXT(AT, LANE); \
	MOVL AT, R12; \
	NEXT(AT, LANE); \
	XORL AT, R12; \
	ORL R12, R15

// func walkNarrow(cells *narrow, keys, at *uint32, blocks, stride, rounds int)
TEXT ·walkNarrow(SB), NOSPLIT, $16-48
	MOVQ cells+0(FP), SI
	MOVQ keys+8(FP), DI
	MOVQ blocks+24(FP), R12
	SHLQ $1, R12
	MOVQ R12, halves-8(SP)
half:
	XORL AX, AX
	XORL BX, BX
	XORL CX, CX
	XORL DX, DX
	XORL R8, R8
	XORL R9, R9
	XORL R10, R10
	XORL R11, R11
	MOVQ rounds+40(FP), R12
	MOVQ R12, left-16(SP)
round:
	XORL R15, R15
	NEXTTWICE(AX, 0)
	NEXTTWICE(BX, 4)
	NEXTTWICE(CX, 8)
	NEXTTWICE(DX, 12)
	NEXTTWICE(R8, 16)
	NEXTTWICE(R9, 20)
	NEXTTWICE(R10, 24)
	NEXTTWICE(R11, 28)
	TESTL R15, R15
	JEQ reached
	DECQ left-16(SP)
	JNE round
reached:
	MOVQ at+16(FP), R12
	MOVL AX, 0(R12)
	MOVL BX, 4(R12)
	MOVL CX, 8(R12)
	MOVL DX, 12(R12)
	MOVL R8, 16(R12)
	MOVL R9, 20(R12)
	MOVL R10, 24(R12)
	MOVL R11, 28(R12)
	ADDQ $32, at+16(FP)
	DECQ halves-8(SP)
	JEQ done
	TESTQ $1, halves-8(SP)
	JEQ whole
	ADDQ $32, DI
	JMP half
whole:
	SUBQ $32, DI
	ADDQ stride+32(FP), DI
	JMP half
done:
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
