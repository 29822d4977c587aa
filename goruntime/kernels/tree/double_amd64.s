//go:build !portable && !race

#include "textflag.h"

// func walkDouble(trees *doubleTree, n int, nodes *doubleNode, values *float64, first, second *uint64, sums *float64, behind int)
TEXT ·walkDouble(SB), $128-64
	MOVQ trees+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ nodes+16(FP), R8
	MOVQ values+24(FP), R9
	MOVQ first+32(FP), DI
	MOVQ second+40(FP), R11
	MOVQ sums+48(FP), DX
	MOVQ behind+56(FP), R12
	ADDQ DX, R12
tree:
	MOVL 0(SI), AX
	VPTERNLOGQ $0xFF, Z0, Z0, Z0
	VPTERNLOGQ $0xFF, Z1, Z1, Z1
	TESTL AX, AX
	JEQ leaves
test:
	MOVQ 16(R8), BX
	VMOVDQU64 (DI)(BX*1), Z2
	VMOVDQU64 (R11)(BX*1), Z3
	VPCMPUQ.BCST $6, (R8), Z2, K1
	VPCMPUQ.BCST $6, (R8), Z3, K2
	VPANDQ.BCST 8(R8), Z0, K1, Z0
	VPANDQ.BCST 8(R8), Z1, K2, Z1
	ADDQ $24, R8
	DECL AX
	JNE test
leaves:
	VPLZCNTQ Z0, Z4
	VPLZCNTQ Z1, Z5
	MOVL 4(SI), R10
	CMPL R10, $128
	JNE gather
	VMOVUPD (R9), Z6
	VMOVAPD Z6, Z7
	VMOVUPD 64(R9), Z8
	VPERMT2PD Z8, Z4, Z6
	VPERMT2PD Z8, Z5, Z7
	JMP add
gather:
	KXNORB K1, K1, K1
	KXNORB K2, K2, K2
	VGATHERQPD (R9)(Z4*8), K1, Z6
	VGATHERQPD (R9)(Z5*8), K2, Z7
add:
	ADDQ R10, R9
	MOVL 8(SI), BX
	VADDPD (DX)(BX*1), Z6, Z6
	VMOVUPD Z6, (DX)(BX*1)
	VADDPD (R12)(BX*1), Z7, Z7
	VMOVUPD Z7, (R12)(BX*1)
	ADDQ $12, SI
	DECQ CX
	JNE tree
	VZEROUPPER
	RET
