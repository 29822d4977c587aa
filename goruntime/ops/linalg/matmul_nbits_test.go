package linalg

import (
	"fmt"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// nbitsCase multiplies small whole numbers, so that all sums are exact.
func nbitsCase(d tensor.DType, m, n, k, bits, block int, zeros string, bias bool, groups bool) optest.Case {
	blocks := (k + block - 1) / block
	a, scales := make([]float64, m*k), make([]float64, n*blocks)
	for i := range a {
		a[i] = float64(i%7-3) / 2
	}
	for i := range scales {
		scales[i] = float64(i%3+1) / 2
	}
	codes := make([]byte, n*blocks*block)
	for i := range codes {
		codes[i] = byte((i*i + i/5) % (1 << bits))
	}
	packed := make([]byte, len(codes)*bits/8)
	tensor.Pack(packed, codes, bits)
	in := optest.In(optest.Filled(d, optest.Dims(m, k), a...), optest.U8(optest.Dims(n, blocks, block*bits/8), packed...), optest.Filled(d, optest.Dims(n, blocks), scales...), nil, nil, nil)
	zero := make([]float64, n*blocks)
	row := (blocks*bits + 7) / 8
	zeroBytes := make([]byte, n*row)
	for i := range zero {
		switch zeros {
		case "float":
			zero[i] = float64(i%5) / 2
		case "packed":
			z := i * 3 % (1 << bits)
			zero[i] = float64(z)
			zeroBytes[i/blocks*row+i%blocks*bits/8] |= byte(z << (i % blocks * bits % 8))
		default:
			zero[i] = float64(int(1) << (bits - 1))
		}
	}
	switch zeros {
	case "float":
		in[3] = optest.Filled(d, optest.Dims(n, blocks), zero...)
	case "packed":
		in[3] = optest.U8(optest.Dims(n, row), zeroBytes...)
	}
	group := func(x int) int { return x / block }
	if groups {
		list := make([]int32, k)
		for i := range list {
			list[i] = int32(i % blocks)
		}
		in[4] = optest.I32(optest.Dims(k), list...)
		group = func(x int) int { return x % blocks }
	}
	b := make([]float64, n)
	if bias {
		for i := range b {
			b[i] = float64(i) - 1
		}
		in[5] = optest.Filled(d, optest.Dims(n), b...)
	}
	var want []float64
	for i := range m {
		for j := range n {
			s := b[j]
			for x := range k {
				at := j*blocks + group(x)
				s += a[i*k+x] * (float64(codes[j*blocks*block+x]) - zero[at]) * scales[at]
			}
			want = append(want, s)
		}
	}
	return optest.Case{
		Name:  fmt.Sprintf("%v %dx%dx%d, %d bits, blocks of %d, zero points %q, bias %v, groups %v", d, m, n, k, bits, block, zeros, bias, groups),
		Attrs: optest.Attrs("K", k, "N", n, "bits", bits, "block_size", block), In: in,
		Want: optest.Want(optest.Filled(d, optest.Dims(m, n), want...)),
	}
}

func TestMatMulNBits(t *testing.T) {
	var cases []optest.Case
	for _, d := range MatMulNBits.Def().DTypes.Types() {
		for _, bits := range []int{2, 4, 8} {
			for _, zeros := range []string{"", "packed", "float"} {
				cases = append(cases, nbitsCase(d, 1, 3, 16, bits, 16, zeros, false, false))
				if d == tensor.F32 {
					cases = append(
						cases, nbitsCase(d, 3, 5, 80, bits, 32, zeros, true, false), nbitsCase(d, 9, 2, 128, bits, 64, zeros, false, false),
						nbitsCase(d, 2, 3, 70, bits, 32, zeros, true, true), nbitsCase(d, 0, 3, 32, bits, 32, zeros, true, false), nbitsCase(d, 2, 0, 32, bits, 32, zeros, false, false))
				}
			}
		}
	}
	optest.Run(t, MatMulNBits, cases)
}

func TestMatMulNBitsErrors(t *testing.T) {
	attrs := func(k, n, bits, block int) []op.Value {
		return optest.Attrs("K", k, "N", n, "bits", bits, "block_size", block)
	}
	a, b, s := optest.F32(optest.Dims(1, 16), make([]float32, 16)...), optest.U8(optest.Dims(1, 1, 8), make([]byte, 8)...), optest.F32(optest.Dims(1), 1)
	optest.Run(t, MatMulNBits, []optest.Case{
		{Name: "K", Attrs: attrs(17, 1, 4, 16), In: optest.In(a, b, s), Err: "A has shape [1, 16]: its last dimension must be K, 17", Code: errs.Shape},
		{Name: "B", Attrs: attrs(16, 2, 4, 16), In: optest.In(a, b, s), Err: "B has shape [1, 1, 8]: 16 bytes expected for N 2, K 16, 4 bits and blocks of 16", Code: errs.Shape},
		{Name: "scales", Attrs: attrs(16, 1, 4, 16), In: optest.In(a, b, optest.F32(optest.Dims(2), 1, 1)), Err: "the scales have shape [2]: 1 numbers expected", Code: errs.Shape},
		{Name: "zero points", Attrs: attrs(16, 1, 4, 16), In: optest.In(a, b, s, optest.U8(optest.Dims(2), 1, 1)), Err: "the zero points have shape [2] of u8: 1 elements expected", Code: errs.Shape},
		{Name: "bias", Attrs: attrs(16, 1, 4, 16), In: optest.In(a, b, s, nil, nil, optest.F32(optest.Dims(2), 1, 1)), Err: "the bias has shape [2], [1] expected", Code: errs.Shape},
		{Name: "groups", Attrs: attrs(16, 1, 4, 16), In: optest.In(a, b, s, nil, optest.I32(optest.Dims(16), 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)), Err: "g_idx has 1 at 1: it must lie in [0, 0]", Code: errs.Compute},
		{Name: "bits", Attrs: attrs(16, 1, 3, 16), In: optest.In(a, b, s), Err: "bits is 3: 2, 4 or 8 expected", Code: errs.Argument},
		{Name: "block", Attrs: attrs(16, 1, 4, 24), In: optest.In(a, b, s), Err: "block_size is 24: a power of two from 16 on expected", Code: errs.Argument},
		{Name: "f64", Attrs: attrs(16, 1, 4, 16), In: optest.In(optest.F64(optest.Dims(1, 16), make([]float64, 16)...), b, s), Err: "element type f64 is not supported", Code: errs.Unsupported},
	})
}
