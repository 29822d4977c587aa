//go:build !portable && !race

#include "textflag.h"

DATA lanes<>+0(SB)/8, $0x0000000100000000
DATA lanes<>+8(SB)/8, $0x0000000300000002
DATA lanes<>+16(SB)/8, $0x0000000500000004
DATA lanes<>+24(SB)/8, $0x0000000700000006
DATA lanes<>+32(SB)/8, $0x0000000900000008
DATA lanes<>+40(SB)/8, $0x0000000b0000000a
DATA lanes<>+48(SB)/8, $0x0000000d0000000c
DATA lanes<>+56(SB)/8, $0x0000000f0000000e
GLOBL lanes<>(SB), RODATA, $64

// TEST compares the rows with the node at R8: K1 has those that fail its test.
#define TEST \
	MOVL 4(R8), BX; \
	VMOVDQU32 (DI)(BX*1), Z2; \
	VPCMPUD.BCST $6, (R8), Z2, K1

// func walkQuick(trees *quickTree, n int, nodes *quickNode, values *float32, keys *int32, sums *float32)
TEXT ·walkQuick(SB), $128-48
	MOVQ trees+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ nodes+16(FP), R8
	MOVQ values+24(FP), R9
	MOVQ keys+32(FP), DI
	MOVQ sums+40(FP), DX
tree:
	MOVL 0(SI), AX
	MOVL 4(SI), R10
	VPTERNLOGD $0xFF, Z0, Z0, Z0
	CMPL R10, $2
	JEQ wide
	TESTL AX, AX
	JEQ narrowLeaves
narrow:
	TEST
	VPANDD.BCST 8(R8), Z0, K1, Z0
	ADDQ $16, R8
	DECL AX
	JNE narrow
narrowLeaves:
	VPLZCNTD Z0, Z3
	TESTL R10, R10
	JNE thirtytwo
	VPERMPS (R9), Z3, Z4
	ADDQ $64, R9
	JMP add
thirtytwo:
	VMOVUPS (R9), Z4
	VPERMT2PS 64(R9), Z3, Z4
	ADDQ $128, R9
	JMP add
wide:
	VMOVDQA64 Z0, Z1
sixtyfour:
	TEST
	VPANDD.BCST 8(R8), Z0, K1, Z0
	VPANDD.BCST 12(R8), Z1, K1, Z1
	ADDQ $16, R8
	DECL AX
	JNE sixtyfour
	VPLZCNTD Z0, Z3
	VPLZCNTD Z1, Z5
	VPTESTNMD Z0, Z0, K2
	VMOVUPS (R9), Z4
	VPERMT2PS 64(R9), Z3, Z4
	VMOVUPS 128(R9), Z6
	VPERMT2PS 192(R9), Z5, Z6
	VMOVAPS Z6, K2, Z4
	ADDQ $256, R9
add:
	MOVL 8(SI), BX
	VADDPS (DX)(BX*1), Z4, Z4
	VMOVUPS Z4, (DX)(BX*1)
	ADDQ $12, SI
	DECQ CX
	JNE tree
	VZEROUPPER
	RET

// PREPARE sets K1 to the lanes of rows, Z7 to what turns positive numbers and Z8 to the
// key of NaN.
#define PREPARE(ROWS) \
	MOVQ ROWS, CX; \
	MOVL $1, AX; \
	SHLL CX, AX; \
	DECL AX; \
	KMOVW AX, K1; \
	MOVL $0x80000000, AX; \
	VPBROADCASTD AX, Z7; \
	VPTERNLOGD $0xFF, Z8, Z8, Z8

// KEYS writes the keys of the numbers in Z0 to DI, and those of the second plane behind
// them where R11 says that there are two.
#define KEYS \
	VCMPPS $3, Z0, Z0, K3; \
	VPSRAD $31, Z0, Z1; \
	VPORD Z7, Z1, Z1; \
	VPXORD Z0, Z1, Z1; \
	VMOVDQA32 Z8, K3, Z1; \
	VMOVDQU32 Z1, (DI); \
	ADDQ $64, DI; \
	CMPQ R11, $2; \
	JNE 5(PC); \
	KNOTW K3, K3; \
	VMOVDQA32.Z Z1, K3, Z1; \
	VMOVDQU32 Z1, (DI); \
	ADDQ $64, DI

// func keysOfRows(keys *uint32, x unsafe.Pointer, stride, k, rows, planes int)
TEXT ·keysOfRows(SB), $128-48
	MOVQ keys+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ k+24(FP), R8
	MOVQ planes+40(FP), R11
	PREPARE(rows+32(FP))
	MOVQ stride+16(FP), AX
	VPBROADCASTD AX, Z3
	VPMULLD lanes<>(SB), Z3, Z3
rows:
	KMOVW K1, K4
	VPXORD Z0, Z0, Z0
	VGATHERDPS (SI)(Z3*1), K4, Z0
	ADDQ $4, SI
	KEYS
	DECQ R8
	JNE rows
	VZEROUPPER
	RET

// func keysOfColumns(keys *uint32, columns *unsafe.Pointer, offset, k, rows, planes int)
TEXT ·keysOfColumns(SB), $128-48
	MOVQ keys+0(FP), DI
	MOVQ columns+8(FP), SI
	MOVQ offset+16(FP), R9
	MOVQ k+24(FP), R8
	MOVQ planes+40(FP), R11
	PREPARE(rows+32(FP))
columns:
	MOVQ (SI), R10
	VMOVUPS.Z (R10)(R9*1), K1, Z0
	ADDQ $8, SI
	KEYS
	DECQ R8
	JNE columns
	VZEROUPPER
	RET
